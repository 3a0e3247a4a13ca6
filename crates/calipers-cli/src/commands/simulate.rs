//! `calipers simulate`: predictions whose calibration error is known.

use calipers::{Simulation, simulate as draw};
use calipers_draw::text::lists;

use crate::args::SimulateArgs;
use crate::error::{Failure, Result};
use crate::format::Format;
use crate::output::sheet::{Cells, Sheet};
use crate::suggest::did_you_mean;

/// Runs the command.
pub fn simulate(args: &SimulateArgs) -> Result<()> {
    let Some(name) = &args.name else {
        return Err(Failure::input("which simulation? The names are:").list(names()));
    };
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
    let label = if format == Format::Npz { "labels" } else { "label" };
    let labels = drawn.labels().iter().map(|&label| label.into()).collect();
    let classes = (0..drawn.classes()).map(|class| (format!("p_{class}"), Cells::Class(class)));
    let columns = std::iter::once((label.to_owned(), Cells::Whole(labels))).chain(classes);
    let probs = drawn.probs();
    Sheet { probs: probs.view(), columns: columns.collect() }.write(output, format)
}

fn names() -> Vec<String> {
    lists::simulations().lines().map(str::to_owned).collect()
}
