//! The first reading: a sample of all rows, and the words that labels and groups are.

use calipers::labels::{Label, read};
use calipers::{Drawn, Estimator, Folds, Plan, Predictions, Rows, Sampler, Stop};

use super::about::About;
use super::identified::{identities, keyed, located};
use crate::columns::labels::explained;
use crate::error::{Error, Result};
use crate::scan::{Entry, Inputs, Layout, Scan};

/// Reads all rows of some files: once to draw a sample, and once to add up what a plan makes of them.
///
/// ```
/// use calipers::Estimator;
/// use calipers_files::{Columns, Inputs, Layout, Pass};
///
/// let folder = tempfile::tempdir()?;
/// for (name, p) in [("a.csv", 0.25), ("b.csv", 0.75)] {
///     let rows: String = (0..50).map(|row| format!("{},{p}\n", row % 4 / 3)).collect();
///     std::fs::write(folder.path().join(name), format!("y,p\n{rows}"))?;
/// }
/// let inputs = Inputs::find(&[folder.path().to_owned()])?;
/// let layout = Layout::of(&inputs, &Columns::new())?;
/// let pick = Pass::new(&inputs, &layout).sample(40, 0)?;
/// let (plan, about) = pick.plan(&Estimator::new())?;
/// let tally = Pass::new(&inputs, &layout).count(&plan, &about)?;
/// assert_eq!(plan.finish(&tally)?.rows, 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Pass<'a> {
    pub(super) inputs: &'a Inputs,
    pub(super) layout: &'a Layout,
    pub(super) threads: usize,
    pub(super) seen: &'a (dyn Fn(u64, u64) + Sync),
    pub(super) stop: Option<Stop>,
}

/// What was drawn, and what its codes mean.
#[derive(Debug)]
pub struct Pick {
    drawn: Drawn,
    layout: Layout,
    about: About,
    /// What the user should know about how labels were read.
    pub remark: Option<String>,
    groups: Vec<String>,
}

impl<'a> Pass<'a> {
    /// From these files, on a thread a core.
    pub fn new(inputs: &'a Inputs, layout: &'a Layout) -> Self {
        Self { inputs, layout, threads: 0, seen: &|_, _| {}, stop: None }
    }

    /// Reads on so many threads; 0 is one a core.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Tells of the rows and bytes that were read since it was last told.
    #[must_use]
    pub fn seen(mut self, seen: &'a (dyn Fn(u64, u64) + Sync)) -> Self {
        self.seen = seen;
        self
    }

    /// Ends early when the handle is stopped.
    #[must_use]
    pub fn stop(mut self, stop: Stop) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Fails if somebody has said stop.
    pub(super) fn check(&self) -> Result<()> {
        match &self.stop {
            Some(stop) if stop.is_stopped() => Err(Error::unexpected("stopped")),
            _ => Ok(()),
        }
    }

    /// Reads every row and keeps at most so many.
    ///
    /// # Errors
    /// What is wrong with a file, with its place; labels that cannot be read together; a key that two
    /// rows have.
    pub fn sample(&self, most: usize, seed: u64) -> Result<Pick> {
        let scan = Scan::new(self.inputs, self.layout).threads(self.threads);
        let total = self.inputs.rows()?;
        let sampler = || match total {
            Some(total) => Sampler::new(most, seed).expecting(total),
            None => Sampler::new(most, seed),
        };
        let samplers = scan.run(
            sampler,
            |sampler, batch| {
                self.check()?;
                let keys = keyed(&batch);
                let who = identities(&batch, keys.as_deref(), batch.file);
                let mut add = || -> calipers::Result<()> {
                    let mut rows = Rows::new(&batch.f, &batch.labels, who)?;
                    if let Some(weights) = &batch.weights {
                        rows = rows.weights(weights)?;
                    }
                    if let Some(groups) = &batch.groups {
                        rows = rows.group_codes(groups)?;
                    }
                    if let Some(folds) = &batch.folds {
                        rows = rows.folds(folds)?;
                    }
                    sampler.add(&rows)
                };
                add().map_err(|error| located(&error, &batch, self.inputs))
            },
            self.seen,
        )?;
        let mut all = sampler();
        for sampler in samplers {
            all.merge(sampler).map_err(|error| Error::input(error.to_string()))?;
        }
        let drawn = all.finish().map_err(|error| self.explained(&error))?;
        let drawn = drawn.with_fold_ids(&fold_ids(&scan.fold_book().words()));
        let words = scan.label_book().words();
        let (class_of, classes, remark) = self.classes(&words)?;
        let groups = scan.group_book().words().into_iter().map(|word| word.text).collect();
        let about = About::new(self.inputs, self.layout, &words, &class_of, classes);
        Ok(Pick { drawn, layout: self.layout.clone(), about, remark, groups })
    }

    /// The class of each word that is a label, and the classes' names.
    fn classes(&self, words: &[Entry]) -> Result<(Vec<u32>, Vec<String>, Option<String>)> {
        // In the order of their first rows, whichever thread came first.
        let mut order: Vec<usize> = (0..words.len()).collect();
        order.sort_by_key(|&at| words[at].first);
        let found: Vec<Label> = order
            .iter()
            .enumerate()
            .map(|(place, &at)| Label {
                text: words[at].text.clone(),
                number: words[at].number,
                row: place,
                count: words[at].count as usize,
            })
            .collect();
        let place = |place: usize| {
            let first = order.get(place).and_then(|&at| words[at].first).unwrap_or_default();
            let name = self.inputs.name(first.0);
            format!("{name}, row {}, column {}", first.1, self.layout.label())
        };
        let reading = read(&found, &self.layout.class_columns()?)
            .map_err(|error| explained(&error, &place))?;
        let mut class_of = vec![0; words.len()];
        for (&at, &class) in order.iter().zip(&reading.codes) {
            class_of[at] = class as u32;
        }
        Ok((class_of, reading.classes, reading.remark))
    }

    fn explained(&self, error: &calipers::Error) -> Error {
        match (error, self.layout.key()) {
            (calipers::Error::Key { .. }, Some(key)) => Error::input(format!(
                "column {key}: two rows have the same value, so it does not say which row is which"
            ))
            .with_hint(
                "--key names a column that is different in every row; without it rows are numbered",
            ),
            _ => Error::input(error.to_string()),
        }
    }
}

impl Pick {
    /// How many rows were drawn.
    pub fn rows(&self) -> usize {
        self.drawn.rows()
    }

    /// How many rows there are.
    pub fn seen(&self) -> u64 {
        self.drawn.seen()
    }

    /// A number of the rows that were drawn: that of the same keys is the same.
    pub fn fingerprint(&self) -> u64 {
        self.drawn.fingerprint()
    }

    /// What the files are, and which label is which class.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Whether all rows were drawn.
    pub fn is_everything(&self) -> bool {
        self.drawn.is_everything()
    }

    /// The sample as predictions, and their folds if the files have them.
    ///
    /// # Errors
    /// As [`Drawn::into_predictions`].
    pub fn into_predictions(self) -> calipers::Result<(Predictions<'static>, Option<Folds>)> {
        let Self { drawn, layout, about, groups, .. } = self;
        let (predictions, folds) =
            drawn.into_predictions(&about.class_of(), &about.classes, &groups)?;
        Ok((predictions.with_origin(layout.origin()), folds))
    }

    /// Estimates the sample, and fits what scores the rest.
    ///
    /// # Errors
    /// As [`Plan::fit`].
    pub fn plan(self, asked: &Estimator) -> calipers::Result<(Plan, About)> {
        let Self { drawn, layout, about, groups, .. } = self;
        let plan = Plan::fit(asked, drawn, &about.class_of(), &about.classes, &groups)?;
        Ok((plan.with_origin(layout.origin()).with_notes(about.to_json()), about))
    }
}

/// A number for each word that is a fold, in the order of whole numbers, or of words: whichever thread
/// came first.
fn fold_ids(words: &[Entry]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..words.len()).collect();
    let numbers: Option<Vec<f64>> = words.iter().map(|word| word.number).collect();
    match numbers.filter(|all| all.iter().all(|number| number.fract().abs() <= 0.0)) {
        Some(numbers) => order.sort_by(|&one, &other| numbers[one].total_cmp(&numbers[other])),
        None => order.sort_by(|&one, &other| words[one].text.cmp(&words[other].text)),
    }
    let mut ids = vec![0; words.len()];
    for (id, &at) in order.iter().enumerate() {
        ids[at] = id as u32;
    }
    ids
}
