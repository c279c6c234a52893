//! Rows of a sheet or CSV file as lines that can be understood on their own: `header: value | header: value`.

use super::one_line;
use crate::Error;

/// One cell: its text as a person sees it, and whether that is a number, date or truth value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) is_number: bool,
}

/// Tells the header from what follows, row by row.
///
/// The header is the first row of two cells or more, where it is of words (or of years); single cells above it are a
/// title. A table whose first row is of numbers has none, and its values stand alone.
#[derive(Debug, Default)]
pub(super) struct Rows {
    state: State,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Before,
    /// A header with no row after it so far.
    Header(Vec<String>),
    Under(Vec<String>),
}

type Line<'l> = dyn FnMut(&str) -> Result<(), Error> + 'l;

impl Rows {
    /// Writes a row; the header waits for the first row under it.
    pub(super) fn row(&mut self, cells: &[Cell], line: &mut Line<'_>) -> Result<(), Error> {
        let filled = cells.iter().filter(|cell| !cell.text.trim().is_empty()).count();
        if filled == 0 {
            return Ok(());
        }
        self.state = match std::mem::take(&mut self.state) {
            State::Before if filled == 1 => {
                line(&values(cells, &[]))?;
                State::Before
            }
            State::Before if is_header(cells) => {
                State::Header(cells.iter().map(|cell| one_line(&cell.text)).collect())
            }
            State::Before => {
                line(&values(cells, &[]))?;
                State::Under(Vec::new())
            }
            State::Header(names) | State::Under(names) => {
                line(&values(cells, &names))?;
                State::Under(names)
            }
        };
        Ok(())
    }

    /// Writes what still waits: a header that nothing stands under.
    pub(super) fn finish(self, line: &mut Line<'_>) -> Result<(), Error> {
        match self.state {
            State::Header(names) => {
                let names: Vec<&str> =
                    names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
                line(&names.join(" | "))
            }
            State::Before | State::Under(_) => Ok(()),
        }
    }
}

fn is_header(cells: &[Cell]) -> bool {
    let is_year =
        |cell: &Cell| cell.text.trim().parse::<u16>().is_ok_and(|year| (1900..2100).contains(&year));
    let filled = || cells.iter().filter(|cell| !cell.text.trim().is_empty());
    filled().any(|cell| !cell.is_number) && filled().all(|cell| !cell.is_number || is_year(cell))
}

fn values(cells: &[Cell], names: &[String]) -> String {
    let mut line = String::new();
    for (column, cell) in cells.iter().enumerate() {
        let value = one_line(&cell.text);
        if value.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push_str(" | ");
        }
        if let Some(name) = names.get(column).filter(|name| !name.is_empty()) {
            line.push_str(name.trim_end_matches(':'));
            line.push_str(": ");
        }
        line.push_str(&value);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(rows: &[&[&str]]) -> Vec<String> {
        let mut lines = Vec::new();
        let mut line = |text: &str| {
            lines.push(text.to_owned());
            Ok(())
        };
        let mut table = Rows::default();
        for row in rows {
            let cells: Vec<Cell> = row
                .iter()
                .map(|text| Cell { text: (*text).to_owned(), is_number: text.parse::<f64>().is_ok() })
                .collect();
            table.row(&cells, &mut line).unwrap();
        }
        table.finish(&mut line).unwrap();
        lines
    }

    #[test]
    fn each_row_carries_its_header() {
        let table: &[&[&str]] =
            &[&["Vendas de junho"], &[], &["Nome:", "Idade", ""], &["Ana\nMaria", "31", "x"], &["Zé"]];
        assert_eq!(lines(table), ["Vendas de junho", "Nome: Ana Maria | Idade: 31 | x", "Nome: Zé"]);
        assert_eq!(
            lines(&[&["Região", "2023", "2024"], &["Sul", "1", "2"]]),
            ["Região: Sul | 2023: 1 | 2024: 2"]
        );
        assert_eq!(lines(&[&["1", "2"], &["a", "b"]]), ["1 | 2", "a | b"]);
        assert_eq!(lines(&[&["a", "b"]]), ["a | b"]);
        assert_eq!(lines(&[&["um"], &["dois"]]), ["um", "dois"]);
    }
}
