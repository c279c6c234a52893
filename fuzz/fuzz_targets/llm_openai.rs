#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_fuzz::llm::{check, input};

fuzz_target!(|data: &[u8]| {
    let (bytes, cuts) = input(data);
    check("openai::gpt-5.4-mini", bytes, cuts);
});
