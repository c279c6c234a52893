//! From text to clauses, in one pass.

use tusab_chunk::{ByteOffset, CharOffset};

use super::{AdvancedQuery, Clause, Occur, ParseError, QueryPlace, Target, Wanted};

const QUOTES: [char; 3] = ['"', '“', '”'];

/// Characters of the names that are taken for a field's: longer ones, and single letters as in `C:`, are text.
const FIELD_NAME: std::ops::RangeInclusive<usize> = 2..=24;

/// True for what needs a backslash inside a phrase; before anything else a backslash is itself.
pub(super) fn is_escaped(c: char) -> bool {
    c == '\\' || QUOTES.contains(&c)
}

pub(super) fn clauses(query: &str) -> Result<Vec<Clause>, ParseError> {
    let mut parser = Parser { query, at: 0 };
    let mut clauses: Vec<Clause> = Vec::new();
    let mut first_negation = None;
    let mut conditions = 0;
    loop {
        parser.skip_space();
        let start = parser.at;
        if parser.rest().is_empty() {
            break;
        }
        let Some(clause) = parser.clause()? else { continue };
        match clause.occur() {
            Occur::Should => {}
            Occur::Must => conditions += 1,
            Occur::MustNot => {
                conditions += 1;
                first_negation.get_or_insert(start);
            }
        }
        if conditions > AdvancedQuery::MAX_CONDITIONS {
            let limit = AdvancedQuery::MAX_CONDITIONS;
            return Err(ParseError::TooManyConditions { limit, at: parser.place(start) });
        }
        clauses.push(clause);
    }
    match first_negation {
        Some(start) if clauses.iter().all(|clause| clause.occur() == Occur::MustNot) => {
            Err(ParseError::OnlyNegations { at: parser.place(start) })
        }
        _ => Ok(clauses),
    }
}

struct Parser<'q> {
    query: &'q str,
    /// Bytes read.
    at: usize,
}

impl<'q> Parser<'q> {
    fn rest(&self) -> &'q str {
        self.query.get(self.at..).unwrap_or_default()
    }

    fn place(&self, byte: usize) -> QueryPlace {
        let chars = self.query.get(..byte).unwrap_or_default().chars().count();
        QueryPlace { byte: ByteOffset(byte), char: CharOffset(chars) }
    }

    fn skip_space(&mut self) {
        self.at = self.query.len() - self.rest().trim_start().len();
    }

    /// The clause that begins here; none for mere punctuation.
    fn clause(&mut self) -> Result<Option<Clause>, ParseError> {
        let is_negated = self.negation();
        let start = self.at;
        let target = self.field()?;
        let is_field = target != Target::Any;
        let wanted = if self.rest().starts_with(QUOTES) {
            let phrase = self.phrase()?;
            if !has_words(&phrase) && !is_field {
                return Err(ParseError::EmptyPhrase { at: self.place(start) });
            }
            Wanted::Phrase(phrase)
        } else {
            let word = self.word();
            let operator = ["AND", "OR", "NOT"].into_iter().find(|operator| *operator == word);
            if let Some(operator) = operator.filter(|_| !is_field && !is_negated) {
                return Err(ParseError::Operator { operator, at: self.place(start) });
            }
            Wanted::Word(word.to_owned())
        };
        if !has_words(wanted.text()) {
            return if is_field {
                Err(ParseError::EmptyField { field: target, at: self.place(start) })
            } else {
                Ok(None)
            };
        }
        Ok(Some(Clause { is_negated, target, wanted }))
    }

    /// A single `-` right before what it excludes.
    fn negation(&mut self) -> bool {
        let is_negation = self
            .rest()
            .strip_prefix('-')
            .and_then(|rest| rest.chars().next())
            .is_some_and(|c| c != '-' && !c.is_whitespace());
        if is_negation {
            self.at += 1;
        }
        is_negation
    }

    /// The field whose name and colon stand here.
    fn field(&mut self) -> Result<Target, ParseError> {
        let rest = self.rest();
        let mut letters =
            rest.char_indices().take(FIELD_NAME.end() + 1).skip_while(|(_, c)| c.is_alphabetic());
        let Some((end, ':')) = letters.next() else { return Ok(Target::Any) };
        let (Some(name), Some(value)) = (rest.get(..end), rest.get(end + 1..)) else {
            return Ok(Target::Any);
        };
        if let Some((_, target)) = Target::FIELDS.iter().find(|(field, _)| field.eq_ignore_ascii_case(name)) {
            self.at += end + 1;
            return Ok(*target);
        }
        // `https://`, `std::` and a colon before a space are text.
        let has_value = value.starts_with(|c: char| c.is_alphanumeric() || QUOTES.contains(&c));
        if has_value && FIELD_NAME.contains(&name.chars().count()) {
            return Err(ParseError::UnknownField { name: name.to_owned(), at: self.place(self.at) });
        }
        Ok(Target::Any)
    }

    /// What stands between the quote here and the next that has no backslash.
    fn phrase(&mut self) -> Result<String, ParseError> {
        let mut phrase = String::new();
        let mut chars = self.rest().char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => {
                    let escaped = chars.next_if(|(_, c)| is_escaped(*c));
                    phrase.push(escaped.map_or('\\', |(_, c)| c));
                }
                c if QUOTES.contains(&c) => {
                    // A hyphen right behind excludes nothing: `"self"-rag`.
                    let behind = self.rest().get(at + c.len_utf8()..).unwrap_or_default();
                    self.at = self.query.len() - behind.trim_start_matches('-').len();
                    return Ok(phrase);
                }
                c => phrase.push(c),
            }
        }
        Err(ParseError::UnclosedQuote { at: self.place(self.at) })
    }

    /// What stands here up to a space or a quote.
    fn word(&mut self) -> &'q str {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || QUOTES.contains(&c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }
}

fn has_words(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}
