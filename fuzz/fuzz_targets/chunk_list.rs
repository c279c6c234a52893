#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_chunk::{Chunk, ChunkId, ChunkList, Date, DateTime, DocId, Document, Language};

// Whatever is read is read back the same once written.
fuzz_target!(|text: &str| {
    if let Ok(list) = serde_json::from_str::<ChunkList<'_>>(text) {
        let written = serde_json::to_string(&list).expect("chunks can be written");
        assert_eq!(serde_json::from_str::<ChunkList<'_>>(&written).expect("own format"), list);
    }
    if let Ok(chunk) = serde_json::from_str::<Chunk>(text) {
        assert_eq!(chunk.id(), ChunkId::of(chunk.doc(), chunk.ordinal(), chunk.original_text()));
    }
    let _ = serde_json::from_str::<Document>(text);
    if let Ok(id) = text.parse::<DocId>() {
        assert_eq!(id.as_str(), text);
    }
    if let Ok(date) = text.parse::<Date>() {
        assert_eq!(date.to_string(), text);
    }
    if let Ok(time) = text.parse::<DateTime>() {
        assert_eq!(time.to_string().parse(), Ok(time));
    }
    if let Ok(language) = text.parse::<Language>() {
        assert_eq!(language.as_str().parse(), Ok(language));
    }
});
