//! Numbers as a sheet shows them: dates and times are stored as days since an epoch, and only the format of the cell
//! tells them from plain numbers (ECMA-376 part 1, 18.8.30).

use std::collections::HashMap;

use crate::Error;
use crate::documents::office::xml::{Node, Xml};

/// The day from which days are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Epoch {
    Y1900,
    Y1904,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Shown {
    /// As it is, to fifteen digits.
    #[default]
    General,
    /// With a fixed number of decimals.
    Decimals(usize),
    /// In hundredths.
    Percent(usize),
    Date,
    Time,
    DateTime,
    /// Hours that go on past 24.
    Duration,
}

/// How each style of cell shows numbers.
#[derive(Debug, Default)]
pub(super) struct Formats {
    of_styles: Vec<Shown>,
}

impl Formats {
    pub(super) fn read(xml: &mut Xml<'_>) -> Result<Self, Error> {
        let mut custom = HashMap::new();
        let mut ids = Vec::new();
        while let Some(node) = xml.next()? {
            let Node::Open(element) = node else { continue };
            match element.name() {
                "numFmt" => {
                    if let (Some(id), Some(code)) = (element.get("numFmtId"), element.get("formatCode")) {
                        custom.insert(id, of_code(&code));
                    }
                }
                "cellXfs" => {
                    let outside = xml.outside();
                    while let Some(node) = xml.next_inside(outside)? {
                        if let Node::Open(element) = node
                            && element.name() == "xf"
                        {
                            ids.push(element.get("numFmtId").unwrap_or_default());
                        }
                    }
                }
                // Differential styles name formats of their own by the same ids.
                "dxfs" => xml.skip()?,
                _ => {}
            }
        }
        let of_styles =
            ids.iter().map(|id| custom.get(id).copied().unwrap_or_else(|| built_in(id))).collect();
        Ok(Self { of_styles })
    }

    /// A stored number as the cells of a style show it. Dates are written as ISO 8601 has them, whatever their order
    /// in the sheet: `2024-02-29`.
    pub(super) fn show(&self, style: usize, stored: &str, epoch: Epoch) -> String {
        let shown = self.of_styles.get(style).copied().unwrap_or_default();
        let Ok(value) = stored.parse::<f64>() else { return stored.to_owned() };
        if !value.is_finite() {
            return stored.to_owned();
        }
        let as_date = match shown {
            Shown::Date => date(value, epoch),
            Shown::DateTime => date(value, epoch).map(|day| format!("{day} {}", time(value))),
            Shown::Time if value < 1.0 => Some(time(value)),
            // A full date of which the cell shows the time alone.
            Shown::Time => date(value, epoch).map(|day| format!("{day} {}", time(value))),
            Shown::Duration => Some(duration(value)),
            Shown::Decimals(decimals) => Some(format!("{value:.decimals$}")),
            Shown::Percent(decimals) => Some(format!("{:.decimals$}%", value * 100.0)),
            Shown::General => None,
        };
        as_date.unwrap_or_else(|| general(value))
    }
}

/// A number without the digits that binary fractions add: fifteen are shown.
fn general(value: f64) -> String {
    let rounded = format!("{value:.14e}").parse::<f64>().unwrap_or(value);
    rounded.to_string()
}

/// Formats that are never written down, by their ids.
fn built_in(id: &str) -> Shown {
    match id.parse::<u32>().unwrap_or(0) {
        2 | 4 | 7 | 8 | 39 | 40 | 43 | 44 => Shown::Decimals(2),
        9 => Shown::Percent(0),
        10 => Shown::Percent(2),
        14..=17 | 27..=31 | 36 | 50..=54 | 57 | 58 => Shown::Date,
        18..=21 | 32..=35 | 45 | 47 | 55 | 56 => Shown::Time,
        22 => Shown::DateTime,
        46 => Shown::Duration,
        _ => Shown::General,
    }
}

/// What a format's code shows, by its first section.
fn of_code(code: &str) -> Shown {
    let code = code.to_lowercase();
    let mut letters = String::new();
    let mut chars = code.chars();
    let mut is_duration = false;
    while let Some(c) = chars.next() {
        match c {
            ';' => break,
            '"' => {
                chars.by_ref().find(|c| *c == '"');
            }
            '\\' | '_' | '*' => {
                chars.next();
            }
            '[' => {
                let inside: String = chars.by_ref().take_while(|c| *c != ']').collect();
                is_duration |= !inside.is_empty() && inside.chars().all(|c| matches!(c, 'h' | 'm' | 's'));
            }
            c => letters.push(c),
        }
    }
    let letters = letters.replace("general", "");
    let has = |wanted: &[char]| letters.contains(wanted);
    if is_duration {
        return Shown::Duration;
    }
    let (date, time) = (has(&['y', 'd']), has(&['h', 's']));
    match (date, time) {
        (true, true) => return Shown::DateTime,
        (true, false) => return Shown::Date,
        (false, true) => return Shown::Time,
        (false, false) if has(&['m']) => return Shown::Date,
        (false, false) => {}
    }
    let decimals = letters.split_once('.').map(|(_, after)| after.chars().take_while(|c| *c == '0').count());
    let decimals = decimals.unwrap_or(0).min(15);
    match (has(&['%']), decimals, has(&['e'])) {
        (true, decimals, _) => Shown::Percent(decimals),
        (false, 0, _) | (_, _, true) => Shown::General,
        (false, decimals, false) => Shown::Decimals(decimals),
    }
}

/// Days since 1 January 1970, and the rest of the day in whole seconds, of a stored number.
fn days_and_seconds(value: f64, epoch: Epoch) -> Option<(i64, i64)> {
    // 9999-12-31, the last day that a sheet can show.
    if !(0.0..2_958_466.0).contains(&value) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "within the range just checked")]
    let seconds = (value * 86_400.0).round() as i64;
    let (days, seconds) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let days = match epoch {
        Epoch::Y1904 => days - 24_107,
        // Sheets count a 29 February 1900 that never was: day 60. Days before it are off by one.
        Epoch::Y1900 if days < 60 => days - 25_568,
        Epoch::Y1900 => days - 25_569,
    };
    Some((days, seconds))
}

fn date(value: f64, epoch: Epoch) -> Option<String> {
    let (days, _) = days_and_seconds(value, epoch)?;
    let (year, month, day) = civil(days);
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// The date of a day since 1 January 1970 in the Gregorian calendar, by counting in years that start in March
/// (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

fn time(value: f64) -> String {
    let Some((_, seconds)) = days_and_seconds(value, Epoch::Y1904) else { return general(value) };
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if seconds == 0 {
        format!("{hours:02}:{minutes:02}")
    } else {
        format!("{hours:02}:{minutes:02}:{seconds:02}")
    }
}

fn duration(value: f64) -> String {
    if !(-1e9..1e9).contains(&value) {
        return general(value);
    }
    #[expect(clippy::cast_possible_truncation, reason = "within the range just checked")]
    let seconds = (value * 86_400.0).round() as i64;
    let sign = if seconds < 0 { "-" } else { "" };
    let seconds = seconds.abs();
    format!("{sign}{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_show_as_their_format_has_them() {
        for (code, stored, shown) in [
            ("dd/mm/yyyy", "45351", "2024-02-29"),
            ("d/m/yy h:mm", "45351.5", "2024-02-29 12:00"),
            ("[$-416]d \"de\" mmmm;@", "1", "1900-01-01"),
            ("mmm", "61", "1900-03-01"),
            ("hh:mm:ss", "0.5000115740740741", "12:00:01"),
            ("h:mm", "45351.75", "2024-02-29 18:00"),
            ("[h]:mm", "1.5", "36:00:00"),
            ("0.00", "12.3", "12.30"),
            ("R$ #,##0.00", "1234.5", "1234.50"),
            ("\"dias\" 0", "3", "3"),
            ("0.0%", "0.125", "12.5%"),
            ("General", "0.30000000000000004", "0.3"),
            ("General", "1E+3", "1000"),
            ("0.00E+00", "1200", "1200"),
            ("General \"d\"", "7", "7"),
            ("dd/mm/yyyy", "-1", "-1"),
            ("dd/mm/yyyy", "1e300", &1e300.to_string()),
            ("0", "inf", "inf"),
        ] {
            let formats = Formats { of_styles: vec![of_code(code)] };
            assert_eq!(formats.show(0, stored, Epoch::Y1900), shown, "{code} {stored}");
        }
        let formats = Formats { of_styles: vec![built_in("14")] };
        assert_eq!(formats.show(0, "43889", Epoch::Y1904), "2024-02-29");
        assert_eq!(formats.show(7, "43889", Epoch::Y1904), "43889");
    }
}
