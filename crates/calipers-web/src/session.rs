//! A file that was opened, and what is found in it.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use calipers::{Estimator, Examination};
use calipers_draw::{Page, Run};
use calipers_files::{Error, Format, Loaded, Room, read_bytes};

use crate::answer::{Answer, Asked, ColumnInfo, Fault};

/// What rows may take, as on the command line: it decides how many rows are learnt from.
const ROOM: Room = Room { memory: 2_000_000_000, sample: None };

/// A file, measured as often as its columns are named in another way.
#[derive(Debug)]
pub struct Session {
    name: String,
    bytes: Vec<u8>,
    columns: Vec<ColumnInfo>,
    seen: Option<Examination>,
}

impl Session {
    /// A file of this name.
    pub fn open(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), bytes, columns: Vec::new(), seen: None }
    }

    /// Reads and measures it as `calipers estimate` and `calipers report` do; `progress` is told how many fits are
    /// done, and of how many.
    pub fn measure(
        &mut self,
        asked: &Asked,
        progress: impl Fn(usize, usize) + Send + Sync + 'static,
    ) -> Answer {
        self.seen = None;
        let found = self.find(asked, progress);
        let columns = self.columns.clone();
        match found {
            Ok((understood, json)) => {
                Answer { columns, understood: Some(understood), json: Some(json), error: None }
            }
            Err(fault) => Answer { columns, error: Some(fault), ..Answer::default() },
        }
    }

    fn find(
        &mut self,
        asked: &Asked,
        progress: impl Fn(usize, usize) + Send + Sync + 'static,
    ) -> Result<(String, String), Fault> {
        let Loaded { predictions, folds, .. } = self.load(asked)?;
        let mut estimator = Estimator::new().best(true).watch(move |done, total| {
            progress(done, total);
            ControlFlow::Continue(())
        });
        if let Some(folds) = folds {
            estimator = estimator.fold_plan(folds);
        }
        let most = ROOM.sample_of(predictions.classes());
        let report = estimator.clone().sample(most).estimate(&predictions)?;
        let understood = report.origin.as_ref().map(|origin| origin.line(&report.classes));
        self.seen = Some(estimator.examine(&[(&self.name, &predictions)])?);
        Ok((understood.unwrap_or_default(), format!("{:#}\n", report.to_json())))
    }

    fn load(&mut self, asked: &Asked) -> Result<Loaded, Error> {
        let format = Format::of(Path::new(&self.name))?;
        if !format.is_built_in() {
            let message =
                format!("{}: no {} files are read in a browser", self.name, format.name());
            return Err(Error::input(message)
                .with_hint("write it as CSV, or measure it with calipers estimate"));
        }
        let columns = asked.columns();
        let table = read_bytes(&self.name, &self.bytes, &columns.wanted())?;
        // Columns that are not needed are not read: the first time all are.
        if self.columns.is_empty() {
            self.columns = ColumnInfo::all(&table);
        }
        Loaded::of(table, &columns, &|_| {})
    }

    /// The report as a page of HTML: what was measured took so many seconds, until so many seconds after 1970.
    /// Empty, if nothing was found.
    pub fn page(&self, seconds: f64, when: f64) -> String {
        let Some(seen) = &self.seen else { return String::new() };
        let program = concat!("calipers ", env!("CARGO_PKG_VERSION"), " in a browser");
        let since = Duration::try_from_secs_f64(when).unwrap_or_default();
        let when: SystemTime = UNIX_EPOCH.checked_add(since).unwrap_or(UNIX_EPOCH);
        Page::new(seen, Run::at(program, seconds, when)).html()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use calipers_files::load;
    use serde_json::Value;

    use super::*;

    const CELLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/cells_lgbm.csv");

    fn asked(json: &str) -> Asked {
        serde_json::from_str(json).unwrap()
    }

    fn measured(text: &str, how: &str) -> Answer {
        Session::open("dropped.csv", text.into()).measure(&asked(how), |_, _| ())
    }

    #[test]
    fn a_file_is_measured_as_on_the_command_line() {
        let mut session = Session::open("cells_lgbm.csv", std::fs::read(CELLS).unwrap());
        let fits = Arc::new(AtomicUsize::new(0));
        let told = Arc::clone(&fits);
        let answer = session.measure(&Asked::default(), move |done, total| {
            assert!(done <= total);
            told.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(answer.error, None);
        assert!(fits.load(Ordering::Relaxed) > 0);
        let loaded = load(CELLS, &asked("{}").columns(), &|_| ()).unwrap();
        let expected = Estimator::new().best(true).estimate(&loaded.predictions).unwrap().to_json();
        assert_eq!(serde_json::from_str::<Value>(&answer.json.unwrap()).unwrap(), expected);
        assert_eq!(answer.understood.unwrap(), "p_PS -> P(PS), p_WS -> P(WS); labels: label");
        let page = session.page(0.25, 1_794_824_523.0);
        assert!(page.contains("2026-11-16 10:22 UTC") && page.contains("<dd>0.25 s</dd>"));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place_and_nothing_of_the_file_before_is_left() {
        let mut session =
            Session::open("dropped.csv", b"label,p_a,p_b\na,0.75,0.25\nb,0.5,high\n".into());
        let error = session.measure(&Asked::default(), |_, _| ()).error.unwrap();
        assert_eq!(
            error.message,
            "dropped.csv, line 3, column p_b: probability \"high\" is not a number"
        );
        assert_eq!(session.page(0.0, 0.0), "");
    }

    #[test]
    fn what_is_ambiguous_may_be_chosen() {
        let rows: String = (0..40)
            .map(|row| format!("{},{},0.{}5\n", row % 2, ["no", "yes"][row / 2 % 2], row % 9))
            .collect();
        let text = format!("y,target,score\n{rows}");
        let answer = measured(&text, "{}");
        let error = answer.error.unwrap();
        assert!(error.message.ends_with("y or target may be the column of what was observed"));
        assert_eq!(error.hint.as_deref(), Some("--label names the right one"));
        let known = |name: &str, numbers: bool, values: &[&str]| ColumnInfo {
            name: name.to_owned(),
            numbers,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        assert_eq!(
            answer.columns[..2],
            [known("y", true, &["0", "1"]), known("target", false, &["no", "yes"])]
        );
        assert!(answer.columns[2].numbers && answer.columns[2].values.len() == 9);
        let chosen =
            measured(&text, r#"{"label": "target", "scores": ["score"], "positive": "no"}"#);
        assert_eq!(chosen.error, None);
        assert!(chosen.understood.unwrap().starts_with("score -> P(no); labels: target"));
        let logits = measured(&text, r#"{"label": "y", "scores": ["score"], "logits": true}"#);
        assert!(logits.json.unwrap().contains("\"logits\""));
    }

    #[test]
    fn what_cannot_be_read_here_is_refused_with_a_way_out() {
        let mut session = Session::open("table.parquet", b"PAR1".into());
        let answer = session.measure(&Asked::default(), |_, _| ());
        // Where the workspace is built as a whole, Parquet is within.
        let error = answer.error.unwrap();
        assert!(error.message.contains("table.parquet") && answer.columns.is_empty());
    }

    #[test]
    fn columns_of_many_values_are_not_classes() {
        let rows: String = (0..30).map(|row| format!("{},c{row},0.{row}\n", row % 2)).collect();
        let answer = measured(&format!("label,id,p\n{rows}"), "{}");
        assert_eq!(answer.error, None);
        assert_eq!(answer.columns[1].values, [] as [&str; 0]);
    }
}
