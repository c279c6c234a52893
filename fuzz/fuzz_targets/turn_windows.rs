#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_chunk::{Chars, Turn, TurnWindows};
use tusab_fuzz::doc;
use unicode_segmentation::UnicodeSegmentation;

fuzz_target!(|input: (u16, u8, Vec<(&str, &str)>)| {
    let (size, overlap, turns) = input;
    let size = usize::from(size).max(1);
    let windows = TurnWindows::new(Chars(size), usize::from(overlap)).expect("a size of at least one");
    let turns: Vec<Turn> =
        turns.into_iter().map(|(who, text)| Turn::new(text).with_speaker(Some(who.to_owned()))).collect();
    let chunks = windows.chunks(&doc(), &turns);
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<Vec<char>>();
    let all: Vec<char> = chunks.iter().flat_map(|chunk| letters(chunk.original_text())).collect();
    let mut found = all.iter();
    for c in turns.iter().flat_map(|turn| letters(&turn.text)) {
        assert!(found.any(|other| *other == c), "{c:?} is lost");
    }
    for chunk in &chunks {
        assert!(!chunk.original_text().trim().is_empty());
        // Over the bound only for one over-long cluster, after its speaker's name.
        let text = chunk.original_text();
        let name = chunk.speakers().first().map_or(0, |name| name.len() + 2);
        let said = text.get(name..).unwrap_or(text);
        let one = said.graphemes(true).count() == 1 || text.graphemes(true).count() == 1;
        assert!(text.chars().count() <= size || one, "over its size");
    }
});
