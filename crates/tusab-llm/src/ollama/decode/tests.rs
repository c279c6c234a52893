use proptest::prelude::*;

use super::*;
use crate::redact::Redactor;
use crate::{ApiKey, ChatRequest, FinishReason, Message, ModelId, Provider};

fn decoder_of(estimated: u32, context: u32) -> ChatDecoder {
    let request = ChatRequest::new([Message::user("meu segredo é 12345")]);
    let secret = ApiKey::new("sk-verysecret".to_owned()).unwrap().secret().unwrap();
    let model = ModelId::new(Provider::Ollama, "m").unwrap();
    let context_of = Context { model, redactor: Redactor::new(request, Some(secret)) };
    ChatDecoder::new(context_of, Prompt { estimated: Tokens::new(estimated), context: Tokens::new(context) })
}

fn decoder() -> ChatDecoder {
    decoder_of(20, 4096)
}

/// The deltas of an answer that arrives in `pieces`, and the error that ended it, if one did.
fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Delta>, Option<String>) {
    let (mut decoder, mut deltas) = (decoder(), VecDeque::new());
    let mut result = Ok(());
    for piece in pieces {
        result = decoder.push(piece, &mut deltas);
        if result.is_err() {
            break;
        }
    }
    let result = result.and_then(|()| decoder.finish(&mut deltas));
    (deltas.into(), result.err().map(|error| format!("{error:?}")))
}

fn text(text: &str) -> Delta {
    Delta::Text(text.to_owned())
}

const ANSWER: &str = concat!(
    r#"{"model":"qwen3:0.6b","created_at":"2026-01-02T03:04:05.678901234Z","message":{"role":"assistant","content":"","thinking":"Hm, não…"},"done":false}"#,
    "\n",
    r#"{"model":"qwen3:0.6b","created_at":"2026-01-02T03:04:05.778901234Z","message":{"role":"assistant","content":"Olá, "},"done":false}"#,
    "\r\n\n",
    r#"{"model":"qwen3:0.6b","created_at":"2026-01-02T03:04:05.878901234Z","message":{"role":"assistant","content":"informação 🙂 \ud83d\ude00\n","images":null},"done":false}"#,
    "\n",
    r#"{"model":"qwen3:0.6b","created_at":"2026-01-02T03:04:05.978901234Z","message":{"role":"assistant","content":""},"done_reason":"stop","done":true,"total_duration":1883583458,"load_duration":1334875,"prompt_eval_count":26,"prompt_eval_duration":342546000,"eval_count":9,"eval_duration":535599000}"#,
    "\n",
);

fn answer() -> Vec<Delta> {
    vec![
        Delta::Thinking("Hm, não…".to_owned()),
        text("Olá, "),
        text("informação 🙂 😀\n"),
        Delta::Usage(Usage::new(Tokens::new(26), Tokens::new(9))),
        Delta::Done { finish_reason: FinishReason::Stop },
    ]
}

#[test]
fn an_answer_is_the_same_cut_at_every_pair_of_bytes_a_step_apart() {
    let bytes = ANSWER.as_bytes();
    assert_eq!(decode([bytes]), (answer(), None));
    assert_eq!(decode(bytes.chunks(1)), (answer(), None));
    for first in 0..bytes.len() {
        for second in (first..bytes.len()).step_by(97) {
            let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
            assert_eq!(decode(pieces), (answer(), None), "cut at {first} and {second}");
        }
    }
}

#[test]
fn the_last_line_needs_no_line_end_and_what_follows_it_is_ignored() {
    assert_eq!(decode([ANSWER.trim_end().as_bytes()]), (answer(), None));
    assert_eq!(decode([ANSWER.as_bytes(), b"<garbage>\n", b"{\"error\":\"late\"}"]), (answer(), None));
}

#[test]
fn an_answer_cut_anywhere_before_its_last_brace_ended_early() {
    let bytes = ANSWER.trim_end().as_bytes();
    for end in 0..bytes.len() {
        let (deltas, error) = decode([&bytes[..end]]);
        let error = error.unwrap_or_else(|| panic!("complete at {end}"));
        assert!(error.contains("EndedEarly"), "{error} at {end}");
        assert!(answer().starts_with(&deltas), "{deltas:?}");
    }
}

#[test]
fn text_of_the_last_line_comes_before_its_end() {
    let line = br#"{"message":{"content":"all"},"done":true,"done_reason":"length","eval_count":1}"#;
    let usage = Usage { output: Some(Tokens::new(1)), ..Usage::default() };
    let end = Delta::Done { finish_reason: FinishReason::Length };
    assert_eq!(decode([&line[..]]), (vec![text("all"), Delta::Usage(usage), end], None));
}

#[test]
fn counts_that_are_no_counts_cost_no_answer() {
    let line = br#"{"message":{"content":"a"},"done":true,"prompt_eval_count":-1,"eval_count":"many"}"#;
    let end = Delta::Done { finish_reason: FinishReason::Unreported };
    assert_eq!(decode([&line[..]]), (vec![text("a"), end], None));
}

#[test]
fn reasons_that_have_no_name_are_kept() {
    for (reason, expected) in [
        (r#","done_reason":"load""#, FinishReason::Other("load".to_owned())),
        (r#","done_reason":"""#, FinishReason::Unreported),
        (r#","done_reason":null"#, FinishReason::Unreported),
        ("", FinishReason::Unreported),
    ] {
        let line = format!("{{\"done\":true{reason}}}");
        assert_eq!(decode([line.as_bytes()]), (vec![Delta::Done { finish_reason: expected }], None));
    }
}

#[test]
fn an_error_inside_the_answer_ends_it_without_the_prompt_or_the_key() {
    let lines = concat!(
        r#"{"message":{"content":"Ol"},"done":false}"#,
        "\n",
        r#"{"error":"runner failed on 'meu segredo é 12345' for sk-verysecret"}"#,
        "\n",
        r#"{"message":{"content":"á"},"done":false}"#,
    );
    let (deltas, error) = decode([lines.as_bytes()]);
    assert_eq!(deltas, [text("Ol")]);
    let error = error.unwrap();
    assert!(error.contains("Rejected") && error.contains("runner failed on '[...]' for [...]"), "{error}");
}

#[test]
fn what_is_no_answer_is_a_protocol_error_after_what_was() {
    for garbage in [
        "<html>502</html>",
        "data: {}",
        "{}",
        "[]",
        "{\"message\":",
        "null",
        "7",
        "\"meu segredo é 12345\"",
        "{\"message\":\"meu segredo é 12345\"}",
        "{\"message\":{\"content\":12345}}",
        "{\"done\":\"meu segredo é 12345\"}",
        "{\"message\":{\"content\":\"a\"},\"done\":false}}",
    ] {
        let lines = format!("{{\"message\":{{\"content\":\"ok\"}},\"done\":false}}\n{garbage}\n");
        let (deltas, error) = decode([lines.as_bytes()]);
        assert_eq!(deltas, [text("ok")], "{garbage}");
        let error = error.unwrap();
        assert!(error.contains("Protocol") && !error.contains("12345"), "{garbage}: {error}");
    }
    let (_, error) = decode([&b"{\"message\":{\"content\":\"\xff\"}}\n"[..]]);
    assert!(error.unwrap().contains("Protocol"));
}

#[test]
fn a_line_without_end_is_refused_at_its_bound() {
    let (mut decoder, mut deltas) = (decoder(), VecDeque::new());
    let longest = vec![b'x'; MAX_LINE];
    decoder.push(&longest, &mut deltas).unwrap();
    let error = decoder.push(b"x", &mut deltas).unwrap_err();
    assert!(error.to_string().contains("longer than 1048576 bytes"), "{error}");
}

#[test]
fn a_prompt_that_was_cut_is_noticed_by_what_was_read_of_it() {
    for (estimated, context, read, cut) in [
        (6000, 4096, 4090, true),
        // One model keeps half of the context for the prompt.
        (6000, 4096, 2050, true),
        (4500, 4096, 4090, false),
        // As much as the estimate may be over.
        (5000, 4096, 4000, false),
        (5000, 4096, 3999, true),
        // Whole messages were dropped from a prompt that surely did not fit.
        (8000, 2048, 30, true),
        // The estimate was 30 % over, of a prompt that fits.
        (2600, 4096, 2000, false),
        // The server gave half of the context that was asked for.
        (3000, 4096, 2046, true),
        // A prompt that may just have fitted, less its oldest message.
        (5000, 4096, 2500, true),
        // The rest was cached.
        (3000, 4096, 12, false),
        (6000, 8192, 4800, false),
    ] {
        let mut decoder = decoder_of(estimated, context);
        let mut deltas = VecDeque::new();
        let line =
            format!("{{\"message\":{{\"content\":\"a\"}},\"done\":true,\"prompt_eval_count\":{read}}}\n");
        let result = decoder.push(line.as_bytes(), &mut deltas);
        assert_eq!(result.is_err(), cut, "{estimated} {context} {read}");
        if let Err(error) = result {
            assert!(matches!(error, Error::PromptTruncated { .. }));
            assert!(error.to_string().contains("with_context_length"), "{error}");
        }
        assert_eq!(deltas.front(), Some(&text("a")));
    }
}

#[test]
fn thoughts_in_tags_are_apart_and_a_field_of_their_own_makes_tags_text() {
    let line = |field: &str, words: &str| {
        serde_json::json!({"message": {field: words}, "done": false}).to_string() + "\n"
    };
    let tags =
        [line("content", "<thi"), line("content", "nk>Hm</think>\n\nOlá")].concat() + "{\"done\":true}";
    let end = Delta::Done { finish_reason: FinishReason::Unreported };
    assert_eq!(
        decode([tags.as_bytes()]),
        (vec![Delta::Thinking("Hm".to_owned()), text("Olá"), end.clone()], None)
    );
    let field = [line("thinking", "Hm"), line("content", "<think>x</think>")].concat() + "{\"done\":true}";
    assert_eq!(
        decode([field.as_bytes()]),
        (vec![Delta::Thinking("Hm".to_owned()), text("<think>x</think>"), end], None)
    );
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(pieces in prop::collection::vec(any::<Vec<u8>>(), 0..8)) {
        let _ = decode(pieces.iter().map(Vec::as_slice));
    }

    #[test]
    fn any_text_arrives_as_it_was_sent(
        words in prop::collection::vec("\\PC{1,12}", 1..8),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let lines = words.iter().map(|word| serde_json::json!({"message": {"content": word}}).to_string())
            .chain([r#"{"done":true,"done_reason":"stop"}"#.to_owned()]);
        let lines = lines.collect::<Vec<_>>().join("\n");
        let bytes = lines.as_bytes();
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let (deltas, error) = decode(places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]));
        prop_assert_eq!(error, None);
        let said = deltas.iter().map(|delta| match delta {
            Delta::Text(words) => words.as_str(),
            _ => "",
        });
        prop_assert_eq!(said.collect::<String>(), words.concat());
        let end = Delta::Done { finish_reason: FinishReason::Stop };
        prop_assert_eq!(deltas.last(), Some(&end));
    }
}
