#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_ingest::{ChatOptions, Format, MessageKind, parse_whatsapp};

fuzz_target!(|text: &str| {
    let Ok(parsed) = parse_whatsapp(text, &ChatOptions::default()) else {
        assert_ne!(Format::detect("", text), Format::WhatsApp, "detected and not read");
        return;
    };
    let chat = parsed.value;
    for message in &chat.messages {
        assert_eq!(message.sender.is_none(), message.kind == MessageKind::Notice);
        assert!(message.sender.as_ref().is_none_or(|name| chat.participants.contains(name)));
        assert!(!message.text.contains('\r') && message.text.trim() == message.text);
    }
    // Every letter of the text that is not part of a header is in a message, in its order.
    let mut letters = text.chars().filter(|c| c.is_alphabetic());
    let said = chat.messages.iter().flat_map(|m| m.sender.iter().chain([&m.text]));
    for c in said.flat_map(|part| part.chars()).filter(|c| c.is_alphabetic()) {
        assert!(letters.any(|other| other == c), "{c:?} was not written");
    }
    let days: usize = chat.messages.iter().filter(|message| message.time.is_none()).count();
    assert!(days <= parsed.warnings.len() + 1, "a time is missing without a word");
});
