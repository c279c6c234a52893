use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

use super::*;

/// The words of `text` that are among those of `query`, apart from case.
fn matches(text: &str, query: &str) -> Vec<Match> {
    let terms: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let words = text.unicode_word_indices();
    let found = words.filter_map(|(at, word)| {
        let term = terms.iter().position(|term| *term == word.to_lowercase())?;
        Some(Match { bytes: at..at + word.len(), term })
    });
    found.collect()
}

fn snippet(text: &str, query: &str, max: usize) -> Snippet {
    Snippet::new(text, matches(text, query), Chars(max))
}

/// The snippet with its matches in brackets and its cuts as dots.
fn shown(snippet: &Snippet) -> String {
    let mut shown = String::new();
    for part in snippet.parts() {
        match part {
            SnippetPart::Match(text) => shown.extend(["[", text, "]"]),
            SnippetPart::Plain(text) => shown.push_str(text),
        }
    }
    let dots = |is_cut| if is_cut { "..." } else { "" };
    format!("{}{shown}{}", dots(snippet.is_cut_at_start()), dots(snippet.is_cut_at_end()))
}

const PASSAGE: &str = "A reunião começou às nove. O comitê manteve a taxa de juros em 13,75% ao ano. A inflação \
    segue acima da meta, disse o presidente. Ninguém falou de câmbio durante a manhã. À tarde, o câmbio e os juros \
    foram tema de três diretores, que citaram a inflação de serviços.";

#[test]
fn the_window_with_the_most_distinct_words_wins() {
    assert_eq!(
        shown(&snippet(PASSAGE, "inflação câmbio juros", 95)),
        "...À tarde, o [câmbio] e os [juros] foram tema de três diretores, que citaram a [inflação] de serviços."
    );
    assert_eq!(
        shown(&snippet(PASSAGE, "câmbio", 66)),
        "...de [câmbio] durante a manhã. À tarde, o [câmbio] e os juros foram tema..."
    );
    // Two places of one word before one of it, and more distinct words before more places.
    let text = "um x x x x x x x dois um dois um x x x x x x um um um um";
    assert_eq!(shown(&snippet(text, "um dois", 13)), "...[dois um dois]...");
    assert_eq!(shown(&snippet(text, "um", 11)), "...[um um um um]");
    // A match too long for the room counts for nothing elsewhere.
    let text = "um dois y y y y y y y y y um um um";
    let mut found = matches(text, "um dois");
    found.push(Match { bytes: 8..25, term: 9 });
    assert_eq!(shown(&Snippet::new(text, found, Chars(8))), "[um dois]...");
}

#[test]
fn it_begins_at_a_sentence_that_is_near_else_at_a_word() {
    assert_eq!(
        shown(&snippet(PASSAGE, "juros", 60)),
        "...O comitê manteve a taxa de [juros] em 13,75% ao ano. A..."
    );
    assert_eq!(shown(&snippet(PASSAGE, "citaram", 40)), "...que [citaram] a inflação de serviços.");
    let long = format!("{}alvo {}", "antes ".repeat(50), "depois ".repeat(50));
    assert_eq!(shown(&snippet(&long, "alvo", 40)), "...antes antes [alvo] depois depois depois...");
    // Of two sentences the nearer; at the end of the passage what is free goes to the front.
    let sentences = format!("{}Um. Dois. O alvo {}", "antes ".repeat(50), "depois ".repeat(50));
    assert_eq!(shown(&snippet(&sentences, "alvo", 40)), "...O [alvo] depois depois depois depois...");
    let last = format!("{}alvo", "antes ".repeat(50));
    assert_eq!(shown(&snippet(&last, "alvo", 40)), "...antes antes antes antes antes antes [alvo]");
    assert_eq!(
        shown(&snippet(&format!("{last}. Fim."), "fim", 40)),
        "...antes antes antes antes antes alvo. [Fim]."
    );
    // Words with a hyphen stay whole.
    let hyphens = format!("{}alvo {}", "guarda-chuva ".repeat(50), "guarda-sol ".repeat(50));
    for max in 60..90 {
        let cut = snippet(&hyphens, "alvo", max);
        assert!(
            cut.text().split(' ').all(|word| ["alvo", "guarda-chuva", "guarda-sol"].contains(&word)),
            "{cut:?}"
        );
    }
    assert_eq!(shown(&snippet("Um dois\n\nalvo três quatro", "alvo", 10)), "...[alvo] três...");
}

#[test]
fn what_fits_is_shown_whole() {
    let whole = snippet("  A taxa de juros subiu.\n", "juros taxa", 240);
    assert_eq!(shown(&whole), "A [taxa] de [juros] subiu.");
    assert_eq!(whole.range(), ByteOffset(2)..ByteOffset(24));
    assert_eq!(shown(&snippet("", "juros", 240)), "");
    assert_eq!(shown(&snippet(" \n ", "juros", 240)), "");
    assert_eq!(shown(&snippet("juros", "juros", 0)), "...");
    assert_eq!(shown(&snippet("juros", "juros", 5)), "[juros]");
    assert_eq!(shown(&snippet("os juros altos", "juros", usize::MAX)), "os [juros] altos");
}

#[test]
fn without_a_match_it_is_the_beginning() {
    assert_eq!(shown(&snippet(PASSAGE, "", 30)), "A reunião começou às nove. O...");
    let indented = format!("{}Alvo e mais", " ".repeat(1000));
    assert_eq!(shown(&snippet(&indented, "", 6)), "Alvo e...");
}

#[test]
fn neighbours_are_one_highlight() {
    assert_eq!(
        shown(&snippet("a taxa  de\njuros, alta", "taxa de juros alta", 99)),
        "a [taxa  de\njuros], [alta]"
    );
    // Nested and overlapping: the whole `self-rag` and its parts.
    let nested = [(4..12, 0), (4..8, 1), (9..12, 2)].map(|(bytes, term)| Match { bytes, term });
    assert_eq!(shown(&Snippet::new("the self-rag way", nested.to_vec(), Chars(99))), "the [self-rag] way");
}

#[test]
fn scripts_without_spaces_are_cut_between_their_words() {
    let text = format!("{}目標information{}", "日本語".repeat(40), "中文".repeat(40));
    let at = text.find("目標").unwrap();
    let cut = Snippet::new(&text, vec![Match { bytes: at..at + 6, term: 0 }], Chars(20));
    assert_eq!(shown(&cut), "...本語日本語[目標]information中文...");
    // The room ends inside the Latin word.
    let mixed = "目標日本語information日本語日本語";
    assert_eq!(
        shown(&Snippet::new(mixed, vec![Match { bytes: 0..6, term: 0 }], Chars(10))),
        "[目標]日本語..."
    );
    let arabic = "ذهبت إلى السوق اليوم. اشتريت الخبز والحليب. ثم عدت إلى البيت مساء";
    assert_eq!(shown(&snippet(arabic, "والحليب", 36)), "...اشتريت الخبز [والحليب]. ثم عدت إلى...");
}

#[test]
fn a_highlight_holds_whole_clusters() {
    // The word ends before the mark that belongs to its last letter.
    let found = vec![Match { bytes: 2..3, term: 0 }];
    assert_eq!(shown(&Snippet::new("a e\u{301} b", found, Chars(9))), "a [e\u{301}] b");
    // So does the text: a space that carries a mark, or is held by one before it, stays.
    for text in [" \u{301} a", "a \u{600} "] {
        assert_eq!(Snippet::new(text, vec![], Chars(9)).text(), text);
    }
}

/// The edges of a text's grapheme clusters, as the whole text gives them.
struct Edges(Vec<usize>);

impl Edges {
    fn of(text: &str) -> Self {
        Self(text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect())
    }

    fn is_edge(&self, at: ByteOffset) -> bool {
        self.0.binary_search(&at.0).is_ok()
    }
}

/// What holds of every snippet.
fn check(text: &str, edges: &Edges, snippet: &Snippet, max: usize) {
    let range = snippet.range();
    assert_eq!(&text[range.start.0..range.end.0], snippet.text());
    assert!(snippet.text().chars().count() <= max);
    assert!(edges.is_edge(range.start) && edges.is_edge(range.end), "{range:?}");
    let mut last = None;
    for highlight in snippet.highlights() {
        assert!(highlight.start < highlight.end && highlight.end.0 <= snippet.text().len());
        for at in [highlight.start, highlight.end] {
            assert!(edges.is_edge(ByteOffset(range.start.0 + at.0)), "{highlight:?}");
        }
        if let Some(last) = last {
            assert!(!snippet.text()[last..highlight.start.0].trim().is_empty());
        }
        last = Some(highlight.end.0);
    }
    assert_eq!(snippet.parts().iter().map(|part| part.text()).collect::<String>(), snippet.text());
    assert_eq!(snippet.is_cut_at_start(), !text[..range.start.0].trim().is_empty());
    assert_eq!(snippet.is_cut_at_end(), !text[range.end.0..].trim().is_empty());
}

#[test]
fn hostile_passages_of_a_megabyte_are_linear() {
    for unit in [
        "a",
        "\u{301}",
        "👩\u{200d}",
        "🇧",
        "क\u{94d}",
        "\u{600} ",
        " ",
        ".",
        ") ",
        "\n",
        "\r\n",
        "א",
        "a\u{301}. ",
    ] {
        let text = format!("x alvo {} alvo y", unit.repeat(1_000_000 / unit.len()));
        let edges = Edges::of(&text);
        let at = text.len() - 6;
        let all = Match { bytes: 0..text.len(), term: 7 };
        let first = Match { bytes: 2..6, term: 0 };
        let last = Match { bytes: at..at + 4, term: 0 };
        for found in
            [vec![], vec![last.clone()], vec![first.clone(), last], vec![all.clone()], vec![all, first]]
        {
            check(&text, &edges, &Snippet::new(&text, found, Chars(240)), 240);
        }
        let middle = text.floor_char_boundary(500_000);
        let end = text.ceil_char_boundary(middle + 1);
        check(
            &text,
            &edges,
            &Snippet::new(&text, vec![Match { bytes: middle..end, term: 0 }], Chars(240)),
            240,
        );
        let each: Vec<Match> = text
            .char_indices()
            .take(100_000)
            .map(|(at, c)| Match { bytes: at..at + c.len_utf8(), term: at % 5 })
            .collect();
        check(&text, &edges, &Snippet::new(&text, each, Chars(240)), 240);
    }
}

/// Letters, spaces, marks, joiners, flags, stops: what edges are made of.
fn tricky() -> impl Strategy<Value = String> {
    let unit = prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "ção", "alvo", "can't", "日本", "א"]).prop_map(str::to_owned),
        4 => prop::sample::select(vec![" ", "  ", "\n", "\r\n", ". ", "! ", "\n\n", ", "]).prop_map(str::to_owned),
        2 => prop::sample::select(vec!["\u{301}", "\u{200d}", "👩", "🇧", "🇷", "\u{94d}", "क", "\u{600}", "\u{e33}"])
            .prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(unit, 0..60).prop_map(|units| units.concat())
}

proptest! {
    #[test]
    fn every_snippet_keeps_its_promises(
        text in tricky(),
        ranges in prop::collection::vec((0..200usize, 0..20usize, 0..4usize), 0..12),
        max in 0..80usize,
    ) {
        let found = ranges.into_iter().map(|(at, length, term)| Match { bytes: at..at + length, term }).collect();
        check(&text, &Edges::of(&text), &Snippet::new(&text, found, Chars(max)), max);
    }

    #[test]
    fn no_window_of_words_covers_more(
        words in prop::collection::vec(prop::sample::select(vec!["um", "dois", "três", "x", "yy", "fim."]), 1..60),
        max in 5..60usize,
    ) {
        let text = words.join(" ");
        let found = matches(&text, "um dois três");
        let score = |from: usize, to: usize| {
            let inside: Vec<usize> = found
                .iter()
                .filter(|word| from <= word.bytes.start && word.bytes.end <= to)
                .map(|word| word.term)
                .collect();
            (inside.iter().collect::<std::collections::HashSet<_>>().len(), inside.len())
        };
        let cut = Snippet::new(&text, found.clone(), Chars(max));
        let best = found.iter().map(|word| score(word.bytes.start, edge::forth(&text, word.bytes.start, max))).max();
        let (distinct, total) = score(cut.range().start.0, cut.range().end.0);
        let (most_distinct, most) = best.unwrap_or_default();
        prop_assert_eq!(distinct, most_distinct);
        prop_assert!(total >= most, "{} < {}: {}", total, most, shown(&cut));
    }
}
