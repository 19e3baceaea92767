#![no_main]

libfuzzer_sys::fuzz_target!(init: cds_fuzz::leave_guarded_panics(), |data: &[u8]| cds_fuzz::index_readers(data));
