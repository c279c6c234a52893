//! What holds for every answer of every provider, however it is cut.

use tusab_llm::testing::decode;
use tusab_llm::{Delta, ModelId};

use crate::framing::pieces;

/// What a reader puts together of the deltas: thoughts, text, the last usage, the end; and the name of the error.
type Read = (String, String, String, String, Option<String>);

fn read(model: &ModelId, pieces: &[&[u8]]) -> Read {
    let (deltas, error) = decode(model, pieces.iter().copied());
    let (mut thinking, mut text, mut usage, mut end) =
        (String::new(), String::new(), String::new(), String::new());
    for delta in deltas {
        assert!(end.is_empty(), "something follows the end");
        match delta {
            Delta::Text(words) => {
                assert!(!words.is_empty(), "an empty text");
                text.push_str(&words);
            }
            Delta::Thinking(words) => {
                assert!(!words.is_empty(), "an empty thought");
                thinking.push_str(&words);
            }
            Delta::TextWasThinking => thinking.push_str(&std::mem::take(&mut text)),
            Delta::Usage(latest) => usage = format!("{latest:?}"),
            Delta::Done { finish_reason } => end = format!("{finish_reason:?}"),
            other => panic!("{other:?}"),
        }
    }
    assert!(error.is_some() == end.is_empty(), "an end or an error, and not both");
    let error =
        error.map(|error| format!("{error:?}").chars().take_while(char::is_ascii_alphanumeric).collect());
    (thinking, text, usage, end, error)
}

/// Any bytes are read or refused, the same wherever they are cut.
pub fn check(model: &str, bytes: &[u8], cuts: &[u8]) {
    let model: ModelId = model.parse().expect("a model id");
    let whole = read(&model, &[bytes]);
    assert_eq!(read(&model, &pieces(bytes, cuts)), whole);
    assert_eq!(read(&model, &bytes.chunks(1).collect::<Vec<_>>()), whole);
}

/// The bytes of an answer, and how to cut them: the first byte says how many of those after it are lengths.
pub fn input(data: &[u8]) -> (&[u8], &[u8]) {
    let Some((count, rest)) = data.split_first() else { return (&[], &[]) };
    let (cuts, bytes) = rest.split_at(usize::from(count % 8).min(rest.len()));
    (bytes, cuts)
}
