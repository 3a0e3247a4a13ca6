//! Libraries that panic on some damaged files.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::error::{Error, Result};

/// Reads a file with a library that panics on some damaged files: that is the file's fault, not a
/// bug to report.
pub fn guarded<T>(name: &str, read: impl FnOnce() -> Result<T>) -> Result<T> {
    thread_local! {
        static QUIET: Cell<bool> = const { Cell::new(false) };
    }
    // Nothing is printed of panics on this thread until the file is read. The hook is every thread's,
    // so it is put in place once and for all.
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                before(panic);
            }
        }));
    });
    QUIET.set(true);
    let read = panic::catch_unwind(AssertUnwindSafe(read));
    QUIET.set(false);
    read.unwrap_or_else(|_| Err(Error::input(format!("cannot read {name}: the file is damaged"))))
}
