//! The names of neighbours, with their parameters.

use calipers::Neighbour;

/// Parses a name; what parses is called by a name that parses to the same.
pub fn run(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Ok(neighbour) = text.parse::<Neighbour>() else { return };
    let name = neighbour.to_string();
    match name.parse::<Neighbour>() {
        Ok(again) => assert_eq!(again.to_string(), name),
        Err(error) => panic!("{text:?} is called {name:?}, but {error}"),
    }
}
