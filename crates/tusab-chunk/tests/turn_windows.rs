//! What must hold of windows of turns for every conversation.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking, helpers of tests too"
)]

mod common;

use common::{config, doc, text};
use proptest::prelude::*;
use tusab_chunk::{
    Body, Chars, Chunk, Chunker, Date, DateTime, DateTimeSpan, Document, MediaTime, Position, TimeSpan, Turn,
    TurnSpan, TurnWindows, When, Windows,
};
use unicode_segmentation::UnicodeSegmentation;

fn at(minute: u8) -> DateTime {
    DateTime::new(Date::new(2024, 3, 12).unwrap(), 14, minute, 0).unwrap()
}

/// A dated message.
fn said(who: &str, minute: u8, text: &str) -> Turn {
    Turn::new(text).with_speaker(Some(who.to_owned())).with_when(Some(When::Local(at(minute))))
}

fn windows(size: usize, overlap: usize) -> TurnWindows {
    TurnWindows::new(Chars(size), overlap).unwrap()
}

fn texts(chunks: &[Chunk]) -> Vec<&str> {
    chunks.iter().map(Chunk::original_text).collect()
}

/// Turns whose texts are their numbers between marks, of any length.
fn numbered_turns() -> impl Strategy<Value = Vec<Turn>> {
    let turn = (prop_oneof![8 => 0..60_usize, 1 => 60..400_usize], 0..4_usize, 0..60_u8);
    proptest::collection::vec(turn, 0..60).prop_map(|turns| {
        turns
            .into_iter()
            .enumerate()
            .map(|(number, (length, who, minute))| {
                let text = format!("<{number}> {}", "fala ".repeat(length / 5));
                match ["", "Ana", "Bruno"].get(who) {
                    Some(who) => said(who, minute, &text),
                    None => Turn::new(text),
                }
            })
            .collect()
    })
}

fn number(turn: usize) -> u32 {
    u32::try_from(turn).unwrap()
}

/// The numbers of the turns in a chunk.
fn turns_in(chunk: &Chunk) -> Vec<usize> {
    let number = |part: &str| part.split_once('>').and_then(|(number, _)| number.parse().ok());
    chunk.original_text().split('<').filter_map(number).collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn whole_turns_in_order_with_one_repeated(turns in numbered_turns(), size in 80..500_usize) {
        let chunks = windows(size, 1).chunks(&doc(), &turns);
        let mut next = 0;
        for pair in chunks.windows(2) {
            let (before, after) = (turns_in(&pair[0]), turns_in(&pair[1]));
            // A turn that was cut has its number in its first piece only.
            if pair[0].part().is_some() || pair[1].part().is_some() {
                continue;
            }
            let shared = before.iter().filter(|turn| after.contains(turn)).count();
            let own = after.iter().find(|turn| !before.contains(turn)).expect("each chunk adds a turn");
            let line = |turn: usize| {
                let turn = &turns[turn];
                let prefix = turn.speaker.as_deref().filter(|who| !who.is_empty()).map_or(0, |who| who.len() + 2);
                prefix + turn.text.trim().chars().count()
            };
            let last = *before.last().unwrap();
            let fits = line(last) + 1 + line(*own) <= size && before.len() > 1;
            prop_assert_eq!(shared, usize::from(fits), "{:?} {:?}", &before, &after);
        }
        for chunk in &chunks {
            prop_assert!(chunk.original_text().chars().count() <= size);
            for turn in turns_in(chunk) {
                prop_assert!(turn <= next, "turn {next} is lost");
                next = next.max(turn + 1);
            }
            if chunk.part().is_none() {
                for turn in turns_in(chunk) {
                    prop_assert!(chunk.original_text().contains(turns[turn].text.trim()), "a turn was cut");
                }
            }
        }
        prop_assert_eq!(next, turns.len(), "the last turns are lost");
    }

    #[test]
    fn who_and_when_are_those_of_the_turns(turns in numbered_turns(), overlap in 0..4_usize) {
        for chunk in windows(200, overlap).chunks(&doc(), &turns) {
            if chunk.part().is_some() {
                continue;
            }
            let inside: Vec<&Turn> = turns_in(&chunk).iter().map(|turn| &turns[*turn]).collect();
            let mut names: Vec<&str> = Vec::new();
            for name in inside.iter().filter_map(|turn| turn.speaker.as_deref()).filter(|name| !name.is_empty()) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            prop_assert_eq!(chunk.speakers(), names);
            let times: Vec<DateTime> = inside
                .iter()
                .filter_map(|turn| if let Some(When::Local(time)) = turn.when { Some(time) } else { None })
                .collect();
            let (first, last) = (turns_in(&chunk)[0], *turns_in(&chunk).last().unwrap());
            let expected = match (times.iter().min(), times.iter().max()) {
                (Some(first), Some(last)) => Position::Local(DateTimeSpan::between(*first, *last)),
                _ => Position::Turns(TurnSpan::between(number(first), number(last))),
            };
            prop_assert_eq!(chunk.position(), expected);
        }
    }

    #[test]
    fn hostile_messages_lose_nothing(
        messages in proptest::collection::vec(text(), 0..8), size in 1..120_usize, overlap in 0..3_usize,
    ) {
        let turns: Vec<Turn> =
            messages.iter().map(|text| Turn::new(text.as_str()).with_speaker(Some("Zé".into()))).collect();
        let chunks = windows(size, overlap).chunks(&doc(), &turns);
        prop_assert_eq!(&chunks, &windows(size, overlap).chunks(&doc(), &turns));
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<Vec<_>>();
        let all: Vec<char> = chunks.iter().flat_map(|chunk| letters(chunk.original_text())).collect();
        // What was written, in order, is somewhere in what the chunks hold, in order.
        let mut found = all.iter();
        for c in messages.iter().flat_map(|text| letters(text)) {
            prop_assert!(found.any(|other| *other == c), "{c:?} is lost");
        }
        for chunk in &chunks {
            let text = chunk.original_text();
            prop_assert!(text.chars().count() <= size || text.graphemes(true).count() == 1, "{text:?}");
        }
    }
}

#[test]
fn an_answer_stands_beside_its_question() {
    let turns = [
        said("Ana", 1, &"a".repeat(20)),
        said("Bruno", 2, "qual é a senha?"),
        said("Ana", 3, &"c".repeat(20)),
        said("Bruno", 4, "d"),
    ];
    let chunks = windows(50, 1).chunks(&doc(), &turns);
    let (a, c) = ("a".repeat(20), "c".repeat(20));
    assert_eq!(
        texts(&chunks),
        [
            format!("Ana: {a}\nBruno: qual é a senha?"),
            format!("Bruno: qual é a senha?\nAna: {c}"),
            format!("Ana: {c}\nBruno: d")
        ]
    );
    assert_eq!(chunks[1].speakers(), ["Bruno", "Ana"]);
    assert_eq!(chunks[1].position(), Position::Local(DateTimeSpan::between(at(2), at(3))));
    assert_eq!(windows(50, 0).chunks(&doc(), &turns).len(), 2);
}

#[test]
fn a_long_turn_becomes_parts_that_name_the_speaker_and_share_its_time() {
    let turns = [
        said("Ana", 1, "antes"),
        said("Bruno", 2, &"Uma frase dita. ".repeat(200)),
        said("Ana", 3, "depois"),
    ];
    let chunks = TurnWindows::default().chunks(&doc(), &turns);
    assert_eq!(texts(&chunks)[0], "Ana: antes");
    assert_eq!(*texts(&chunks).last().unwrap(), "Ana: depois");
    let parts = &chunks[1..chunks.len() - 1];
    assert!(parts.len() >= 3);
    for (part, number) in parts.iter().zip(1..) {
        let of = part.part().unwrap();
        assert_eq!((of.number.get(), of.of.get() as usize), (number, parts.len()));
        assert!(part.original_text().starts_with("Bruno: "));
        assert!(part.original_text().chars().count() <= 1200);
        assert_eq!(part.position(), Position::Local(DateTimeSpan::between(at(2), at(2))));
        assert_eq!(part.speakers(), ["Bruno"]);
    }
}

#[test]
fn a_meeting_is_placed_on_its_recording() {
    let media =
        |from, to| When::Media(TimeSpan::between(MediaTime::from_seconds(from), MediaTime::from_seconds(to)));
    let turns = [
        Turn::new("Bom dia.").with_when(Some(media(3, 5))),
        Turn::new("  ").with_when(Some(media(6, 600))),
        Turn::new("Vamos lá.").with_when(Some(media(7, 9))),
    ];
    let document = Document::new(doc(), "reunião", Body::Turns(turns.to_vec()));
    let chunks = Windows::default().chunks(&document);
    assert_eq!(texts(&chunks), ["Bom dia.\nVamos lá."]);
    let span = TimeSpan::between(MediaTime::from_seconds(3), MediaTime::from_seconds(9));
    assert_eq!(chunks[0].position(), Position::Time(span), "a blank turn counts for nothing");
    assert!(chunks[0].speakers().is_empty());
}

#[test]
fn a_name_longer_than_its_room_does_not_crowd_out_what_is_said() {
    let turns = [said(&"n".repeat(300), 1, &"palavra ".repeat(50))];
    let chunks = windows(100, 1).chunks(&doc(), &turns);
    assert!(chunks.len() > 3 && chunks.iter().all(|chunk| chunk.original_text().starts_with("palavra")));
    assert!(TurnWindows::new(Chars(0), 0).is_err());
}

#[test]
fn turns_fill_a_chunk_to_the_last_character() {
    let turns = ["aaa", "bb", "cc", "ddd", "e"].map(Turn::new);
    let of =
        |size, overlap| texts(&windows(size, overlap).chunks(&doc(), &turns)).join("|").replace('\n', " ");
    assert_eq!(of(16, 0), "aaa bb cc ddd e");
    assert_eq!(of(15, 0), "aaa bb cc ddd e");
    assert_eq!(of(14, 0), "aaa bb cc ddd|e");
    assert_eq!(of(6, 1), "aaa bb|bb cc|cc ddd|ddd e");
    assert_eq!(of(9, 2), "aaa bb cc|bb cc ddd|cc ddd e");
    assert_eq!(of(8, 2), "aaa bb|bb cc|cc ddd e");
}

#[test]
fn a_name_is_written_where_it_leaves_half_of_the_room() {
    let of = |size, name: &str, text: &str| {
        let chunks = windows(size, 1).chunks(&doc(), &[said(name, 1, text)]);
        (texts(&chunks).join("|"), chunks.len())
    };
    assert_eq!(of(10, "Ana", "um do is"), ("Ana: um do|Ana: is".to_owned(), 2), "half of it");
    assert_eq!(of(10, "Anna", "um do is"), ("um do is".to_owned(), 1), "more than half");
    // Whole turns keep their names, however long.
    assert_eq!(of(10, "Mariana", "e"), ("Mariana: e".to_owned(), 1));
    assert_eq!(of(9, "Mariana", "e"), ("e".to_owned(), 1));
    // A turn that is one cluster over the bound is no part of anything.
    let cluster = format!("e{}", "\u{301}".repeat(20));
    let chunk = windows(10, 1).chunks(&doc(), &[said("Ana", 1, &cluster)]).remove(0);
    assert_eq!((chunk.original_text(), chunk.part()), (cluster.as_str(), None));
}

#[test]
fn the_parts_of_a_turn_repeat_a_tenth() {
    let chunks = windows(105, 1).chunks(&doc(), &[said("Ana", 1, &"um dois ".repeat(60))]);
    for pair in chunks.windows(2) {
        let (before, after) =
            (pair[0].original_text(), pair[1].original_text().strip_prefix("Ana: ").unwrap());
        let shared =
            (1..=before.len()).filter(|n| after.get(..*n).is_some_and(|start| before.ends_with(start)));
        assert!(shared.into_iter().any(|n| (10..=14).contains(&n)), "{before}|{after}");
    }
}

#[test]
fn a_cluster_that_leaves_no_room_for_the_name_stands_without_it() {
    let long = format!("e{}", "\u{301}".repeat(17));
    let chunks = windows(20, 1).chunks(&doc(), &[said("Ana", 1, &format!("um dois três {long} quatro"))]);
    assert_eq!(texts(&chunks), ["Ana: um dois três", &long, "Ana: quatro"]);
    assert!(chunks.iter().all(|chunk| chunk.speakers() == ["Ana"]), "who said it is known all the same");
}

#[test]
fn a_long_silence_ends_a_chunk_that_is_worth_one() {
    let when = |day: u8, hour: u8, minute: u8| {
        When::Local(DateTime::new(Date::new(2024, 2, day).unwrap(), hour, minute, 0).unwrap())
    };
    let said = |when: When, text: &str| Turn::new(text).with_when(Some(when));
    let long = "a".repeat(40);
    let chunks = |turns: &[Turn]| {
        windows(150, 1)
            .chunks(&doc(), turns)
            .iter()
            .map(|chunk| chunk.original_text().to_owned())
            .collect::<Vec<_>>()
    };
    // Three hours and more, over midnight and over a day that only some years have.
    for after in [when(28, 22, 59), when(29, 1, 58), when(29, 20, 0)] {
        let turns = [said(when(28, 19, 59), &long), said(after, "b"), said(after, "c")];
        assert_eq!(chunks(&turns), [long.clone(), "b\nc".to_owned()], "{after:?}");
    }
    // Less than that, clocks that run backwards, times on a recording, and turns without any.
    for after in [when(28, 22, 58), when(27, 10, 0)] {
        let turns = [said(when(28, 19, 59), &long), said(after, "b")];
        assert_eq!(chunks(&turns), [format!("{long}\nb")], "{after:?}");
    }
    let untimed = [said(when(28, 19, 59), &long), Turn::new("b"), said(when(29, 19, 59), "c")];
    assert_eq!(chunks(&untimed), [format!("{long}\nb\nc")]);
    // What is hardly a chunk waits for more, and an answer the next morning has its question before it.
    let few = [said(when(28, 10, 0), "a?"), said(when(29, 10, 0), "b"), said(when(29, 20, 0), &long)];
    assert_eq!(chunks(&few), [format!("a?\nb\n{long}")]);
    let morning = [said(when(28, 10, 0), &long), said(when(28, 10, 0), "a?"), said(when(29, 10, 0), "b")];
    assert_eq!(chunks(&morning), [format!("{long}\na?"), "a?\nb".to_owned()]);
}
