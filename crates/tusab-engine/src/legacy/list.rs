//! The Python app's list of a channel's videos (`_base.csv`): what is known of each, and what became of it.

use std::collections::BTreeMap;

use tusab_chunk::Date;
use tusab_ingest::VideoId;

use super::transcript::read_date;

/// A video of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) id: VideoId,
    pub(super) title: String,
    pub(super) date: Option<Date>,
    /// What became of it, in the app's words.
    pub(super) status: String,
}

impl Row {
    /// True when the app says that a transcript has it.
    pub(super) fn is_taken(&self) -> bool {
        self.status.eq_ignore_ascii_case("Sucesso")
    }
}

/// The videos of a list in the order of their ids, as their last lines say; and the numbers of the rows that name none,
/// as a spreadsheet counts them. Or why it is no list.
pub(super) fn parse(text: &str) -> Result<(Vec<Row>, Vec<usize>), String> {
    let text = text.trim_start_matches('\u{feff}');
    let head = text.lines().next().unwrap_or_default();
    // Spreadsheets write the separator of their user's country.
    let separator = if head.matches(';').count() > head.matches(',').count() { b';' } else { b',' };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let columns = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| columns.iter().position(|column| column.eq_ignore_ascii_case(name));
    let [id, title, date, status] = ["ID", "Titulo", "Data_Pub", "Status"].map(column);
    if id.is_none() || status.is_none() {
        return Err("it has no columns ID and Status".to_owned());
    }
    let (mut rows, mut odd) = (BTreeMap::new(), Vec::new());
    for (row, record) in (2..).zip(reader.records()) {
        let record = record.map_err(|error| error.to_string())?;
        let field = |at: Option<usize>| at.and_then(|at| record.get(at)).unwrap_or_default();
        let Ok(id) = field(id).parse::<VideoId>() else {
            odd.push(row);
            continue;
        };
        let row = Row {
            id: id.clone(),
            title: field(title).to_owned(),
            date: read_date(field(date)),
            status: field(status).to_owned(),
        };
        // A video that was asked for again stands there again.
        rows.insert(id.as_str().to_owned(), row);
    }
    Ok((rows.into_values().collect(), odd))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rows_are_read_with_either_separator_and_the_last_of_a_video_counts() {
        let list = "\u{feff}ID,Data_Pub,Link,Titulo,Aba,Views,Local,Status,Data_Extracao\r\n\
                    aaaaaaaaaa1,05/03/2024,l,\"Um, dois\",Videos,1,,Falha Extração,x\r\n\
                    aaaaaaaaaa2,20240306,l,Três,Videos,1,,Sem Legenda,x\r\n\
                    nada,,,,,,,Sucesso,\r\n\
                    aaaaaaaaaa1,05/03/2024,l,\"Um, dois\",Videos,1,,Sucesso,x\r\n";
        let (rows, odd) = parse(list).unwrap();
        let told: Vec<_> = rows.iter().map(|row| (row.title.as_str(), row.is_taken(), row.date)).collect();
        let day = |day| Date::new(2024, 3, day);
        assert_eq!(told, [("Um, dois", true, day(5)), ("Três", false, day(6))]);
        assert_eq!(odd, [4]);
        let (rows, _) = parse("Status;ID\nSucesso;aaaaaaaaaa1\n").unwrap();
        assert!(rows[0].is_taken() && rows[0].date.is_none());
        assert!(parse("a,b\n1,2\n").is_err() && parse("").is_err());
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in "(ID,Status\n)?(\\PC|[\",;\n\r]){0,200}") {
            let _ = parse(&text);
        }
    }
}
