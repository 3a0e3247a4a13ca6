//! JSON for programs.

use serde_json::Value;

/// The value over several lines.
pub fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
