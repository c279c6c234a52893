//! Rolling captions: every word once, at its own time; nothing else ever taken for a repetition.

use proptest::prelude::*;
use tusab_ingest::{CaptionOptions, Notes, Parsed, Problem, TrackKind, parse_webvtt};

use crate::{read, texts};

/// A line of speech and the times of its words; whether the screen was empty before it.
#[derive(Debug, Clone)]
struct Spoken {
    words: Vec<(String, u64)>,
    end: u64,
    after_pause: bool,
}

/// The three ways in which files are found: as YouTube writes them, and as other programs leave them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    YouTube,
    /// With the colours that YouTube wrote until about 2019.
    Coloured,
    /// Without word times.
    Untimed,
}

fn time(ms: u64) -> String {
    format!("{:02}:{:02}:{:02}.{:03}", ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000)
}

/// Writes speech in YouTube's shape: each line under the one before, then alone in a bridge of 10 ms.
fn roll(lines: &[Spoken], style: Style) -> String {
    let mut blocks = vec![String::from("WEBVTT\nKind: captions\nLanguage: pt\n\n")];
    let mut above = String::from(" ");
    for (number, line) in lines.iter().enumerate() {
        let escaped =
            line.words.iter().map(|(word, at)| (word.replace('&', "&amp;").replace('>', "&gt;"), time(*at)));
        let words = escaped.enumerate().map(|(number, (word, at))| match (number, style) {
            (0, _) => word,
            (_, Style::YouTube) => format!("<{at}><c> {word}</c>"),
            (_, Style::Coloured) => format!("<c.colorCCCCCC><{at}><c> {word}</c></c>"),
            (_, Style::Untimed) => format!(" {word}"),
        });
        let new: String = words.collect();
        let plain = line.text().replace('&', "&amp;").replace('>', "&gt;");
        let top = if line.after_pause { " " } else { &above };
        let clears = lines.get(number + 1).is_some_and(|next| next.after_pause);
        let bridge = match (clears, style) {
            (true, _) => String::from(" \n "),
            (false, Style::Coloured) => format!("<c.colorE5E5E5>{plain}\n </c>"),
            (false, _) => format!("{plain}\n "),
        };
        let (start, end, next) = (time(line.words[0].1), time(line.end), time(line.end + 10));
        blocks.push(format!("{start} --> {end} align:start position:0%\n{top}\n{new}\n\n"));
        blocks.push(format!("{end} --> {next} align:start position:0%\n{bridge}\n\n"));
        above = plain;
    }
    blocks.concat()
}

impl Spoken {
    fn text(&self) -> String {
        self.words.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(" ")
    }
}

fn speech() -> impl Strategy<Value = Vec<Spoken>> {
    // Few words, so that words, lines and ends of lines repeat all the time.
    let word = prop::sample::select(vec![
        "sim",
        "não",
        "e",
        "aí",
        "2024",
        "essa",
        "[risadas]",
        "&",
        "10%",
        "é",
        ">>",
    ]);
    let line = (prop::collection::vec((word, 1_u64..900), 1..5), any::<bool>(), 0..4_u8);
    prop::collection::vec(line, 3..40).prop_map(|lines| {
        let mut now = 0;
        let mut spoken: Vec<Spoken> = Vec::new();
        for (number, (words, repeats, pause)) in lines.into_iter().enumerate() {
            let said: Vec<String> = match spoken.last() {
                Some(last) if repeats && number % 3 == 0 => {
                    last.words.iter().map(|(word, _)| word.clone()).collect()
                }
                _ => words.iter().map(|(word, _)| (*word).to_owned()).collect(),
            };
            let mut timed = Vec::new();
            for (word, lasts) in
                said.into_iter().zip(words.iter().map(|(_, lasts)| *lasts).chain(std::iter::repeat(50)))
            {
                timed.push((word, now));
                now += lasts;
            }
            now += 21;
            spoken.push(Spoken { words: timed, end: now, after_pause: number == 0 || pause == 0 });
            now += 10;
        }
        spoken
    })
}

fn words(parsed: &Parsed<tusab_ingest::Captions>) -> Vec<(String, u64)> {
    let words = parsed.value.cues.iter().flat_map(|cue| cue.words().map(|word| (word, cue.span().start())));
    words.map(|(word, start)| (word.text.to_owned(), word.start.unwrap_or(start).as_millis())).collect()
}

proptest! {
    #[test]
    fn every_word_comes_back_once_at_its_own_time(lines in speech(), coloured: bool) {
        let text = roll(&lines, if coloured { Style::Coloured } else { Style::YouTube });
        let options = CaptionOptions::default().with_notes(Notes::Kept);
        let parsed = parse_webvtt(&text, &options).unwrap();
        prop_assert!(parsed.value.rolling);
        prop_assert_eq!(parsed.value.kind, TrackKind::Automatic);
        prop_assert_eq!(&parsed.warnings, &[]);
        let said: Vec<_> = lines.iter().flat_map(|line| line.words.clone()).collect();
        prop_assert_eq!(words(&parsed), said, "{}", text);
    }

    #[test]
    fn without_notes_the_other_words_stay(lines in speech()) {
        let parsed = read(&roll(&lines, Style::YouTube));
        let is_note = |word: &str| word == "[risadas]" || word == ">>";
        let all: Vec<_> = lines.iter().flat_map(|line| line.words.clone()).collect();
        let (notes, said): (Vec<_>, Vec<_>) = all.into_iter().partition(|(word, _)| is_note(word));
        prop_assert_eq!(words(&parsed), said);
        let apart = parsed.value.notes.iter().map(|note| (note.text.clone(), note.at.as_millis()));
        prop_assert_eq!(apart.collect::<Vec<_>>(), notes);
    }

    #[test]
    fn without_word_times_every_line_comes_back_once(lines in speech()) {
        let parsed = parse_webvtt(&roll(&lines, Style::Untimed), &CaptionOptions::default().with_notes(Notes::Kept)).unwrap();
        let said: Vec<String> =
            lines.iter().map(|line| line.words.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(" ")).collect();
        prop_assert!(parsed.value.rolling);
        prop_assert_eq!(texts(&parsed.value), said);
    }

    #[test]
    fn cut_anywhere_no_word_is_said_twice(lines in speech(), at in 0.2..1.0_f64) {
        let whole = roll(&lines, Style::YouTube);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let cut = whole.floor_char_boundary((whole.len() as f64 * at) as usize);
        let options = CaptionOptions::default().with_notes(Notes::Kept);
        let Ok(parsed) = parse_webvtt(&whole[..cut], &options) else { return Ok(()) };
        // Of too little it cannot be told that it rolls.
        prop_assume!(parsed.value.rolling);
        let said: Vec<String> = lines.iter().flat_map(|line| line.words.iter().map(|(word, _)| word.clone())).collect();
        let mut kept: Vec<String> = words(&parsed).into_iter().map(|(word, _)| word).collect();
        let last = kept.pop().unwrap_or_default();
        prop_assert!(said.starts_with(&kept), "{kept:?} of {said:?}\n{}", &whole[..cut]);
        prop_assert!(said[kept.len()..].first().is_some_and(|word| word.starts_with(last.trim_end_matches(['&', 'a', 'm', 'p', 'g', 't', ';']))),
            "{last:?} after {kept:?}\n{}", &whole[..cut]);
        if !whole[..cut].ends_with('\n') {
            prop_assert!(parsed.warnings.iter().any(|warning| warning.problem == Problem::CutCue), "{}", &whole[..cut]);
        }
    }
}

fn line(start: u64, end: u64, after_pause: bool, words: &[&str]) -> Spoken {
    let words = words.iter().zip(0..).map(|(word, n)| ((*word).to_owned(), start + n * 100)).collect();
    Spoken { words, end, after_pause }
}

#[test]
fn a_line_spoken_twice_stands_twice() {
    let lines = [
        line(0, 900, true, &["sim,", "sim"]),
        line(910, 1500, false, &["sim,", "sim"]),
        line(1510, 1900, false, &["sim"]),
        line(1910, 2500, false, &["sim"]),
        line(2510, 2900, true, &["sim"]),
        line(2910, 3900, false, &["e", "sim"]),
    ];
    for style in [Style::YouTube, Style::Coloured, Style::Untimed] {
        let parsed = read(&roll(&lines, style));
        assert_eq!(texts(&parsed.value), ["sim, sim", "sim, sim", "sim", "sim", "sim", "e sim"], "{style:?}");
    }
}

#[test]
fn files_from_which_other_programs_took_the_spaces_or_the_bridges() {
    let different = [
        line(0, 900, true, &["um", "dois", "três"]),
        line(910, 1500, false, &["quatro", "cinco"]),
        line(1510, 1900, false, &["seis"]),
        line(1910, 2500, false, &["sete", "oito"]),
        line(2510, 2900, true, &["nove", "dez"]),
        line(2910, 3900, false, &["onze", "doze"]),
        line(3910, 4900, true, &["doze", "treze"]),
    ];
    let equal = [
        line(0, 900, true, &["sim"]),
        line(910, 1500, false, &["sim"]),
        line(1510, 1900, false, &["sim"]),
        line(1910, 2300, false, &["sim"]),
        line(2310, 2500, true, &["sim"]),
        line(2510, 2900, false, &["um", "dois", "três"]),
        line(2910, 3200, true, &["um", "dois", "três"]),
        line(3210, 3900, false, &["um", "dois", "três"]),
        line(3910, 4300, false, &["fim"]),
        line(4310, 4500, true, &["fim"]),
        line(4510, 4900, true, &["fim"]),
    ];
    for style in [Style::YouTube, Style::Coloured, Style::Untimed] {
        for lines in [different.as_slice(), &equal] {
            let whole = roll(lines, style);
            let no_spaces = whole.replace("\n \n", "\n").replace("\n </c>", "</c>").replace(" \n", "");
            let no_bridges: String = whole
                .split_inclusive("\n\n")
                .filter(|block| !lines.iter().any(|line| block.starts_with(&time(line.end))))
                .collect();
            let said: Vec<_> = lines.iter().map(Spoken::text).collect();
            let neither = no_bridges.replace("\n \n", "\n");
            for text in [no_spaces, no_bridges, neither] {
                let parsed = read(&text);
                // Without word times and bridges, only lines that differ show that a file rolls.
                if parsed.value.rolling || style != Style::Untimed || lines.len() == different.len() {
                    assert_eq!(texts(&parsed.value), said, "{style:?}\n{text}");
                }
            }
        }
    }
}

#[test]
fn an_editor_that_trims_lines_costs_no_word_and_no_time() {
    let lines = [
        line(0, 900, true, &["um", "dois", "três"]),
        line(910, 1500, false, &["quatro", "cinco"]),
        line(1510, 2500, true, &["seis", "sete"]),
        line(2510, 2900, false, &["oito"]),
    ];
    let parsed = read(&roll(&lines, Style::YouTube).replace(" \n", "\n"));
    let said: Vec<_> = lines.iter().flat_map(|line| line.words.clone()).collect();
    assert_eq!(words(&parsed), said);
    // Where the line of spaces was, a blank line now parts a cue's times from its text.
    let problems: Vec<_> = parsed.warnings.into_iter().map(|warning| warning.problem).collect();
    assert_eq!(problems, [Problem::TextAfterCue, Problem::TextAfterCue]);
}

fn cues(cues: &[(u64, u64, &str)]) -> String {
    let blocks =
        cues.iter().map(|(start, end, text)| format!("{} --> {}\n{text}\n\n", time(*start), time(*end)));
    format!("WEBVTT\n\n{}", blocks.collect::<String>())
}

#[test]
fn screens_of_three_lines_and_screens_that_only_stay() {
    let three = cues(&[
        (0, 1000, "a"),
        (1000, 2000, "a\nb"),
        (2000, 3000, "a\nb\nb"),
        (3000, 4000, "b\nb\nc"),
        (4000, 5000, "b\nc\nd"),
        (5000, 6000, "b\nc\nd"),
        (6000, 7000, "c\nd\ne"),
    ]);
    let parsed = read(&three);
    assert!(parsed.value.rolling);
    assert_eq!(texts(&parsed.value), ["a", "b", "b", "c", "d", "e"]);
    let after_a_blank_line_all_is_new = cues(&[
        (0, 1000, "a"),
        (1000, 2000, "a\num dois três"),
        (2000, 3000, " \num dois três quatro"),
        (3000, 4000, "um dois três quatro\nb"),
        (4000, 5000, "b\nc"),
    ]);
    let parsed = read(&after_a_blank_line_all_is_new);
    assert_eq!(texts(&parsed.value), ["a", "um dois três", "um dois três quatro", "b", "c"]);
    let stays = cues(&[
        (0, 1000, "um<00:00:00.500><c> dois</c>"),
        (1000, 1500, "um dois"),
        (1500, 2000, "um dois\ntrês<00:00:01.700><c> quatro</c>"),
        (2000, 2500, "três quatro"),
        (2500, 3000, "três quatro\ncinco"),
    ]);
    let parsed = read(&stays);
    assert!(parsed.value.rolling);
    assert_eq!(texts(&parsed.value), ["um dois", "três quatro", "cinco"]);
}

#[test]
fn lines_that_grow_or_are_broken_anew_are_collapsed_by_their_words() {
    let growing = cues(&[
        (0, 500, "bom"),
        (500, 510, "bom"),
        (510, 900, "bom dia a"),
        (900, 910, "bom dia a"),
        (910, 1500, "bom dia a todos"),
        (1500, 1510, "bom dia a todos"),
    ]);
    let parsed = read(&growing);
    assert!(parsed.value.rolling);
    assert_eq!(texts(&parsed.value), ["bom", "dia a", "todos"]);

    let without_bridges = cues(&[
        (0, 500, "bom"),
        (500, 900, "bom dia"),
        (900, 1500, "bom dia a"),
        (1500, 2000, "bom dia a todos"),
    ]);
    let parsed = read(&without_bridges);
    assert!(parsed.value.rolling);
    assert_eq!(texts(&parsed.value), ["bom", "dia", "a", "todos"]);

    let rebroken = cues(&[
        (0, 1000, "a b c d\ne f"),
        (1000, 2000, "e f\ng h i"),
        (2000, 3000, "g h i\nj k l m"),
        (3000, 4000, "i j k l m\nn o"),
        (4000, 5000, "n o\np q"),
    ]);
    let parsed = read(&rebroken);
    assert!(parsed.value.rolling);
    assert_eq!(texts(&parsed.value).join(" "), "a b c d e f g h i j k l m n o p q");
}

#[test]
fn captions_made_by_people_are_left_as_they_are() {
    let la = |n: u64| format!("la <{}>la <{}>la", time(n * 1000 + 300), time(n * 1000 + 600));
    for cues in [
        vec![String::from("Na na na na\nNa na na na"); 8],
        vec![String::from("Não."); 8],
        ["A\nB", "C\nB", "B\nD", "E", "E\nF", "G\nH"].map(String::from).to_vec(),
        (0..6).map(la).collect(),
    ] {
        let blocks = cues.iter().zip(0..).map(|(text, second): (_, u64)| {
            format!("{} --> {}\n{text}\n\n", time(second * 1000), time(second * 1000 + 1000))
        });
        let parsed = read(&format!("WEBVTT\n\n{}", blocks.collect::<String>()));
        assert!(!parsed.value.rolling, "{cues:?}");
        let without_times =
            |text: &String| text.split('<').map(|part| part.rsplit('>').next().unwrap()).collect();
        let said: Vec<String> = cues.iter().map(without_times).collect();
        assert_eq!(texts(&parsed.value), said);
    }
    let rolling = roll(
        &[line(0, 900, true, &["um", "dois"]), line(910, 1500, false, &["três", "[risadas]"])],
        Style::YouTube,
    );
    let manual = CaptionOptions::default().with_kind(TrackKind::Manual);
    let parsed = parse_webvtt(&rolling, &manual).unwrap().value;
    assert!(!parsed.rolling && parsed.notes.is_empty());
    assert_eq!(parsed.cues.len(), 4);
    assert_eq!(parse_webvtt(&rolling, &CaptionOptions::default()).unwrap().value.cues.len(), 2);
}
