//! The names of metrics.

use calipers::Metric;

/// Parses a name; what parses is called by a name that parses to the same.
pub fn run(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Ok(metric) = text.parse::<Metric>() else { return };
    let name = metric.to_string();
    match name.parse::<Metric>() {
        Ok(again) => assert_eq!(again.to_string(), name),
        Err(error) => panic!("{text:?} is called {name:?}, but {error}"),
    }
}
