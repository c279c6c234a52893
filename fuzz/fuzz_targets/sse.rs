#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_fuzz::framing::check_events;
use tusab_fuzz::llm::input;

fuzz_target!(|data: &[u8]| {
    let (bytes, cuts) = input(data);
    check_events(bytes, cuts);
});
