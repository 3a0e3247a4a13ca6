//! `calipers plot`: read, and draw one figure.

use std::io::Write;
use std::path::{Path, PathBuf};

use calipers::View;
use calipers_draw::{Size, svg};
use calipers_files::words::{did_you_mean, file_name};
use clap::ValueEnum;

use super::explain::explain;
use super::many::say_sample;
use super::measure::{files, fitting, folds};
use crate::args::{ColumnArgs, FittingArgs, MEASURE, ManyArgs, OUTPUT, to_read};
use crate::error::{Failure, Result, say};
use crate::output;
use crate::progress::Progress;

/// What the file's name asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Picture {
    Svg,
    Png,
}

const EXAMPLES: &str = "\
Examples:
  calipers plot reliability predictions.csv -o figure.svg
  calipers plot reliability animals.csv --class cat --bins -o cat.png
  calipers plot contribution predictions.csv -o where.svg

Of more than two classes the most probable one is drawn, unless --class names
another. reliability is g, the estimated truth, over f, what was predicted;
contribution is where the l1 error comes from along f.";

/// Draw a figure as SVG or PNG
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What to draw
    #[arg(value_enum, value_name = "KIND")]
    pub kind: PlotKind,

    #[arg(value_name = "FILE", help = to_read())]
    pub file: PathBuf,

    /// File to write: .svg or .png; - prints SVG
    #[arg(short, long, value_name = "FIGURE")]
    pub output: PathBuf,

    /// The class to look at [default: class 1 of two, else the most probable one]
    #[arg(long, value_name = "NAME", help_heading = MEASURE)]
    pub class: Option<String>,

    /// Draw the frequencies in 15 bins, too
    #[arg(long, help_heading = OUTPUT)]
    pub bins: bool,

    #[command(flatten)]
    pub columns: ColumnArgs,

    #[command(flatten)]
    pub many: ManyArgs,

    #[command(flatten)]
    pub fitting: FittingArgs,
}

// Variants have no doc comments: clap would turn them into a second, longer help.

/// What a plot shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlotKind {
    // g over f.
    Reliability,
    // The parts of l1 along f.
    Contribution,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let picture = Picture::of(&args.output)?;
    refuse_unused(args)?;
    let estimator = fitting(&args.fitting)?;
    let paths = std::slice::from_ref(&args.file);
    let files = files(paths, &args.columns, &args.many, &args.fitting);
    let progress = Progress::start(format!("reading {}", files.name()));
    let gathered = files.gather(args.fitting.seed, &progress, &say)?;
    drop(progress);
    say_sample(&gathered);
    let estimator = estimator.fold_plan(folds(gathered.folds, &args.fitting));
    let predictions = &gathered.predictions;
    let view = match &args.class {
        None => View::of(predictions),
        Some(name) => View::class(predictions, name).map_err(|error| {
            let names = predictions.class_names().iter().map(String::as_str);
            explain(&error).maybe_hint(did_you_mean(name, names))
        })?,
    };
    let (figure, size) = match args.kind {
        PlotKind::Reliability => (estimator.reliability(predictions, view), Size::TALL),
        PlotKind::Contribution => (estimator.contribution(predictions), Size::WIDE),
    };
    let drawn = svg(&figure.map_err(|error| explain(&error))?, size, args.bins);
    if args.output == Path::new("-") {
        return output::print(&format!("{drawn}\n"));
    }
    let bytes = picture.bytes(drawn)?;
    Ok(calipers_files::write(&args.output, |file| file.write_all(&bytes))?)
}

/// Refuses what would change nothing in the figure.
fn refuse_unused(args: &Args) -> Result<()> {
    let refused = |reason: &str, hint: &str| Err(Failure::input(reason).hint(hint));
    if args.columns.group.is_some() {
        return refused(
            "--group: a figure is drawn of all rows together",
            "calipers report --group shows the errors within groups; for a figure of one group, give \
             its rows alone",
        );
    }
    let fitting = &args.fitting;
    match args.kind {
        PlotKind::Contribution if args.class.is_some() => refused(
            "--class: contribution is drawn of the most probable class alone",
            "calipers plot reliability takes a class",
        ),
        PlotKind::Contribution if args.bins => {
            refused("--bins: contribution is bars as it is", "calipers plot reliability takes bins")
        }
        PlotKind::Reliability
            if fitting.folds.is_some() || fitting.fold_column.is_some() || fitting.repeats != 1 =>
        {
            refused(
                "--folds, --fold-column, --repeats: the g of a reliability diagram is fitted to all rows",
                "calipers plot contribution draws what is held out",
            )
        }
        PlotKind::Contribution | PlotKind::Reliability => Ok(()),
    }
}

impl Picture {
    fn of(path: &Path) -> Result<Self> {
        let name = file_name(path);
        let extension = path.extension().map(|end| end.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            None if path == Path::new("-") => Ok(Self::Svg),
            Some("svg") => Ok(Self::Svg),
            Some("png") if cfg!(feature = "png") => Ok(Self::Png),
            Some("png") => {
                Err(Failure::input(format!("{name}: this build of calipers has no PNG"))
                    .hint("build it with the feature png, or write .svg"))
            }
            _ => Err(Failure::input(format!("{name}: a figure ends in .svg or .png"))),
        }
    }

    fn bytes(self, drawn: String) -> Result<Vec<u8>> {
        match self {
            Self::Svg => Ok((drawn + "\n").into_bytes()),
            #[cfg(feature = "png")]
            Self::Png => calipers_draw::png(&drawn).map_err(Failure::unexpected),
            #[cfg(not(feature = "png"))]
            Self::Png => Err(Failure::unexpected("this build of calipers has no PNG")),
        }
    }
}
