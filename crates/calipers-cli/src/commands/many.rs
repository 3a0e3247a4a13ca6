//! Files in: one that fits in memory as a table, or many as a stream.

use std::path::{Path, PathBuf};

use calipers::words::thousands;
use calipers::{Estimator, Folds, Measurements, Neighbours, Predictions, Report};
use calipers_draw::text::{count as counted, note};
use calipers_files::{
    Columns, FeatureColumns, FoldColumn, Format, Inputs, Layout, Loaded, Pass, Pick, Scan, fits,
    is_pipe, is_url, load, planned,
};

use super::explain::explain;
use crate::args::{ColumnArgs, FeatureArgs, ManyArgs};
use crate::error::{Failure, Result, say};
use crate::output;
use crate::progress::Progress;

/// A text of so many bytes has fewer rows than are learnt from.
const SMALL: u64 = 1 << 20;

/// What a byte of a file may become in memory.
const UNFOLDED: u64 = 40;

/// The memory that rows may take where there is no option for it.
const DEFAULT_MEMORY: u64 = 2_000_000_000;

/// The share of the memory that may be taken by what comes through a pipe, as it came: little beside what
/// it becomes.
const PIPED: u64 = 32;

/// What files there are, and which of their columns is what.
pub struct Files<'a> {
    pub paths: &'a [PathBuf],
    pub columns: &'a ColumnArgs,
    pub many: &'a ManyArgs,
    pub folds: FoldColumn,
    /// Which rows belong together, and when they were.
    pub cluster: Option<String>,
    pub time: Option<String>,
    /// What else is known of rows.
    pub features: Option<FeatureColumns>,
    pub threads: usize,
}

/// Rows in memory: all, or a sample of them.
pub struct Gathered {
    pub predictions: Predictions<'static>,
    /// The folds, if the files gave them.
    pub folds: Option<Folds>,
    /// The columns of the predictions, and whether they are logits.
    pub scores: Vec<String>,
    pub logits: bool,
    /// How many rows these are a sample of; none if they are all.
    pub of: Option<u64>,
    /// A number of the rows' keys, if they have keys.
    pub keys: Option<u64>,
}

/// Files that were found, and how many of their rows to draw.
pub struct Stream {
    pub inputs: Inputs,
    pub layout: Layout,
    pub most: usize,
}

/// Rows that are in memory as a table, or files that are yet to be read.
enum Begun {
    Table(Loaded),
    Stream(Stream),
}

impl Files<'_> {
    /// What they are called in a table.
    pub fn name(&self) -> String {
        match self.paths {
            [one] => output::name(one),
            several => counted(several.len(), "file"),
        }
    }

    fn asked(&self) -> Columns {
        let key = self.many.key.clone();
        let (cluster, time) = (self.cluster.clone(), self.time.clone());
        let (folds, features) = (self.folds.clone(), self.features.clone());
        Columns { folds, key, cluster, time, features, ..self.columns.into() }
    }

    /// The same files, with what else is known of their rows.
    pub fn knowing(self, features: &FeatureArgs) -> Self {
        Self { features: features.columns(), ..self }
    }

    /// Reads the one file as a table, if that is what it is and it fits; else finds the files.
    fn begin(&self, say: &dyn Fn(&str)) -> Result<Begun> {
        let [path] = self.paths else { return self.stream().map(Begun::Stream) };
        if self.many.is_said() || is_many(path) {
            return self.stream().map(Begun::Stream);
        }
        if is_pipe(path) {
            return self.piped(path, say);
        }
        let beyond = || {
            let inputs = Inputs::find(self.paths)?;
            let layout = Layout::of(&inputs, &self.asked())?;
            fits(&inputs, &layout, self.many.room()).map(|fits| !fits)
        };
        // A small text has few rows. What is wrong with a file is told when it is read.
        let few = size(path)? <= SMALL && is_text(path);
        if !few && beyond().unwrap_or(false) {
            return self.stream().map(Begun::Stream);
        }
        Ok(Begun::Table(load(path, &self.asked(), say)?))
    }

    /// What comes through a pipe, by the rules of files. It comes once, and its size is not known before:
    /// no more is read than it takes to know that it does not fit, and it may never end.
    fn piped(&self, path: &Path, say: &dyn Fn(&str)) -> Result<Begun> {
        let (inputs, columns) = (self.find()?, self.asked());
        let few = is_text(path) && inputs.is_within(SMALL)?;
        if !few {
            let layout = Layout::of(&inputs, &columns)?;
            if !fits(&inputs, &layout, self.many.room())? {
                return self.laid_out(inputs, layout).map(Begun::Stream);
            }
        }
        let table = inputs.read(0, &columns.wanted())?;
        Ok(Begun::Table(Loaded::of(table, &columns, say)?))
    }

    fn find(&self) -> Result<Inputs> {
        Ok(Inputs::find_within(self.paths, self.many.memory / PIPED)?)
    }

    /// Finds the files and looks at their columns.
    pub fn stream(&self) -> Result<Stream> {
        let mut inputs = self.find()?;
        if self.many.skip_bad_files {
            inputs = self.without_bad_files(&inputs)?;
        }
        let layout = Layout::of(&inputs, &self.asked())?;
        self.laid_out(inputs, layout)
    }

    fn laid_out(&self, inputs: Inputs, layout: Layout) -> Result<Stream> {
        let independent = "are taken for independent rows";
        let alone = "are measured by their predictions alone";
        let refused = [
            ("--cluster", independent, self.cluster.is_some()),
            ("--time", independent, self.time.is_some()),
            ("--features", alone, self.features.is_some()),
        ];
        if let Some((flag, what, _)) = refused.iter().find(|(.., said)| *said) {
            let hint = match (self.paths, self.many.is_said()) {
                ([one], true) if !is_many(one) => {
                    "--key, --sample and --skip-bad-files read a part at a time: leave them out"
                }
                _ => "put the rows in one file that fits in memory",
            };
            return Err(Failure::input(format!(
                "{flag}: several files, and what is read a part at a time, {what}"
            ))
            .hint(hint));
        }
        let most = planned(&layout, self.many.room());
        Ok(Stream { inputs, layout, most })
    }

    /// The files that can be read; the others are named.
    fn without_bad_files(&self, inputs: &Inputs) -> Result<Inputs> {
        // The first good file says what the columns are: a bad one before it is left out first.
        let mut left: Vec<usize> = Vec::new();
        let mut reasons: Vec<String> = Vec::new();
        let layout = loop {
            let rest = inputs.without(&left);
            match Layout::of(&rest, &self.asked()) {
                Ok(layout) => break layout,
                Err(error) if rest.len() <= 1 => return Err(error.into()),
                Err(error) => {
                    let bad = (0..inputs.len()).find(|file| !left.contains(file)).unwrap_or(0);
                    reasons.push(error.message().to_owned());
                    left.push(bad);
                }
            }
        };
        let good = inputs.without(&left);
        let numbers: Vec<usize> = (0..inputs.len()).filter(|file| !left.contains(file)).collect();
        for (file, error) in Scan::new(&good, &layout).threads(self.threads).bad_files() {
            reasons.push(error.message().to_owned());
            left.push(numbers[file]);
        }
        if !left.is_empty() {
            let files = counted(left.len(), "file");
            say(&note(&format!("{files} of {} left out", thousands(inputs.len()))));
            reasons.iter().take(5).for_each(|reason| say(&format!("      {reason}")));
        }
        Ok(inputs.without(&left))
    }

    /// Draws what is to be in memory of a stream.
    pub fn draw(&self, stream: &Stream, seed: u64, progress: &Progress) -> Result<Pick> {
        let reading = progress.reading("reading", stream.inputs.total());
        let seen = |rows, bytes| reading.seen(rows, bytes);
        let pass = Pass::new(&stream.inputs, &stream.layout).threads(self.threads).seen(&seen);
        Ok(pass.sample(stream.most, seed)?)
    }

    /// Brings rows together in memory: all that fit, or a sample.
    pub fn gather(&self, seed: u64, progress: &Progress, say: &dyn Fn(&str)) -> Result<Gathered> {
        let stream = match self.begin(say)? {
            Begun::Table(Loaded { predictions, folds, scores, logits }) => {
                return Ok(Gathered { predictions, folds, scores, logits, of: None, keys: None });
            }
            Begun::Stream(stream) => stream,
        };
        let pick = self.draw(&stream, seed, progress)?;
        let of = (!pick.is_everything()).then(|| pick.seen());
        let keys = self.many.key.as_ref().map(|_| pick.fingerprint());
        let (predictions, folds) = pick.into_predictions().map_err(|error| explain(&error))?;
        let scores = stream.layout.scores().to_vec();
        Ok(Gathered { predictions, folds, scores, logits: stream.layout.logits(), of, keys })
    }

    /// Measures as others do: all rows if they fit in memory, else all of them where sums are all that it
    /// takes, and a sample where it is not.
    pub fn measure(
        &self,
        asked: &Neighbours,
        seed: u64,
        progress: &Progress,
        say: &dyn Fn(&str),
    ) -> Result<Measurements> {
        let explained = |error: calipers::Error| explain(&error);
        let stream = match self.begin(say)? {
            Begun::Table(loaded) => return asked.measure(&loaded.predictions).map_err(explained),
            Begun::Stream(stream) => stream,
        };
        let pick = self.draw(&stream, seed, progress)?;
        let (everything, rows) = (pick.is_everything(), pick.seen());
        let about = pick.about().clone();
        let (sample, _) = pick.into_predictions().map_err(explained)?;
        if everything {
            return asked.measure(&sample).map_err(explained);
        }
        let mut all = asked.sums(&sample).map_err(explained)?;
        if !all.is_empty() {
            let reading = progress.reading("adding up", stream.inputs.total());
            let seen = |rows, bytes| reading.seen(rows, bytes);
            let pass = Pass::new(&stream.inputs, &stream.layout).threads(self.threads).seen(&seen);
            all = pass.add_up(&about, &all)?;
        }
        asked.measure_stream(&sample, rows, &all).map_err(explained)
    }

    /// Estimates all rows; those that do not fit in memory are scored as they go by. The predictions come
    /// back where they are all in memory.
    pub fn estimate(
        &self,
        seed: u64,
        progress: &Progress,
        say: &dyn Fn(&str),
        asked: &mut dyn FnMut(Option<Folds>) -> Estimator,
    ) -> Result<(Report, Option<Predictions<'static>>)> {
        let stream = match self.begin(say)? {
            Begun::Table(loaded) => {
                let most = match loaded.predictions.features() {
                    // They are all in memory, and a g that sees features learns from all of them.
                    Some(_) => usize::MAX,
                    None => self.many.room().sample_of(loaded.predictions.classes()),
                };
                let estimator = asked(loaded.folds).sample(most);
                let report = estimator.estimate(&loaded.predictions);
                return Ok((report.map_err(|error| explain(&error))?, Some(loaded.predictions)));
            }
            Begun::Stream(stream) => stream,
        };
        let pick = self.draw(&stream, seed, progress)?;
        if let Some(remark) = &pick.remark {
            say(&note(remark));
        }
        if pick.is_everything() {
            let (predictions, folds) = pick.into_predictions().map_err(|error| explain(&error))?;
            let all = asked(folds).sample(usize::MAX);
            let report = all.estimate(&predictions).map_err(|error| explain(&error))?;
            return Ok((report, Some(predictions)));
        }
        // The sample's own folds, where it has any, take the place of these.
        let (plan, about) = pick.plan(&asked(None)).map_err(|error| explain(&error))?;
        let reading = progress.reading("scoring", stream.inputs.total());
        let seen = |rows, bytes| reading.seen(rows, bytes);
        let pass = Pass::new(&stream.inputs, &stream.layout).threads(self.threads).seen(&seen);
        let tally = pass.count(&plan, &about)?;
        Ok((plan.finish(&tally).map_err(|error| explain(&error))?, None))
    }
}

/// Whether a file is read as text that is not compressed, whatever it is.
fn is_text(path: &Path) -> bool {
    Format::of(path).is_ok_and(|format| format.name() == "CSV")
        && path.extension().is_none_or(|end| end != "gz" && end != "zst")
}

/// Says that only a sample was looked at, where that is so.
pub fn say_sample(gathered: &Gathered) {
    if let Some(of) = gathered.of {
        let rows = counted(gathered.predictions.rows(), "row");
        say(&note(&format!("this is of a sample of {rows} of {}", thousands(of))));
    }
}

/// Whether a path is one file that is surely small enough to be a table.
pub fn fits_as_table(path: &Path) -> Result<bool> {
    Ok(!is_many(path) && size(path)? <= DEFAULT_MEMORY / UNFOLDED)
}

/// Whether what comes through a pipe is small enough to be a table.
pub fn fit_as_table(piped: &Inputs) -> Result<bool> {
    Ok(piped.is_within(DEFAULT_MEMORY / UNFOLDED)?)
}

/// How large one file is; 0 if that is not known.
fn size(path: &Path) -> Result<u64> {
    match is_url(path) {
        true => Ok(Inputs::find(&[path.to_owned()])?.bytes()),
        false => Ok(path.metadata().map_or(0, |metadata| metadata.len())),
    }
}

/// Whether a path stands for several files: a directory, or a pattern of no file's own name. A URL that
/// ends in a slash is a directory.
fn is_many(path: &Path) -> bool {
    let name = path.to_string_lossy();
    let pattern = name.contains(['*', '?', '[']);
    path.is_dir() || (pattern && !path.exists()) || (is_url(path) && name.ends_with('/'))
}
