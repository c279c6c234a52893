//! Reading measurements, one JSON object a line, and what they come to.

use std::error::Error;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::unit::Unit;

/// A line of the results.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Line {
    Machine { machine: Machine },
    Skipped { part: String, skipped: String },
    Measured(Measured),
}

/// What was measured on. Of several runs the last one counts, since they were of one machine.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Machine {
    /// Which sizes and how many rounds were measured.
    pub(crate) profile: String,
    /// Names and what they are: processor, memory, versions.
    pub(crate) about: Vec<(String, String)>,
}

/// One measurement.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Measured {
    pub(crate) part: String,
    /// What was done; the sides of one case are compared.
    pub(crate) case: String,
    /// Who did it.
    pub(crate) side: String,
    /// Which of several numbers of it this is.
    pub(crate) measure: String,
    /// To how much of it.
    pub(crate) size: Option<f64>,
    pub(crate) unit: Unit,
    pub(crate) value: f64,
    /// Sides of the same round were measured one after the other.
    pub(crate) round: u32,
    /// Share of the processors' time that other programs took meanwhile, where the system says so.
    pub(crate) others: Option<f64>,
}

/// All that was measured.
#[derive(Debug, Default)]
pub(crate) struct Results {
    pub(crate) machine: Machine,
    pub(crate) measured: Vec<Measured>,
    /// Parts that could not be measured, and why.
    pub(crate) skipped: Vec<(String, String)>,
}

/// Reads a file of results. A line that was cut off at the end is passed over.
pub(crate) fn read(path: &Path) -> Result<Results, Box<dyn Error>> {
    let text =
        fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let mut results = Results::default();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    for (number, line) in (1..).zip(&lines) {
        match serde_json::from_str(line) {
            Ok(Line::Machine { machine }) => results.machine = machine,
            Ok(Line::Skipped { part, skipped }) => {
                if !results.skipped.iter().any(|(name, _)| *name == part) {
                    results.skipped.push((part, skipped));
                }
            }
            Ok(Line::Measured(measured)) => results.measured.push(measured),
            Err(_) if number == lines.len() => {}
            Err(error) => return Err(format!("{}, line {number}: {error}", path.display()).into()),
        }
    }
    // What an earlier run could not measure, a later one may have.
    results.skipped.retain(|(part, _)| !results.measured.iter().any(|measured| measured.part == *part));
    Ok(results)
}

/// The middle of some values and how far they lie apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
    pub(crate) count: usize,
}

impl Spread {
    pub(crate) fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let (least, most) = (*values.first()?, *values.last()?);
        let upper = *values.get(values.len() / 2)?;
        let lower = *values.get((values.len() - 1) / 2)?;
        Some(Self { median: f64::midpoint(lower, upper), least, most, count: values.len() })
    }
}

/// What the values of one place in a table are of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) part: &'a str,
    pub(crate) case: &'a str,
    pub(crate) measure: &'a str,
    pub(crate) size: Option<f64>,
}

impl Results {
    fn at<'a>(&'a self, place: Place<'a>, side: &'a str) -> impl Iterator<Item = &'a Measured> {
        self.measured.iter().filter(move |measured| {
            measured.part == place.part
                && measured.case == place.case
                && measured.measure == place.measure
                && measured.size == place.size
                && measured.side == side
        })
    }

    pub(crate) fn spread(&self, place: Place<'_>, side: &str) -> Option<(Unit, Spread)> {
        let unit = self.at(place, side).next()?.unit;
        Some((unit, Spread::of(self.at(place, side).map(|measured| measured.value).collect())?))
    }

    /// How many times as much a side needs as another one did in the same round.
    pub(crate) fn ratio(&self, place: Place<'_>, side: &str, to: &str) -> Option<Spread> {
        let of_round = |measured: &Measured| {
            let other = self.at(place, to).find(|other| other.round == measured.round)?;
            (other.value > 0.0).then(|| measured.value / other.value)
        };
        Spread::of(self.at(place, side).filter_map(of_round).collect())
    }

    /// The different values of a key among the measurements that a test lets through, in the order of their appearance.
    pub(crate) fn distinct<'a, K: PartialEq>(
        &'a self,
        of: impl Fn(&Measured) -> bool,
        key: impl Fn(&'a Measured) -> K,
    ) -> Vec<K> {
        let mut keys = Vec::new();
        for measured in self.measured.iter().filter(|measured| of(measured)) {
            let key = key(measured);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }
}

/// Whether a side is this project.
pub(crate) fn is_ours(side: &str) -> bool {
    side.starts_with("tusab")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(side: &str, round: u32, value: f64) -> Measured {
        Measured {
            part: "p".to_owned(),
            case: "c".to_owned(),
            side: side.to_owned(),
            measure: "m".to_owned(),
            size: None,
            unit: Unit::Milliseconds,
            value,
            round,
            others: None,
        }
    }

    #[test]
    fn ratios_are_of_the_same_round() {
        let measured = vec![
            measured("tusab", 1, 1.0),
            measured("rival", 1, 2.0),
            // The machine was busy in the second round, with both.
            measured("tusab", 2, 10.0),
            measured("rival", 2, 30.0),
            measured("rival", 3, 4.0),
        ];
        let results = Results { measured, ..Results::default() };
        let place = Place { part: "p", case: "c", measure: "m", size: None };
        let ratio = results.ratio(place, "rival", "tusab").unwrap();
        assert_eq!(ratio, Spread { median: 2.5, least: 2.0, most: 3.0, count: 2 });
    }

    #[test]
    fn lines_are_read_and_a_cut_one_at_the_end_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let whole = "{\"machine\":{\"profile\":\"short\",\"about\":[[\"processor\",\"one\"]]}}\n\
                     {\"part\":\"a\",\"skipped\":\"not here\"}\n\
                     {\"part\":\"b\",\"case\":\"c\",\"side\":\"tusab\",\"measure\":\"time\",\"size\":10,\
                      \"unit\":\"ms\",\"value\":1.5,\"round\":1,\"others\":0.01}\n";
        fs::write(&path, format!("{whole}{{\"part\":\"b\",\"ca")).unwrap();
        let results = read(&path).unwrap();
        assert_eq!(results.machine.about, [("processor".to_owned(), "one".to_owned())]);
        assert_eq!(results.skipped, [("a".to_owned(), "not here".to_owned())]);
        assert_eq!(results.measured.len(), 1);
        fs::write(&path, format!("{{\"part\":\"b\",\"ca\n{whole}")).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("line 1"));
    }
}
