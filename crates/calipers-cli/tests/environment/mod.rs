//! The program where things are not as they should be: full disks, closed pipes, files that cannot be
//! read, no terminal, odd locales, odd names, little of everything.
//!
//! Every test runs the real program. What a machine does not allow to be tried (mounting, becoming
//! another user) is left out there, and the test says so.

mod disk;
mod files;
mod limits;
mod locale;
mod paths;
mod pipes;
mod shell;
mod terminal;
