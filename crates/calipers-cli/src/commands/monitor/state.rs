//! What a run leaves to the next one: a file of JSON, replaced as a whole.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use calipers::Monitor;
use calipers_files::words::{file_name, plain};
use serde_json::{Value, json};

use super::begun::Begun;
use super::seen::Seen;
use crate::error::{Failure, Result};
use crate::output;

/// Which state a file is, and which version of it.
const KIND: &str = "calipers monitor";
const VERSION: u64 = 2;

/// What is known before a run beside the bets.
pub struct State {
    pub begun: Begun,
    pub seen: Seen,
}

impl State {
    /// That of the first run, which has seen nothing yet.
    pub fn new(begun: Begun) -> Self {
        Self { begun, seen: Seen::default() }
    }

    /// What an earlier run wrote; nothing, if there is no such file.
    pub fn read(path: &Path) -> Result<Option<(Self, Monitor)>> {
        let name = file_name(path);
        let fault = |reason: &str| Failure::input(format!("--state {name}: {reason}"));
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fault(&format!("cannot be read: {}", plain(&error)))),
        };
        let json: Value = serde_json::from_str(&text).map_err(|_| fault("it is no JSON"))?;
        let other = "name another file, or one that is not there yet";
        if json["kind"] != KIND {
            return Err(fault("it is no state of calipers monitor").hint(other));
        }
        if json["version"] != VERSION {
            let version = format!("it is of version {}, not {VERSION}", json["version"]);
            return Err(fault(&version).hint(other));
        }
        let core = json["monitor"].as_str().and_then(|text| Monitor::from_json(text).ok());
        Begun::from_json(&json["begun"])
            .zip(Seen::from_json(&json["seen"]))
            .zip(core)
            .filter(|((begun, _), monitor)| begun.classes.len() == monitor.classes())
            .map(|((begun, seen), monitor)| Some((Self { begun, seen }, monitor)))
            .ok_or_else(|| fault("it is damaged"))
    }

    /// Replaces the file.
    pub fn write(&self, path: &Path, monitor: &Monitor) -> Result<()> {
        let json = json!({
            "kind": KIND,
            "version": VERSION,
            "begun": self.begun.to_json(),
            "seen": self.seen.to_json(),
            "monitor": monitor.to_json(),
        });
        let text = output::pretty(&json);
        Ok(calipers_files::write(path, |file| file.write_all(text.as_bytes()))?)
    }
}
