use proptest::prelude::*;

use super::*;

fn parse(query: &str) -> Result<AdvancedQuery, ParseError> {
    query.parse()
}

/// The clauses in a form that is short to compare with.
fn clauses(query: &str) -> Vec<(Occur, Target, Wanted)> {
    let query = parse(query).unwrap();
    query.clauses().iter().map(|clause| (clause.occur(), clause.target(), clause.wanted().clone())).collect()
}

fn word(text: &str) -> Wanted {
    Wanted::Word(text.to_owned())
}

fn phrase(text: &str) -> Wanted {
    Wanted::Phrase(text.to_owned())
}

#[test]
fn phrases_and_fields_are_required_and_words_wished_for() {
    use Occur::{Must, MustNot, Should};
    use Target::{Any, Tag, Title};
    assert_eq!(
        clauses("juros \"taxa básica\" Title:ata tag:\"banco central\" -câmbio -\"a b\" -TITLE:nota -tag:x"),
        [
            (Should, Any, word("juros")),
            (Must, Any, phrase("taxa básica")),
            (Must, Title, word("ata")),
            (Must, Tag, phrase("banco central")),
            (MustNot, Any, word("câmbio")),
            (MustNot, Any, phrase("a b")),
            (MustNot, Title, word("nota")),
            (MustNot, Tag, word("x")),
        ]
    );
}

#[test]
fn what_looks_like_syntax_inside_text_is_text() {
    for text in [
        "self-rag",
        "--release",
        "C++",
        ".NET",
        "https://a.org/b?c=d",
        "12:30",
        "C:\\dados",
        "std::fs",
        "@handle",
        "14.688/2023",
        "(juros",
        "info*",
        "+5",
        "R$",
        "autor:)x",
        "title",
        "and",
        "Or",
        "ANDAR",
        "NOT:",
        "nota:",
    ] {
        assert_eq!(clauses(text), [(Occur::Should, Target::Any, word(text))], "{text}");
    }
    assert_eq!(clauses("Pergunta: o quê?").len(), 3);
    assert_eq!(clauses("título é title:título:novo").len(), 3);
    // A name too long for a field's.
    assert_eq!(clauses(&format!("{}:x", "a".repeat(25))).len(), 1);
    assert!(clauses("- -- ... 🎉 * ( ) -! ").is_empty());
    assert!(clauses("").is_empty() && clauses(" \n\t\u{3000}").is_empty());
}

#[test]
fn quotes_of_both_kinds_and_escapes() {
    assert_eq!(clauses(r#""ele disse \"sim\" e foi""#)[0].2, phrase("ele disse \"sim\" e foi"));
    assert_eq!(clauses(r#""C:\dir\\""#)[0].2, phrase("C:\\dir\\"));
    assert_eq!(clauses("“marco civil” hoje"), clauses("\"marco civil\" hoje"));
    // A quote begins and ends a phrase wherever it stands, and a hyphen behind it excludes nothing.
    assert_eq!(clauses("\"self\"-rag"), clauses("\"self\" rag"));
    assert_eq!(
        clauses("um\"dois três\"quatro").iter().map(|c| c.2.clone()).collect::<Vec<_>>(),
        [word("um"), phrase("dois três"), word("quatro")]
    );
}

#[test]
fn each_mistake_has_its_error_its_place_and_its_remedy() {
    let at =
        |byte, char| QueryPlace { byte: tusab_chunk::ByteOffset(byte), char: tusab_chunk::CharOffset(char) };
    let unknown = ParseError::UnknownField { name: "autor".to_owned(), at: at(5, 3) };
    let many = "-a ".repeat(65) + "b";
    for (query, expected, remedy) in [
        ("é \"aberta", ParseError::UnclosedQuote { at: at(3, 2) }, "character 3"),
        (r#""\""#, ParseError::UnclosedQuote { at: at(0, 0) }, "closing"),
        ("a \"\" b", ParseError::EmptyPhrase { at: at(2, 2) }, "between the quotes"),
        ("-\"?!\" b", ParseError::EmptyPhrase { at: at(1, 1) }, "between the quotes"),
        ("a title: b", ParseError::EmptyField { field: Target::Title, at: at(2, 2) }, "title:word"),
        ("a -tag:", ParseError::EmptyField { field: Target::Tag, at: at(3, 3) }, "tag:word"),
        ("tag:\"\"", ParseError::EmptyField { field: Target::Tag, at: at(0, 0) }, "tag:\"two words\""),
        ("tag:?! a", ParseError::EmptyField { field: Target::Tag, at: at(0, 0) }, "without a space"),
        ("çé autor:machado", unknown, "title and tag"),
        ("a OR b", ParseError::Operator { operator: "OR", at: at(2, 2) }, "small letters"),
        ("NOT b", ParseError::Operator { operator: "NOT", at: at(0, 0) }, "put in quotes"),
        ("... -a -\"b c\"", ParseError::OnlyNegations { at: at(4, 4) }, "add a word"),
        (&many, ParseError::TooManyConditions { limit: 64, at: at(192, 192) }, "several searches"),
    ] {
        let error = parse(query).unwrap_err();
        assert_eq!(error, expected, "{query}");
        assert!(error.to_string().contains(remedy), "{error}");
    }
    assert!(parse(&("-a ".repeat(64) + "b")).is_ok());
    assert_eq!(clauses(&"palavra ".repeat(5000)).len(), 5000);
}

#[test]
fn hostile_queries_are_linear() {
    for unit in ["a", "\"", "\\", "-", "a:", "title:", "\"a\" ", "a ", "“", "é:\"", "-\"a", " ", "\\\""] {
        for lead in ["", "\"", "title:\"", "-"] {
            let _ = parse(&format!("{lead}{}", unit.repeat(250_000 / unit.len())));
        }
    }
}

/// Texts made of what the syntax is made of.
fn queries() -> impl Strategy<Value = String> {
    let units = vec![
        "\"", "“", "”", "\\", "-", ":", "title:", "tag:", "Title", "autor:", "NOT", "AND", "a", "é", "1",
        " ", " ", "\n", "\u{3000}", "/", "🎉", "\u{301}", "(", "*", "palavra", "\\\"", "--",
    ];
    let unit = prop_oneof![
        9 => prop::sample::select(units).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(unit, 0..24).prop_map(|units| units.concat())
}

/// Clauses as only the parser can make them: written in the syntax, one after the other.
fn well_formed() -> impl Strategy<Value = Vec<(bool, Target, Result<String, String>)>> {
    let target = prop::sample::select(vec![Target::Any, Target::Title, Target::Tag]);
    let text = prop_oneof!["[a-zé]{1,8}".prop_map(Ok), "[a-z][a-z \"”\\\\:-]{0,12}".prop_map(Err)];
    prop::collection::vec((any::<bool>(), target, text), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_is_a_query_or_an_error_with_a_place_in_it(query in queries()) {
        match parse(&query) {
            Ok(read) => {
                prop_assert_eq!(&parse(&read.to_string()), &Ok(read.clone()), "{}", read);
                let excluded = read.clauses().iter().filter(|clause| clause.occur() == Occur::MustNot).count();
                prop_assert!(read.is_empty() || excluded < read.clauses().len());
                let has_words = |clause: &Clause| clause.wanted().text().contains(char::is_alphanumeric);
                prop_assert!(read.clauses().iter().all(has_words));
            }
            Err(error) => {
                let QueryPlace { byte, char } = error.at();
                prop_assert!(byte.0 < query.len() && query.is_char_boundary(byte.0), "{:?}", error);
                prop_assert_eq!(query[..byte.0].chars().count(), char.0);
            }
        }
    }

    #[test]
    fn what_is_written_in_the_syntax_is_what_is_read(wanted in well_formed()) {
        let first = Clause { is_negated: false, target: Target::Any, wanted: word("x") };
        let mut query = AdvancedQuery { clauses: vec![first] };
        query.clauses.extend(wanted.into_iter().map(|(is_negated, target, text)| {
            let wanted = text.map_or_else(Wanted::Phrase, Wanted::Word);
            Clause { is_negated, target, wanted }
        }));
        prop_assert_eq!(parse(&query.to_string()), Ok(query));
    }
}
