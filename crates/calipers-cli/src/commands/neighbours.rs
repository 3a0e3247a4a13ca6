//! `calipers neighbours`: calibration as others measure it.

use std::path::PathBuf;

use calipers::{Measurement, Measurements, Neighbour, Neighbours};
use calipers_files::{Columns, load};
use serde_json::{Value, json};

use super::measure::explain;
use super::recalibrators::parameters;
use crate::args::{ColumnArgs, MEASURE, OUTPUT, ReportFormat, RunningArgs, to_read};
use crate::error::{Failure, Result, say};
use crate::output::style::{aligned, decimal, render, table};
use crate::output::{self, count};

const EXAMPLES: &str = "\
Examples:
  calipers neighbours                       lists what there is
  calipers neighbours predictions.csv
  calipers neighbours predictions.csv --measure ece:bins=20,by=mass,smooth
  calipers neighbours ten.parquet --measure top-ece,classwise-ece,skce

One-dimensional measures of more than two classes take a scope: top- for the
most probable class, classwise- for the mean over classes, marginal- for their
mean under the measure's power.";

/// Measure calibration as others do: ECE and its kin, and classical tests
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[arg(
        value_name = "FILE",
        help = format!("{}; leave it out for a list of the measures", to_read())
    )]
    pub file: Option<PathBuf>,

    #[command(flatten)]
    pub columns: ColumnArgs,

    /// What to measure, with parameters after a colon, such as ece:bins=20; repeat it or separate by
    /// commas [default: all that measure such predictions]
    #[arg(long, value_name = "M", help_heading = MEASURE)]
    pub measure: Vec<String>,

    /// Labels drawn from the predictions where a test needs it; 0 for no such test [default: 999,
    /// fewer for much data]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = MEASURE)]
    pub draws: Option<usize>,

    /// Seed of the drawings
    #[arg(long, value_name = "S", default_value_t = 0, allow_negative_numbers = true, help_heading = MEASURE)]
    pub seed: u64,

    #[command(flatten)]
    pub running: RunningArgs,

    /// How to print the measures
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ReportFormat,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let Some(file) = &args.file else { return output::print(&list(args.format)) };
    if args.columns.group.is_some() {
        return Err(Failure::input("--group: these measures have no groups")
            .hint("calipers estimate --group estimates the errors within groups"));
    }
    let mut asked = Neighbours::new().seed(args.seed).threads(args.running.threads.into());
    for name in separate(&args.measure) {
        asked = asked.ask(name.parse::<Neighbour>().map_err(|error| explain(&error))?);
    }
    if let Some(draws) = args.draws {
        asked = asked.draws(draws);
    }
    let loaded = load(file, &Columns::from(&args.columns), &say)?;
    let found = asked.measure(&loaded.predictions).map_err(|error| explain(&error))?;
    output::print(&match args.format {
        ReportFormat::Table => as_table(&found, &file.display().to_string()),
        ReportFormat::Json => output::json::pretty(&found.to_json()),
        ReportFormat::Csv => as_csv(&found),
    })
}

/// The measures of `a,b:x=1,y=2,c`: a comma separates them, unless a parameter follows.
fn separate(texts: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for text in texts {
        for (place, part) in text.split(',').map(str::trim).enumerate() {
            let parameter = part.contains('=') && !part.contains(':');
            match names.last_mut().filter(|_| parameter && place > 0) {
                Some(name) => *name = format!("{name},{part}"),
                None => names.push(part.to_owned()),
            }
        }
    }
    names
}

fn as_table(found: &Measurements, file: &str) -> String {
    let name = if file == "-" { "standard input" } else { file };
    let mut text =
        format!("{name}: {}, {} classes\n\n", count(found.rows, "row"), found.classes.len());
    let column = |number: fn(&Measurement) -> Option<f64>| {
        let texts = found.found.iter().map(|one| number(one).map_or_else(String::new, decimal));
        aligned(&texts.collect::<Vec<_>>())
    };
    let (values, p_values) = (column(|one| one.value), column(|one| one.p_value));
    let mut lines = table(&["measure", "value", "p_value", "details"]);
    for (row, one) in found.found.iter().enumerate() {
        lines.add_row([one.name.as_str(), &values[row], &p_values[row], &details(one)]);
    }
    text.push_str(&render(lines));
    if !found.left_out.is_empty() {
        text.push_str(&format!(
            "\nnote: left out, since their cost grows with the square of the rows: {}\nhint: \
             --measure asks for them\n",
            found.left_out.join(", ")
        ));
    }
    text
}

/// What else there is to know, in words.
fn details(one: &Measurement) -> String {
    let name = |name: &str| name.replace('_', " ");
    let number = |value: f64| {
        if value.fract().abs() > 0.0 { decimal(value) } else { value.to_string() }
    };
    let details =
        one.details.iter().map(|(key, value)| format!("{} {}", name(key), number(*value)));
    details.chain(one.reason.clone()).collect::<Vec<_>>().join(", ")
}

/// `measure,value,p_value,details`; infinity is `inf`, and the details are one quoted cell.
fn as_csv(found: &Measurements) -> String {
    let mut text = "measure,value,p_value,details\n".to_owned();
    let number =
        |number: Option<f64>| number.map_or_else(String::new, |value| format!("{value:?}"));
    for one in &found.found {
        let details = one.details.iter().map(|(key, value)| format!("{key}={value:?}"));
        let details = details.chain(one.reason.clone()).collect::<Vec<_>>().join("; ");
        let cells = [one.name.clone(), number(one.value), number(one.p_value), details];
        text.push_str(&cells.map(|cell| output::csv::quoted(&cell)).join(","));
        text.push('\n');
    }
    text
}

/// What there is.
fn list(format: ReportFormat) -> String {
    match format {
        ReportFormat::Json => {
            let list = calipers::neighbours().map(|info| {
                json!({
                    "name": info.name,
                    "about": info.about,
                    "vectors": info.vectors,
                    "parameters": parameters(info.parameters),
                })
            });
            output::json::pretty(&Value::Array(list.collect()))
        }
        ReportFormat::Table | ReportFormat::Csv => {
            let mut names = table(&["measure", "what it is"]);
            let mut settings = table(&["parameter", "default", "what it sets"]);
            for info in calipers::neighbours() {
                names.add_row([info.name, info.about]);
                for parameter in info.parameters {
                    let name = format!("{}:{}", info.name, parameter.name);
                    settings.add_row([name.as_str(), parameter.default, parameter.about]);
                }
            }
            format!(
                "{}\n{}\nBefore a name: top- (the most probable class), classwise- or marginal- \
                 (the mean\nover classes); after it parameters: --measure top-ece:bins=20,by=mass\n",
                render(names),
                render(settings)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_separate_measures_and_parameters() {
        let separated = |text: &str| separate(&[text.to_owned()]);
        assert_eq!(separated("ece,smooth"), ["ece", "smooth"]);
        assert_eq!(
            separated("ece:bins=20,by=mass,kernel:p=2, cox"),
            ["ece:bins=20,by=mass", "kernel:p=2", "cox"]
        );
        assert_eq!(separated("ece:bins=20,kernel:p=2,bandwidth=0.1").len(), 2);
    }
}
