//! `calipers monitor`: evidence against calibration, as rows arrive.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use calipers::words::thousands;
use calipers::{Monitor, Predictions};
use calipers_draw::text::decimal;
use calipers_files::words::{file_name, plain};
use calipers_files::{Columns, Loaded, Wanted, load, read};
use clap::ValueEnum;
use ndarray::Axis;
use serde_json::{Value, json};

use super::explain::explain;
use crate::args::{ColumnArgs, MEASURE, OUTPUT, to_read};
use crate::error::{Failure, Result};
use crate::exit::Exit;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  calipers monitor today.csv --state monitor.json
  calipers monitor log.csv --state monitor.json --limit 100 --format jsonl
  tail -n +1 new.csv | calipers monitor - --state monitor.json

The e-value is the wealth of a player who began with 1 and bets against the
probabilities. If these are calibrated, it ever reaches 20 with a probability of
at most 1/20: it may be looked at after every row, for as long as one likes.
The exit status is 1 once it has reached the limit, 0 before.

A file that was read before goes on where it ended: what was seen of it must
still be there. What comes from standard input is new. Rows are in the order in
which they arrived.";

/// Which state a file is, and which version of it.
const KIND: &str = "calipers monitor";
const VERSION: u64 = 1;

/// Watch over probabilities as rows arrive
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[arg(value_name = "FILE", help = to_read())]
    pub file: PathBuf,

    /// File that holds what was learnt so far: made if there is none, and replaced as a whole
    #[arg(long, value_name = "JSON")]
    pub state: PathBuf,

    /// Evidence that is enough: at 20, calibrated probabilities cross it once in 20 lives at most
    #[arg(long, value_name = "E", default_value_t = 20.0, help_heading = MEASURE)]
    pub limit: f64,

    #[command(flatten)]
    pub columns: ColumnArgs,

    /// How to print where it stands
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: MonitorFormat,
}

// The variants below have no doc comments: clap would turn them into a second, longer help.

/// How the state of affairs is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum MonitorFormat {
    // For people.
    #[default]
    Table,
    // For programs: one line of JSON a run.
    Jsonl,
}

/// What is known before a run.
struct State {
    monitor: Option<Monitor>,
    /// The classes' names and the columns of the predictions, which the first rows fix.
    classes: Vec<String>,
    columns: Vec<String>,
    /// How many rows of each file were seen, and a number of them.
    seen: BTreeMap<String, (usize, u64)>,
}

/// Runs the command; the exit status says whether the evidence is enough.
pub fn run(args: &Args) -> Result<Exit> {
    if !(args.limit > 1.0 && args.limit.is_finite()) {
        return Err(Failure::input(format!("--limit {}: it is above 1, such as 20", args.limit)));
    }
    let unused = [("--weight", &args.columns.weight), ("--group", &args.columns.group)];
    if let Some((flag, _)) = unused.iter().find(|(_, said)| said.is_some()) {
        return Err(Failure::input(format!("{flag}: every row is bet on alike")));
    }
    let mut state = State::read(&args.state)?;
    let loaded = state.load(args)?;
    let name = output::name(&args.file);
    let seen = state.unseen(&args.file, &loaded.predictions)?;
    let (rows, classes) = (loaded.predictions.rows(), loaded.predictions.classes());
    let mut monitor = match state.monitor.take() {
        Some(monitor) => monitor,
        None => Monitor::new(classes).map_err(|error| explain(&error))?,
    };
    if seen < rows {
        let probs = loaded.predictions.probs();
        let labels = &loaded.predictions.labels()[seen..];
        let new =
            Predictions::new(probs.slice_axis(Axis(0), (seen..rows).into()).to_owned(), labels);
        monitor.observe(&new.map_err(|error| explain(&error))?).map_err(|error| explain(&error))?;
    }
    if args.file != Path::new("-") {
        let number = fingerprint(&loaded.predictions, rows);
        state.seen.insert(args.file.to_string_lossy().into_owned(), (rows, number));
    }
    state.classes = loaded.predictions.class_names().to_vec();
    state.columns = loaded.scores;
    let text = state.text(&monitor);
    calipers_files::write(&args.state, |file| file.write_all(text.as_bytes()))?;
    let crossed = monitor.largest() >= args.limit;
    output::print(&match args.format {
        MonitorFormat::Table => table(&name, &monitor, rows - seen, args.limit, crossed),
        MonitorFormat::Jsonl => {
            let json = json!({
                "file": name,
                "rows": monitor.rows(),
                "new": rows - seen,
                "e_value": finite(monitor.e_value()),
                "largest": finite(monitor.largest()),
                "p_value": monitor.p_value(),
                "impossible_rows": monitor.impossible_rows(),
                "limit": args.limit,
                "crossed": crossed,
            });
            format!("{json}\n")
        }
    })?;
    Ok(if crossed { Exit::CheckFailed } else { Exit::Fine })
}

impl State {
    /// What an earlier run wrote; nothing, if there is no such file.
    fn read(path: &Path) -> Result<Self> {
        let nothing = || Self {
            monitor: None,
            classes: Vec::new(),
            columns: Vec::new(),
            seen: BTreeMap::new(),
        };
        let name = file_name(path);
        let fault = |reason: &str| Failure::input(format!("--state {name}: {reason}"));
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(nothing()),
            Err(error) => return Err(fault(&format!("cannot be read: {}", plain(&error)))),
        };
        let json: Value = serde_json::from_str(&text).map_err(|_| fault("it is no JSON"))?;
        if json["kind"] != KIND {
            return Err(fault("it is no state of calipers monitor")
                .hint("name another file, or one that is not there yet"));
        }
        if json["version"] != VERSION {
            return Err(fault(&format!("it is of version {}, not {VERSION}", json["version"])));
        }
        let words = |key: &str| serde_json::from_value::<Vec<String>>(json[key].clone()).ok();
        let seen = serde_json::from_value(json["seen"].clone()).ok();
        let core = json["monitor"].as_str().and_then(|text| Monitor::from_json(text).ok());
        let whole = words("classes").zip(words("columns")).zip(seen).zip(core);
        let (((classes, columns), seen), monitor) = whole
            .filter(|(((classes, _), _), monitor)| classes.len() == monitor.classes())
            .ok_or_else(|| fault("it is damaged"))?;
        Ok(Self { monitor: Some(monitor), classes, columns, seen })
    }

    fn text(&self, monitor: &Monitor) -> String {
        let json = json!({
            "kind": KIND,
            "version": VERSION,
            "classes": self.classes,
            "columns": self.columns,
            "seen": self.seen,
            "monitor": monitor.to_json(),
        });
        output::pretty(&json)
    }

    /// Reads the rows. Labels are the classes' names in every run: what a label means must not depend on which
    /// others come with it.
    fn load(&self, args: &Args) -> Result<Loaded> {
        let mut columns: Columns = (&args.columns).into();
        if self.monitor.is_some() {
            fix(&mut columns, &self.classes);
            if columns.scores.is_none() && !self.columns.is_empty() {
                columns = columns.probs(self.columns.clone());
            }
            let loaded = load(&args.file, &columns, &|_| {})?;
            if loaded.scores != self.columns {
                return Err(Failure::input(format!(
                    "{}: the predictions are of other columns than before",
                    output::name(&args.file)
                )));
            }
            return Ok(loaded);
        }
        if args.file == Path::new("-") {
            // It can be read once.
            let table = read(&args.file, &Wanted::default())?;
            return Ok(Loaded::of(table, &columns, &|_| {})?);
        }
        let first = load(&args.file, &columns, &|_| {})?;
        fix(&mut columns, first.predictions.class_names());
        let again = load(&args.file, &columns, &|_| {});
        match again {
            Ok(again) if again.predictions.labels() == first.predictions.labels() => Ok(first),
            _ => Err(Failure::input(format!(
                "{}: the labels are not the names of the classes, and later rows may be read otherwise",
                output::name(&args.file)
            ))
            .hint("--classes names the classes as the labels do, in the order of the columns")),
        }
    }

    /// How many of the rows were seen before: the first ones of this file, which must be the same.
    fn unseen(&self, path: &Path, all: &Predictions<'_>) -> Result<usize> {
        let name = path.to_string_lossy();
        let Some((rows, number)) = self.seen.get(name.as_ref()).filter(|_| name != "-") else {
            return Ok(0);
        };
        if all.rows() < *rows || fingerprint(all, *rows) != *number {
            return Err(Failure::input(format!(
                "{}: its first {} rows are not those that were seen",
                file_name(path),
                thousands(*rows)
            ))
            .hint("new rows are added at the end, or come in a file of another name"));
        }
        Ok(*rows)
    }
}

/// Lets labels be these names and nothing else.
fn fix(columns: &mut Columns, classes: &[String]) {
    columns.classes = Some(classes.to_vec());
    columns.positive = None;
}

/// A number of the first rows: other rows have another one (FNV-1a of every bit).
fn fingerprint(predictions: &Predictions<'_>, rows: usize) -> u64 {
    let mut number: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |bits: u64| {
        for byte in bits.to_le_bytes() {
            number = (number ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    let probs = predictions.probs();
    for (row, label) in probs.rows().into_iter().zip(predictions.labels()).take(rows) {
        row.iter().for_each(|value| add(value.to_bits()));
        add((*label).into());
    }
    number
}

/// JSON has no infinity.
fn finite(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!("inf") }
}

fn table(name: &str, monitor: &Monitor, new: usize, limit: f64, crossed: bool) -> String {
    let rows = thousands(monitor.rows());
    let said = if crossed {
        format!("crossed: the evidence against calibration has reached {limit}")
    } else {
        format!("not crossed: the evidence against calibration has not reached {limit}")
    };
    format!(
        "{name}: {} new rows, {rows} in all\n\ne-value {}, at most {} so far, p_value {}\n{said}\n",
        thousands(new),
        decimal(monitor.e_value()),
        decimal(monitor.largest()),
        decimal(monitor.p_value())
    )
}
