#![no_main]
#![doc = "What libFuzzer drives; see the library's module of this name."]

libfuzzer_sys::fuzz_target!(|data: &[u8]| calipers_fuzz::jsonl::run(data));
