#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_fuzz::documents::{check, limits};
use tusab_ingest::parse;

fuzz_target!(|text: &str| check(parse("a.csv", text.as_bytes(), &limits())));
