#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_fuzz::documents::{check, limits};
use tusab_ingest::parse;

fuzz_target!(|bytes: &[u8]| check(parse("a.html", bytes, &limits())));
