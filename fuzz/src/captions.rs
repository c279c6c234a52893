//! What holds for every caption file that can be read.

use tusab_ingest::{Captions, Error, Parsed};

/// Cues that end after they start, words in the order of their times, nothing lost between cues and segments.
pub fn check_captions(parsed: Result<Parsed<Captions>, Error>) {
    let Ok(Parsed { value: captions, .. }) = parsed else { return };
    let mut said = 0;
    for cue in &captions.cues {
        let span = cue.span();
        assert!(span.start() <= span.end(), "a cue ends before it starts");
        let words: Vec<_> = cue.words().collect();
        assert_eq!(
            words.iter().map(|word| word.text).collect::<String>(),
            cue.text().split_whitespace().collect::<String>(),
            "words are lost"
        );
        let starts: Vec<_> = words.iter().filter_map(|word| word.start).collect();
        assert!(starts.is_sorted(), "word times run backwards");
        assert!(
            starts.iter().all(|start| (span.start()..=span.end()).contains(start)),
            "a word outside its cue"
        );
        assert!(!captions.rolling || !cue.text().trim().is_empty(), "an empty cue among rolling ones");
        said += cue.text().split_whitespace().map(str::len).sum::<usize>();
    }
    let segments = captions.segments();
    let kept: usize = segments.iter().flat_map(|s| s.text.split_whitespace()).map(str::len).sum();
    assert_eq!(kept, said, "segments lose words");
}
