//! The names of recalibrators, with their parameters.

use calipers::recalibrator;

/// Parses a name; what parses is called by a name that parses to the same.
pub fn run(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Ok(made) = recalibrator(text) else { return };
    let name = made.name();
    match recalibrator(&name) {
        Ok(again) => assert_eq!(again.name(), name),
        Err(error) => panic!("{text:?} is called {name:?}, but {error}"),
    }
}
