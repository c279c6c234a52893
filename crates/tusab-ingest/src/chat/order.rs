//! In which order day, month and year stand: the same in the whole file.

use serde::{Deserialize, Serialize};
use tusab_chunk::{Date, DateTime};

use super::header::{Clock, Entry, Field, Header};

/// The order of day, month and year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DateOrder {
    /// `31/12/2024`, as in most of the world.
    DayMonthYear,
    /// `12/31/2024`, as in the United States.
    MonthDayYear,
    /// `2024-12-31`, as in East Asia and in ISO 8601.
    YearMonthDay,
    /// `2024-31-12`, which is rare.
    YearDayMonth,
}

/// How a [`DateOrder`] is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DateEvidence {
    /// The caller said so.
    Given,
    /// In any other order there are days that no calendar has, or all days are the same in every order.
    Proven,
    /// In any other order time runs backwards more often.
    Sequence,
    /// The file does not tell; the order is a guess.
    Assumed,
}

impl DateOrder {
    const ALL: [Self; 4] = [Self::DayMonthYear, Self::MonthDayYear, Self::YearMonthDay, Self::YearDayMonth];

    /// The order in three letters: `dmy`, `mdy`, `ymd`, `ydm`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DayMonthYear => "dmy",
            Self::MonthDayYear => "mdy",
            Self::YearMonthDay => "ymd",
            Self::YearDayMonth => "ydm",
        }
    }

    /// The order as a person says it.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::DayMonthYear => "day, month, year",
            Self::MonthDayYear => "month, day, year",
            Self::YearMonthDay => "year, month, day",
            Self::YearDayMonth => "year, day, month",
        }
    }

    fn date(self, [a, b, c]: [Field; 3]) -> Option<Date> {
        let (year, month, day) = match self {
            Self::DayMonthYear => (c, b, a),
            Self::MonthDayYear => (c, a, b),
            Self::YearMonthDay => (a, b, c),
            Self::YearDayMonth => (a, c, b),
        };
        if month.digits > 2 || day.digits > 2 || (self == Self::YearDayMonth && year.digits < 4) {
            return None;
        }
        // WhatsApp is of 2009.
        let year = if year.digits == 4 { year.value } else { 2000 + year.value };
        let date = Date::new(year, u8::try_from(month.value).ok()?, u8::try_from(day.value).ok()?)?;
        (year >= 2009).then_some(date)
    }

    /// The time of a message; none when the calendar does not have the day.
    pub(super) fn time(self, header: &Header) -> Option<DateTime> {
        DateTime::new(self.date(header.date)?, header.hour, header.minute, header.second)
    }
}

/// An order, and how it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dates {
    pub(super) order: DateOrder,
    pub(super) evidence: DateEvidence,
}

/// How the dates of a file read in one order.
#[derive(Debug)]
struct Reading {
    order: DateOrder,
    /// Days that the calendar does not have.
    impossible: usize,
    /// How often a day is before the one above it.
    backwards: usize,
    dates: Vec<Option<Date>>,
}

impl Reading {
    fn of(order: DateOrder, fields: &[[Field; 3]]) -> Self {
        let dates: Vec<_> = fields.iter().map(|fields| order.date(*fields)).collect();
        let known = || dates.iter().flatten();
        let backwards = known().zip(known().skip(1)).filter(|(before, after)| after < before).count();
        Self { order, impossible: dates.iter().filter(|date| date.is_none()).count(), backwards, dates }
    }

    /// Years and months from the first day to the last, in days as a calendar of equal months has them.
    fn length(&self) -> u32 {
        let day = |date: &Date| {
            (u32::from(date.year()) * 12 + u32::from(date.month())) * 31 + u32::from(date.day())
        };
        let days = || self.dates.iter().flatten().map(day);
        days().max().unwrap_or(0) - days().min().unwrap_or(0)
    }
}

pub(super) fn infer(entries: &[Entry], given: Option<DateOrder>) -> Dates {
    if let Some(order) = given {
        return Dates { order, evidence: DateEvidence::Given };
    }
    // Many messages of one day say no more than one.
    let mut fields: Vec<[Field; 3]> = entries.iter().map(|entry| entry.header.date).collect();
    fields.dedup();
    let mut readings: Vec<_> = DateOrder::ALL.iter().map(|order| Reading::of(*order, &fields)).collect();
    let fewest = readings.iter().map(|reading| reading.impossible).min().unwrap_or(0);
    readings.retain(|reading| reading.impossible == fewest);
    // An order that hardly any phone writes has to make more sense than the others.
    let has_years = fields.iter().any(|[first, ..]| first.digits == 4);
    let is_rare = |order| match order {
        DateOrder::YearDayMonth => true,
        DateOrder::YearMonthDay => !has_years,
        DateOrder::DayMonthYear | DateOrder::MonthDayYear => false,
    };
    let usual =
        readings.iter().filter(|reading| !is_rare(reading.order)).map(|reading| reading.backwards).min();
    readings.retain(|reading| !is_rare(reading.order) || usual.is_none_or(|usual| reading.backwards < usual));
    if readings.iter().zip(readings.iter().skip(1)).all(|(a, b)| a.dates == b.dates) {
        return chosen(&readings, DateEvidence::Proven);
    }
    let fewest = readings.iter().map(|reading| reading.backwards).min().unwrap_or(0);
    let told = readings.iter().any(|reading| reading.backwards > fewest);
    readings.retain(|reading| reading.backwards == fewest);
    if readings.len() == 1 {
        let evidence = if told { DateEvidence::Sequence } else { DateEvidence::Proven };
        return chosen(&readings, evidence);
    }
    Dates { order: likeliest(&readings, entries), evidence: DateEvidence::Assumed }
}

fn chosen(readings: &[Reading], evidence: DateEvidence) -> Dates {
    Dates { order: readings.first().map_or(DateOrder::DayMonthYear, |reading| reading.order), evidence }
}

/// A guess among orders that are all possible.
fn likeliest(readings: &[Reading], entries: &[Entry]) -> DateOrder {
    let possible = |order| readings.iter().any(|reading| reading.order == order);
    // People write every day rather than on the same day of every month.
    let mut lengths: Vec<_> = readings.iter().map(|reading| (reading.length(), reading.order)).collect();
    lengths.sort_by_key(|(length, _)| *length);
    if let [(short, order), (long, _), ..] = lengths.as_slice()
        && (*short + 1) * 4 <= *long
    {
        return *order;
    }
    let american = entries.iter().any(|entry| entry.header.date.iter().any(|field| field.digits == 1))
        && entries.iter().all(|entry| entry.header.separator == '/' && entry.header.clock == Clock::Plain12);
    if american && possible(DateOrder::MonthDayYear) {
        return DateOrder::MonthDayYear;
    }
    readings.first().map_or(DateOrder::DayMonthYear, |reading| reading.order)
}

#[cfg(test)]
mod tests {
    use super::super::header::entries;
    use super::*;

    fn inferred(dates: &[&str]) -> (DateOrder, DateEvidence) {
        let text = dates.iter().fold(String::new(), |text, date| text + date + ", 14:32 - Ana: oi\n");
        let Dates { order, evidence } = infer(&entries(&text), None);
        (order, evidence)
    }

    #[test]
    fn the_whole_file_tells_the_order() {
        use DateEvidence::{Assumed, Proven, Sequence};
        use DateOrder::{DayMonthYear, MonthDayYear, YearMonthDay};
        for (dates, order, evidence) in [
            (["13/03/24", "01/04/24"].as_slice(), DayMonthYear, Proven),
            (&["01/02/24", "03/13/24"], MonthDayYear, Proven),
            // Never a flip in the middle, where both orders are possible for a line.
            (&["01/02/24", "05/03/24", "20/03/24", "01/04/24"], DayMonthYear, Proven),
            (&["2024-03-13", "2024-04-01"], YearMonthDay, Proven),
            (&["24/03/31", "24/04/01"], YearMonthDay, Proven),
            (&["15-01-20", "16-01-20", "31-01-20", "01-02-20", "11-05-20"], DayMonthYear, Proven),
            (&["09/01/24", "10/01/24", "01/02/24", "02/02/24"], DayMonthYear, Sequence),
            (&["01/09/24", "01/10/24", "02/01/24", "02/02/24"], MonthDayYear, Sequence),
            // Days that are the same in every order.
            (&["1/1/21"], DayMonthYear, Proven),
            (&["3/4/2024", "5/4/2024"], DayMonthYear, Assumed),
            (&["3/4/2024", "3/5/2024", "3/6/2024"], MonthDayYear, Assumed),
            (&["5/5/2024"], DayMonthYear, Proven),
            (&["2024-03-04"], YearMonthDay, Proven),
            (&["13/03/24", "14/03/24"], DayMonthYear, Proven),
            (&["2024-31-03", "2024-01-04"], DateOrder::YearDayMonth, Proven),
            (&["11/12/10", "11/12/11", "12/01/01"], YearMonthDay, Proven),
        ] {
            let found = inferred(dates);
            assert_eq!(found, (order, evidence), "{dates:?}");
        }
    }

    #[test]
    fn an_american_clock_makes_an_american_guess() {
        let guess = |line: &str| infer(&entries(line), None).order;
        assert_eq!(guess("3/4/24, 9:29 PM - Ana: oi"), DateOrder::MonthDayYear);
        assert_eq!(guess("3/4/24, 9:29 p. m. - Ana: oi"), DateOrder::DayMonthYear);
        assert_eq!(guess("03/04/24, 9:29 PM - Ana: oi"), DateOrder::DayMonthYear);
        assert_eq!(guess("3/4/24, 21:29 - Ana: oi"), DateOrder::DayMonthYear);
    }
}
