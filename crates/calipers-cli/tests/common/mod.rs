//! Running the program in a directory of its own.

#[path = "../../../calipers-files/tests/common/npy.rs"]
pub mod npy;
#[path = "../../../calipers-files/tests/common/rows.rs"]
mod rows;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

pub use rows::{delimited, rows};

/// A directory with files for whatever can be asked of one: `table.csv`, of which `other.csv` is another
/// model, `rounded.csv` the same with sums that are off and `few.csv` some rows, `model.json`, fitted
/// to it, `runs` of a language model, and what Inspect (`logs`) and HELM (`helm`) write of two.
pub fn place_of_options() -> Place {
    let place = Place::new();
    for (name, lowest, factor) in
        [("table.csv", 0, 1.0), ("other.csv", 8, 1.0), ("rounded.csv", 0, 0.98)]
    {
        let mut text =
            "label,truth,p_0,p_1,prob_0,prob_1,logit_0,logit_1,weight,group,fold,id\n".to_owned();
        for row in 0..240u32 {
            // The first row makes log infinite; no other one is impossible.
            let p = f64::from((1 + row * 37 % 239).max(lowest)) / 240.0;
            let p = if row == 0 { 1.0 } else { p };
            let label = u32::from(row % 10 > 0 && row * row % 7 < 4);
            text.push_str(&format!(
                "{label},{},{},{},{},{},{},{},{},{},{},{}\n",
                ["false", "true"][(row * 3 % 5 % 2) as usize],
                (1.0 - p) * factor,
                p * factor,
                (1.0 - p * p) * factor,
                p * p * factor,
                -4.0 * p - 0.25,
                f64::from(row % 17) / 8.0 + 1.5,
                1 + row % 3,
                ["north", "south"][(row % 2) as usize],
                row % 4,
                row * 101 % 240,
            ));
        }
        place.write(name, &text);
        if name == "table.csv" {
            let few: Vec<&str> =
                text.lines().take(1).chain(text.lines().skip(2).take(12)).collect();
            place.write("few.csv", few.join("\n"));
        }
    }
    for task in ["one", "two"] {
        let lines = (0..120_u32).map(|row| {
            let right = usize::from(row * row % 7 < 4);
            let options = [-0.02 * f64::from(row), -0.03 * f64::from((row * 37) % 100)];
            // What was right was impossible once.
            let options = if row == 5 { [f64::NEG_INFINITY, -1.0] } else { options };
            sample(row.into(), if row == 5 { 0 } else { right }, &options)
        });
        place.samples("runs/org__model", task, "2026-01-31T12-00-00", &lines.collect::<Vec<_>>());
    }
    place.answers();
    let fit = ["recalibrate", "fit", "table.csv", "--probs", "p_0,p_1", "-o", "model.json"];
    let fitted = place.run(&[&fit[..], &["--label", "label", "--recalibrator", "affine"]].concat());
    assert_eq!(fitted.status, 0, "{fitted:?}");
    place
}

/// A line of what lm-evaluation-harness writes of a question with options.
pub fn sample(number: u64, right: usize, options: &[f64]) -> Value {
    let best =
        (0..options.len()).fold(0, |best, at| if options[at] > options[best] { at } else { best });
    let said = |score: &f64| json!([score.to_string(), "False"]);
    json!({
        "doc_id": number,
        "target": right.to_string(),
        "filtered_resps": options.iter().map(said).collect::<Vec<_>>(),
        "filter": "none",
        "metrics": ["acc"],
        "acc": if best == right { 1.0 } else { 0.0 },
    })
}

/// A directory that goes away with the test.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Writes what lm-evaluation-harness leaves of a task.
    pub fn samples(&self, folder: &str, task: &str, date: &str, lines: &[Value]) -> PathBuf {
        fs::create_dir_all(self.path(folder)).unwrap();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.write(&format!("{folder}/samples_{task}_{date}.jsonl"), text)
    }

    /// Writes what Inspect and HELM leave of two tasks and two models, one of which was sure and wrong once.
    fn answers(&self) {
        for (model, task) in [("m", "one"), ("m", "two"), ("other", "one")] {
            let sure = |row: u32| f64::from(50 + row * 37 % 51) / 100.0;
            let right = |row: u32| !row.is_multiple_of(3) && sure(row) < 1.0;
            let sample = |row: u32| {
                let known = json!({ "confidence": sure(row), "other": 1.0 - sure(row) });
                let scores = json!({
                    "sure": { "value": right(row), "metadata": known },
                    "kind": { "value": !row.is_multiple_of(5) },
                });
                json!({ "id": row, "epoch": 1, "scores": scores, "metadata": known })
            };
            let eval = json!({ "task": task, "model": model, "created": "2026-01-31" });
            let samples: Vec<Value> = (0..120).map(sample).collect();
            fs::create_dir_all(self.path("logs")).unwrap();
            let log = json!({ "eval": eval, "samples": samples }).to_string();
            self.write(&format!("logs/{model}-{task}.json"), log);
            let instance = |row: u32| {
                let right = f64::from(u8::from(right(row)));
                let all = [("logprob", -1.0), ("max_prob", sure(row)), ("exact_match", right)];
                let all = all.map(|(name, mean)| json!({ "name": { "name": name }, "mean": mean }));
                json!({ "instance_id": format!("id{row}"), "stats": all })
            };
            let folder = format!("helm/{task}-{model}");
            fs::create_dir_all(self.path(&folder)).unwrap();
            let spec = json!({ "name": format!("{task}:model={model}") }).to_string();
            self.write(&format!("{folder}/run_spec.json"), spec);
            let instances: Vec<Value> = (0..120).map(instance).collect();
            let stats = Value::Array(instances).to_string();
            self.write(&format!("{folder}/per_instance_stats.json"), stats);
        }
    }

    /// The names of the files here, hidden ones too.
    pub fn names(&self) -> Vec<String> {
        let files = fs::read_dir(self.0.path()).unwrap();
        let name = |file: std::io::Result<fs::DirEntry>| file.unwrap().file_name();
        let mut names: Vec<String> =
            files.map(|file| name(file).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Runs `calipers` here.
    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::from(self.command(args).output().unwrap())
    }

    /// Runs `calipers` here with something on standard input.
    pub fn pipe(&self, args: &[&str], input: &[u8]) -> Ran {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        Ran::from(child.wait_with_output().unwrap())
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_calipers"));
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// The JSON of an estimate, quick and the same every time.
    pub fn estimate(&self, file: impl AsRef<Path>, options: &[&str]) -> Value {
        let file = file.as_ref().to_string_lossy().into_owned();
        let quick = ["estimate", &file, "--format", "json", "--recalibrator", "temperature"];
        self.run(&[&quick[..], options].concat()).json()
    }
}

/// What a run left behind.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// Standard output as JSON, of a run that went well.
    pub fn json(&self) -> Value {
        assert_eq!(self.status, 0, "{self:?}");
        serde_json::from_str(&self.stdout).unwrap()
    }
}
