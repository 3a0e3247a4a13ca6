//! A monitor as text, and back.

use serde::{Deserialize, Serialize};

use super::{Account, Monitor, Player};
use crate::error::{Error, Result};

/// The number of the format; it changes when an older reader could misread a text.
const FORMAT: u64 = 1;

/// What is written. The checksum is of the state's own text, and tells what was damaged or edited; it
/// is no signature.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    calipers: u64,
    monitor: State,
    checksum: String,
}

/// The fields of a monitor. They are not read into one directly: who reads them has to check them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    classes: usize,
    rows: usize,
    impossible_rows: usize,
    log_largest: f64,
    accounts: Vec<Account>,
}

impl Monitor {
    /// Everything it knows, as JSON text: the state of its bets, no rows.
    pub fn to_json(&self) -> String {
        let Self { classes, rows, impossible_rows, log_largest, accounts } = self.clone();
        let monitor = State { classes, rows, impossible_rows, log_largest, accounts };
        let checksum = monitor.checksum();
        // Numbers, lists and names: there is nothing that could fail.
        serde_json::to_string(&Saved { calipers: FORMAT, monitor, checksum }).unwrap_or_default()
    }

    /// The monitor that was saved. It goes on as if it had never stopped, to the last bit.
    ///
    /// # Errors
    /// Text that is no saved monitor, one of a format that this version does not know, or one that
    /// was damaged or edited.
    pub fn from_json(text: &str) -> Result<Self> {
        let Saved { calipers, monitor, checksum } =
            serde_json::from_str(text).map_err(|error| unusable(error.to_string()))?;
        if calipers != FORMAT {
            return Err(unusable(format!("expected \"calipers\": {FORMAT}, found {calipers}")));
        }
        if checksum != monitor.checksum() {
            return Err(unusable("its checksum is another: it was damaged or edited".to_owned()));
        }
        let State { classes, rows, impossible_rows, log_largest, accounts } = monitor;
        let monitor = Self { classes, rows, impossible_rows, log_largest, accounts };
        if monitor.is_sound() {
            Ok(monitor)
        } else {
            Err(unusable("its numbers do not fit together".to_owned()))
        }
    }

    /// Whether the numbers can have come about, as far as that can be told: what is accepted can be
    /// gone on with.
    fn is_sound(&self) -> bool {
        let intercepts = |at: usize| if at == 0 { 0 } else { self.classes };
        let sound = |(at, Account { player, stakes }): (usize, &Account)| {
            stakes.is_sound(self.rows)
                && match player {
                    Player::Quadratic(player) => self.classes == 2 && player.is_sound(self.rows),
                    Player::Scaling(player) => {
                        self.classes > 2 && player.is_sound(self.rows, intercepts(at))
                    }
                }
        };
        self.classes >= 2
            && self.accounts.len() == if self.classes == 2 { 1 } else { 2 }
            && self.impossible_rows <= self.rows
            && self.accounts.iter().enumerate().all(sound)
            && self.is_largest()
    }

    /// Whether the largest wealth is at least the present one, but for the rounding of a logarithm.
    fn is_largest(&self) -> bool {
        let now = self.log_wealth();
        let largest = self.log_largest;
        largest.is_finite() && largest >= 0.0 && largest >= now - 1e-9 * (1.0 + now.abs())
    }
}

impl State {
    /// FNV-1a of the text, in 64 bits. Numbers are written so that they are read back to the same
    /// bits, so that the text of what was read is the text that was written.
    fn checksum(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
    }
}

fn unusable(reason: String) -> Error {
    Error::Monitor { reason }
}
