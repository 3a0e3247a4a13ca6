//! `calipers plot`: read, and draw one figure.

use std::io::Write;
use std::path::Path;

use calipers::View;
use calipers_draw::{Size, svg};

use super::measure::{estimator, explain, predictions};
use crate::args::{PlotArgs, PlotKind};
use crate::error::{Failure, Result};
use crate::output;
use crate::suggest::did_you_mean;

/// What the file's name asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Picture {
    Svg,
    Png,
}

/// Runs the command.
pub fn plot(args: &PlotArgs) -> Result<()> {
    let picture = Picture::of(&args.output)?;
    if args.kind == PlotKind::Contribution && args.class.is_some() {
        return Err(Failure::input(
            "--class: contribution is drawn of the most probable class alone",
        )
        .hint("calipers plot reliability takes a class"));
    }
    let estimator = estimator(Vec::new(), &args.method)?;
    let loaded = predictions(&args.file, &args.columns, &args.method)?;
    let estimator = estimator.fold_plan(loaded.folds.unwrap_or_default());
    let predictions = &loaded.predictions;
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
    output::file::write(&args.output, |file| file.write_all(&bytes))
}

impl Picture {
    fn of(path: &Path) -> Result<Self> {
        let name = path.display();
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
