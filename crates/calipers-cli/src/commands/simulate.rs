//! `calipers simulate`: predictions whose calibration error is known.

use std::path::PathBuf;

use calipers::{Simulation, simulate as draw};
use calipers_draw::text::lists;
use calipers_files::words::did_you_mean;
use calipers_files::{Cells, Format, Sheet};

use crate::args::to_write;
use crate::error::{Failure, Result};
use crate::output::print;

const EXAMPLES: &str = "\
Examples:
  calipers simulate binary-overconfident -n 10000 -o predictions.csv
  calipers simulate binary-under -n 1000 -o - | calipers estimate -

The file holds the column label, then one probability a class: p_0, p_1, ...
(NPZ: the arrays probs and labels). calipers simulate alone lists the names.";

/// Draw predictions whose calibration error is known, to try things out
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "calipers simulate [<NAME> -n <N> [--seed <S>] -o <FILE>]"
)]
pub struct Args {
    /// The setting; leave it out for a list
    // Nothing is required by clap, so that a name left out gives the list, and a misspelt one, too.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,

    /// How many rows to draw
    #[arg(short = 'n', long = "rows", value_name = "N", allow_negative_numbers = true)]
    pub rows: Option<usize>,

    /// Seed of the draws
    #[arg(long, value_name = "S", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,

    #[arg(short, long, value_name = "FILE", help = to_write())]
    pub output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let Some(name) = &args.name else { return list(args) };
    if Simulation::named(name).is_err() {
        let known = Simulation::all().iter().map(|setting| setting.name);
        return Err(Failure::input(format!("unknown simulation {name:?}; the names are:"))
            .list(names())
            .maybe_hint(did_you_mean(name, known)));
    }
    let Some(rows) = args.rows else {
        return Err(Failure::input("-n is missing: how many rows to draw"));
    };
    let Some(output) = &args.output else {
        return Err(Failure::input("-o is missing: the file to write").hint("-o - prints CSV"));
    };
    let format = Format::to_write(output)?;
    if rows == 0 {
        return Err(Failure::input("-n: 0 rows are nothing to write; at least 1 is needed"));
    }
    let drawn = draw(name, rows, args.seed).map_err(|error| Failure::input(error.to_string()))?;
    let label = if format.holds_arrays() { "labels" } else { "label" };
    let labels = drawn.labels().iter().map(|&label| label.into()).collect();
    let classes = (0..drawn.classes()).map(|class| (format!("p_{class}"), Cells::Class(class)));
    let columns = std::iter::once((label.to_owned(), Cells::Whole(labels))).chain(classes);
    let probs = drawn.probs();
    Ok(Sheet { probs: probs.view(), columns: columns.collect() }.write(output)?)
}

/// Prints the settings, unless something is to be drawn.
fn list(args: &Args) -> Result<()> {
    if args.rows.is_some() || args.output.is_some() {
        return Err(
            Failure::input("NAME is missing: which simulation? The names are:").list(names())
        );
    }
    print(&lists::simulations())
}

fn names() -> Vec<String> {
    lists::simulations().lines().map(str::to_owned).collect()
}
