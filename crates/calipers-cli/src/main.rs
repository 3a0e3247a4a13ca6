//! The program `calipers`; what it does is in the library.

use std::env;
use std::process::ExitCode;

/// Keeps memory that was freed for the next large array. The system's allocator gives it back at
/// once, and finding it again took half of the time of an estimate on a million rows
/// (`studies/speed/million_rows.py`).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    calipers_cli::run(env::args_os())
}
