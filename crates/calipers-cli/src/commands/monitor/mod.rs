//! `calipers monitor`: evidence against calibration, as rows arrive.
//!
//! A run holds the state's [`lock`], reads the [`state`] that an earlier run left, reads the [`rows`] as the
//! state was [`begun`] with, passes over those that were [`seen`], bets on the others, says where it
//! stands, and saves the state.

mod begun;
mod lock;
mod rows;
mod seen;
mod state;

use std::path::{Path, PathBuf};

use calipers::{Monitor, Predictions};
use calipers_draw::text::{monitor as words, monitor_json};
use calipers_files::Loaded;
use clap::ValueEnum;
use ndarray::Axis;

use self::begun::Begun;
use self::lock::Lock;
use self::state::State;
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

A file that was read before goes on where it ended, however its path is spelt:
what was seen of it must still be there. What comes from standard input or
another pipe is new. Rows are in the order in which they arrived. Columns and
classes are those that the state was begun with; one run at a time holds it.";

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
    // For programs: one line of JSON a run, which is what other commands call json.
    #[value(alias = "json")]
    Jsonl,
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
    let place = seen::place(&args.state);
    // Nobody else may read the state before this run has replaced it: its rows would be lost.
    let _lock = Lock::hold(&place, &args.state)?;
    let (monitor, new, state) = match State::read(&args.state)? {
        Some(state) => go_on(args, &place, state)?,
        None => begin(args, &place)?,
    };
    let crossed = monitor.largest() >= args.limit;
    let name = output::name(&args.file);
    // First said, then saved: where it cannot be said, the same run can be tried again.
    output::print(&match args.format {
        MonitorFormat::Table => words(&name, &monitor, new, args.limit),
        MonitorFormat::Jsonl => format!("{}\n", monitor_json(&name, &monitor, new, args.limit)),
    })?;
    state.write(&args.state, &monitor)?;
    Ok(if crossed { Exit::CheckFailed } else { Exit::Fine })
}

/// The first run: what it is told and guesses holds for all.
fn begin(args: &Args, place: &Path) -> Result<(Monitor, usize, State)> {
    let loaded = rows::first(&args.file, &args.columns)?;
    let begun = Begun::with(&args.file, &args.columns, &loaded);
    let mut monitor =
        Monitor::new(loaded.predictions.classes()).map_err(|error| explain(&error))?;
    let mut state = State::new(begun);
    observe(&mut monitor, &loaded, 0)?;
    state.seen.add(seen::key(&args.file, place), &loaded.predictions);
    Ok((monitor, loaded.predictions.rows(), state))
}

/// A later run.
fn go_on(args: &Args, place: &Path, saved: (State, Monitor)) -> Result<(Monitor, usize, State)> {
    let (mut state, mut monitor) = saved;
    let columns = state.begun.columns(&args.columns, &args.state)?;
    let loaded = rows::later(&args.file, &columns, &state.begun)?;
    let key = seen::key(&args.file, place);
    let all = loaded.as_ref().map(|loaded| &loaded.predictions);
    let before = state.seen.before(&args.file, key.as_deref(), all)?;
    let Some(loaded) = loaded else { return Ok((monitor, 0, state)) };
    observe(&mut monitor, &loaded, before)?;
    state.seen.add(key, &loaded.predictions);
    Ok((monitor, loaded.predictions.rows() - before, state))
}

/// Bets on the rows from one on.
fn observe(monitor: &mut Monitor, loaded: &Loaded, from: usize) -> Result<()> {
    let rows = loaded.predictions.rows();
    if from == rows {
        return Ok(());
    }
    let probs = loaded.predictions.probs();
    let new = Predictions::new(
        probs.slice_axis(Axis(0), (from..rows).into()).to_owned(),
        &loaded.predictions.labels()[from..],
    );
    monitor.observe(&new.map_err(|error| explain(&error))?).map_err(|error| explain(&error))
}
