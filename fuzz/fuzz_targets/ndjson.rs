#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_fuzz::framing::check_lines;
use tusab_fuzz::llm::input;

fuzz_target!(|data: &[u8]| {
    let (bytes, cuts) = input(data);
    check_lines(bytes, cuts);
});
