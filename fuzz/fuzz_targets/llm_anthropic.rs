#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_fuzz::llm::{check, input};

fuzz_target!(|data: &[u8]| {
    let (bytes, cuts) = input(data);
    check("anthropic::claude-haiku-4-5", bytes, cuts);
});
