//! `calipers estimate`: read, estimate, print.

use std::io::{IsTerminal, stdout};
use std::time::Instant;

use calipers::View;
use calipers_draw::strip;
use calipers_draw::text::{self, Face};

use super::measure::{estimator, explain, metrics, predictions};
use crate::args::{EstimateArgs, ReportFormat};
use crate::error::{Result, say};
use crate::output::{self, look};
use crate::progress::Progress;

/// Runs the command.
pub fn estimate(args: &EstimateArgs) -> Result<()> {
    // The settings are checked before the file is read: that may take long.
    let metrics = metrics(args.metrics.metric.iter().map(String::as_str))?;
    let estimator = estimator(metrics, &args.method)?.bracket(args.bracket);
    let start = Instant::now();
    let loaded = predictions(&args.file, &args.columns, &args.method)?;
    let reading = start.elapsed();
    let plan = loaded.folds.unwrap_or_default();
    let (estimator, progress) = Progress::watch(estimator.fold_plan(plan));
    let report = estimator.estimate(&loaded.predictions).map_err(|error| explain(&error))?;
    drop(progress);
    if args.timings {
        let estimating = (start.elapsed() - reading).as_secs_f64();
        say(&format!("reading: {:.6} s; estimating: {estimating:.6} s", reading.as_secs_f64()));
    }
    let notes = text::notes(&report, Face::CommandLine);
    let text = match args.format {
        ReportFormat::Table => {
            let name = output::name(&args.file);
            text::report(&report, Some(&name), args.decompose, &notes, look())
        }
        ReportFormat::Json => output::pretty(&report.to_json()),
        ReportFormat::Csv => text::csv::report(&report),
    };
    output::print(&text)?;
    if args.format == ReportFormat::Table && !args.plain && stdout().is_terminal() {
        let view = View::of(&loaded.predictions);
        let sketch =
            estimator.sketch(&loaded.predictions, view).map_err(|error| explain(&error))?;
        output::print(&format!("\n{}", strip(&sketch)))?;
    }
    // In the table the notes are part of what is read; elsewhere they would be in the way.
    if args.format != ReportFormat::Table {
        notes.iter().for_each(|note| say(note));
    }
    Ok(())
}
