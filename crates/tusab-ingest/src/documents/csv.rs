//! CSV (RFC 4180, read leniently) and its relatives with other separators.

use csv::{ReaderBuilder, StringRecord};

use super::limits::{DocumentLimits, Limit};
use super::rows::{Cell, Rows};
use crate::{Content, Error, Format, Parsed, Source};

/// Separators, the likeliest first where several fit: a comma also stands in numbers and sentences.
const SEPARATORS: [u8; 4] = *b"\t;|,";

/// How much of a file is looked at to find its separator: in bytes, and in rows.
const SAMPLE: usize = 64 * 1024;
const SAMPLE_ROWS: usize = 200;

pub(super) fn read(text: &str, limits: &DocumentLimits) -> Result<Parsed<Source>, Error> {
    let (separator, text) = match declared(text) {
        Some(declared) => declared,
        None => (separator(text), text),
    };
    let most = usize::try_from(limits.text.0).unwrap_or(usize::MAX);
    let mut out = String::new();
    let mut line = |line: &str| {
        out.push_str(line);
        out.push('\n');
        if out.len() > most { Err(Error::TooLarge { limit: Limit::Text(limits.text) }) } else { Ok(()) }
    };
    let mut rows = Rows::default();
    for record in records(text, separator) {
        let cells: Vec<Cell> =
            record.iter().map(|field| Cell { text: field.to_owned(), is_number: is_number(field) }).collect();
        rows.row(&cells, &mut line)?;
    }
    rows.finish(&mut line)?;
    if out.is_empty() {
        return Err(Error::NoText { format: Format::Csv });
    }
    Ok(Parsed::sound(Source::new(Format::Csv, Content::Text(out))))
}

/// Rows of any length. Over text there are no errors: what is not well quoted is read as it stands.
fn records(text: &str, separator: u8) -> impl Iterator<Item = StringRecord> {
    let mut builder = ReaderBuilder::new();
    builder.has_headers(false).flexible(true).delimiter(separator);
    builder.from_reader(text.as_bytes()).into_records().map_while(Result::ok)
}

/// The separator that a first line `sep=;` declares, as Excel writes it, and the text after that line.
fn declared(text: &str) -> Option<(u8, &str)> {
    let (line, rest) = text.split_once('\n')?;
    let declared = line.trim_end_matches('\r').trim_matches('"').strip_prefix("sep=")?;
    match declared.as_bytes() {
        [separator] if separator.is_ascii_punctuation() || *separator == b'\t' => Some((*separator, rest)),
        _ => None,
    }
}

/// The separator by which most rows of the sample have the same number of fields, at least two.
fn separator(text: &str) -> u8 {
    let sample = match text.get(..text.floor_char_boundary(SAMPLE)) {
        Some(head) if head.len() < text.len() => head.rsplit_once('\n').map_or(head, |(rows, _)| rows),
        _ => text,
    };
    let mut best = (0, b',');
    for separator in SEPARATORS {
        let score = agreement(sample, separator);
        if score > best.0 {
            best = (score, separator);
        }
    }
    best.1
}

/// How many in a thousand of the rows have the commonest number of fields; 0 where that is one.
fn agreement(sample: &str, separator: u8) -> usize {
    let mut lengths: Vec<usize> = records(sample, separator).take(SAMPLE_ROWS).map(|row| row.len()).collect();
    lengths.sort_unstable();
    let commonest = lengths.chunk_by(|a, b| a == b).max_by_key(|same| same.len());
    match commonest {
        Some(same) if same.first().is_some_and(|length| *length > 1) => same.len() * 1000 / lengths.len(),
        _ => 0,
    }
}

/// Whether a field is a number, date, time or amount: digits, and no letters but those of a currency.
fn is_number(field: &str) -> bool {
    let field = field.trim().trim_start_matches("R$").trim_start_matches("US$");
    field.contains(|c: char| c.is_ascii_digit()) && !field.contains(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let source = read(text, &DocumentLimits::default()).unwrap().value;
        let Content::Text(text) = source.content else { panic!("not text") };
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn rows_carry_their_headers_whatever_separates_them() {
        let expected = ["nome: Ana, a primeira | valor: 1,5", "nome: Zé | valor: 2,3"];
        for text in [
            "nome;valor\n\"Ana, a primeira\";1,5\nZé;2,3\n",
            "nome,valor\r\n\"Ana, a primeira\",\"1,5\"\r\nZé,\"2,3\"",
            "nome\tvalor\nAna, a primeira\t1,5\nZé\t2,3",
            "nome|valor\nAna, a primeira|1,5\nZé|2,3",
            "sep=;\r\nnome;valor\r\nAna, a primeira;1,5\r\nZé;2,3",
            "\"nome\";\"valor\"\n\"Ana,\na primeira\";\"1,5\"\n\nZé;2,3;\n",
        ] {
            assert_eq!(lines(text), expected, "{text:?}");
        }
        assert_eq!(lines("1,5;2,5\n3,5;4,5"), ["1,5 | 2,5", "3,5 | 4,5"]);
        assert_eq!(lines("só uma coluna\nde texto, aqui"), ["só uma coluna", "de texto | aqui"]);
        assert_eq!(lines("a,b\n1,\"sem fim"), ["a: 1 | b: sem fim"]);
        assert_eq!(lines("a,b\n1,2,3"), ["a: 1 | b: 2 | 3"]);
    }

    #[test]
    fn many_rows_under_a_long_header_meet_the_limit() {
        let text = format!("{},b\n{}", "x".repeat(100_000), "1,2\n".repeat(10_000));
        let limits = DocumentLimits::default().with_text(super::super::ByteCount::mib(1));
        assert!(matches!(read(&text, &limits), Err(Error::TooLarge { limit: Limit::Text(_) })));
    }
}
