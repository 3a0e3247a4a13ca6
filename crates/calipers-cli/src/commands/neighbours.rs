//! `calipers neighbours`: calibration as others measure it.

use calipers::{Neighbour, Neighbours};
use calipers_draw::text::{self, lists};

use super::measure::{explain, rows};
use crate::args::{NeighboursArgs, ReportFormat};
use crate::columns::FoldSource;
use crate::error::{Failure, Result};
use crate::output::{self, look};

/// Runs the command.
pub fn neighbours(args: &NeighboursArgs) -> Result<()> {
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
    let loaded = rows(file, &args.columns, &FoldSource::Unsaid)?;
    let found = asked.measure(&loaded.predictions).map_err(|error| explain(&error))?;
    output::print(&match args.format {
        ReportFormat::Table => text::measurements(&found, Some(&output::name(file)), look()),
        ReportFormat::Json => output::pretty(&found.to_json()),
        ReportFormat::Csv => text::csv::measurements(&found),
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

/// What there is.
fn list(format: ReportFormat) -> String {
    match format {
        ReportFormat::Json => output::pretty(&lists::measures_json()),
        ReportFormat::Table | ReportFormat::Csv => lists::measures(look()),
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
