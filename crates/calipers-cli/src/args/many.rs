//! More rows than one file has, or than fit in memory.

use calipers_files::Room;
use clap::Args;

use super::{COLUMNS, OUTPUT};

/// The memory that rows may take by default.
const DEFAULT_MEMORY: u64 = 2_000_000_000;

/// How many rows, of how many files, and who they are.
#[derive(Debug, Args)]
pub struct ManyArgs {
    /// Column that identifies a row, different in each: results then depend neither on the order of rows
    /// nor on how files divide them
    #[arg(long, value_name = "COL", help_heading = COLUMNS)]
    pub key: Option<String>,

    /// Learn the truth from so many rows, drawn by the seed, and score all others [default: 1,000,000,
    /// fewer of more than 20 classes, as far as they fit in memory]
    #[arg(long, value_name = "N", value_parser = at_least_two, help_heading = OUTPUT)]
    pub sample: Option<usize>,

    /// Memory that rows may take, such as 500MB or 8GB
    #[arg(long, value_name = "SIZE", default_value = "2GB", value_parser = bytes, help_heading = OUTPUT)]
    pub memory: u64,

    /// Leave out files that cannot be read or hold something wrong, and say how many; without it, the
    /// first one is an error
    #[arg(long, help_heading = OUTPUT)]
    pub skip_bad_files: bool,
}

/// One file, as a table if it fits in memory.
impl Default for ManyArgs {
    fn default() -> Self {
        Self { key: None, sample: None, memory: DEFAULT_MEMORY, skip_bad_files: false }
    }
}

impl ManyArgs {
    /// How many rows there is room for.
    pub fn room(&self) -> Room {
        Room { memory: self.memory, sample: self.sample }
    }

    /// Whether anything was said that a table in memory has no use for.
    pub fn is_said(&self) -> bool {
        self.key.is_some() || self.sample.is_some() || self.skip_bad_files
    }
}

/// A number of rows that something can be learnt from.
fn at_least_two(text: &str) -> Result<usize, String> {
    let rows = text.replace('_', "").parse::<usize>().map_err(|error| error.to_string())?;
    if rows < 2 { Err("at least 2 rows are needed".to_owned()) } else { Ok(rows) }
}

/// A size with a unit, in powers of 1,000 or, with an i, of 1,024.
fn bytes(text: &str) -> Result<u64, String> {
    let end = text.find(|letter: char| !(letter.is_ascii_digit() || letter == '.'));
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    let number: f64 = number.parse().map_err(|_| "write it as 500MB or 8GB".to_owned())?;
    let unit = match unit.trim().to_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1024f64.powi(2),
        "gib" => 1024f64.powi(3),
        _ => return Err("the units are KB, MB, GB and TB".to_owned()),
    };
    Ok((number * unit) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_units() {
        assert_eq!(bytes("2GB"), Ok(DEFAULT_MEMORY), "what the option says");
        assert_eq!(bytes("1.5 MiB"), Ok(3 << 19));
        assert_eq!(bytes("800"), Ok(800));
        assert!(bytes("much").is_err() && bytes("2 apples").is_err());
        assert_eq!(at_least_two("1_000"), Ok(1_000));
        assert!(at_least_two("1").is_err());
    }
}
