//! What Inspect and HELM write, as `calipers inspect` and `calipers helm` read it. `checks/integrations` runs the
//! harnesses themselves.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::{Place, Ran};

/// A log that Inspect wrote: `studies/oracles/inspect_log.py`.
const LOG: &[u8] = include_bytes!("inspect/log.eval");

/// How sure a model is of an answer, and whether it is right: less often than it thinks.
fn answer(row: u32) -> (f64, bool) {
    let sure = 0.5 + f64::from(row * 37 % 50) / 100.0;
    (sure, f64::from(row * 61 % 97) / 97.0 < sure - 0.15)
}

/// A sample of Inspect.
fn sample(row: u32, epoch: u32, score: Value) -> Value {
    json!({ "id": row, "epoch": epoch, "scores": { "sure": score } })
}

fn scored(row: u32) -> Value {
    let (sure, right) = answer(row);
    json!({ "value": if right { "C" } else { "I" }, "metadata": { "confidence": sure } })
}

fn samples(rows: u32) -> Vec<Value> {
    (0..rows).map(|row| sample(row, 1, scored(row))).collect()
}

/// Writes a log of Inspect.
fn log(place: &Place, name: &str, head: Value, samples: &[Value]) {
    fs::create_dir_all(place.path("logs")).unwrap();
    place.write(&format!("logs/{name}"), json!({ "eval": head, "samples": samples }).to_string());
}

fn head(task: &str, model: &str, created: &str) -> Value {
    json!({ "task": task, "model": model, "created": created })
}

fn inspect(place: &Place, more: &[&str]) -> Ran {
    place.run(&[&["inspect", "logs", "--recalibrator", "affine", "--draws", "9"], more].concat())
}

fn read(place: &Place, more: &[&str]) -> Value {
    inspect(place, &[more, &["--format", "json"]].concat()).json()
}

/// The same rows as a table.
fn table(place: &Place, rows: impl Iterator<Item = (f64, bool)>) -> Value {
    let lines = rows.map(|(sure, right)| format!("{sure},{}\n", u8::from(right)));
    place.write("same.csv", format!("sure,right\n{}", lines.collect::<String>()));
    let columns = ["--confidence-column", "sure", "--correct-column", "right"];
    let asked = ["--recalibrator", "affine", "--draws", "9", "--metric", "l1,over-l1,brier"];
    place
        .run(&[&["estimate", "same.csv", "--format", "json"], &columns[..], &asked].concat())
        .json()
}

#[test]
fn a_log_is_the_table_of_its_answers() {
    let place = Place::new();
    let mut shuffled = samples(200);
    shuffled.reverse();
    log(&place, "one.json", head("sums", "org/model", "2026-01-31"), &shuffled);
    // What else is in a directory of logs.
    place.write("logs/listing.json", r#"{"one.json": {"status": "success"}}"#);
    place.write("logs/notes.txt", "nothing");
    let found = read(&place, &[]);
    let same = table(&place, (0..200).map(answer));
    assert_eq!(found["models"]["org/model"]["metrics"], same["metrics"]);
    assert_eq!(found["models"]["org/model"]["groups"]["sums"]["n"], 200);
    assert!(found["models"]["org/model"]["clusters"].is_null());
    let shown = inspect(&place, &[]).stdout;
    assert!(shown.contains("All rows are of one group, sums."), "{shown}");
    let page = inspect(&place, &["-o", "page.html"]);
    assert_eq!(page.status, 0, "{page:?}");
    assert!(fs::read_to_string(place.path("page.html")).unwrap().contains("org/model"));
}

#[test]
fn epochs_belong_together_and_tasks_are_groups() {
    let place = Place::new();
    let epochs = (0..200).map(|row| sample(row % 100, 1 + row / 100, scored(row)));
    log(&place, "one.json", head("sums", "m", "2026-01-31"), &epochs.collect::<Vec<_>>());
    log(&place, "two.json", head("words", "m", "2026-01-31"), &samples(100));
    let other = json!({ "task": "words", "model": "m", "task_args_passed": { "level": 2 } });
    log(&place, "three.json", other, &samples(100));
    let own = &read(&place, &[])["models"]["m"];
    assert_eq!((&own["n"], &own["clusters"]), (&400.into(), &300.into()));
    let groups: Vec<&String> = own["groups"].as_object().unwrap().keys().collect();
    assert_eq!(groups, ["sums", "words", "words(level=2)"]);
    assert_eq!(read(&place, &["--task", "words"])["models"]["m"]["n"], 100);
    let wrong = inspect(&place, &["--task", "word"]);
    assert_eq!(
        wrong.stderr,
        "error: --task word: there is no such task\nhint: there are sums, words, words(level=2)\n"
    );
}

#[test]
fn the_last_of_several_logs_counts_and_models_stay_apart() {
    let place = Place::new();
    log(&place, "b.json", head("sums", "m", "2026-01-30T23:59:59"), &samples(150));
    log(&place, "a.json", head("sums", "m", "2026-01-31T00:00:00"), &samples(100));
    log(&place, "c.json", head("sums", "other", "2026-01-01"), &samples(120));
    let found = read(&place, &[]);
    assert_eq!((&found["earlier_files"], &found["models"]["m"]["n"]), (&1.into(), &100.into()));
    assert_eq!(found["models"]["other"]["n"], 120);
    let one = read(&place, &["--model", "other"]);
    assert_eq!(one["models"].as_object().unwrap().len(), 1);
    let page = inspect(&place, &["-o", "page.html"]);
    assert_eq!(
        page.stderr,
        "error: --output: a page is of one model, and there are 2\nhint: --model says which one: m, other\n"
    );
    let wrong = inspect(&place, &["--model", "x"]);
    assert_eq!(
        wrong.stderr,
        "error: --model x: there is no such model\nhint: there are m, other\n"
    );
}

/// Writes a log of Inspect that says how the run ended.
fn ended(place: &Place, name: &str, status: &str, head: Value, samples: &[Value]) {
    fs::create_dir_all(place.path("logs")).unwrap();
    let log = json!({ "version": 2, "status": status, "eval": head, "samples": samples });
    place.write(&format!("logs/{name}"), log.to_string());
}

fn reasons(found: &Value) -> Vec<&str> {
    let all = found["left_out"].as_array().unwrap().iter();
    all.map(|one| one["reason"].as_str().unwrap()).collect()
}

#[test]
fn a_run_that_was_broken_off_does_not_replace_a_whole_one() {
    let place = Place::new();
    ended(&place, "a.json", "error", head("sums", "m", "2026-01-30"), &samples(20));
    ended(&place, "b.json", "success", head("sums", "m", "2026-01-31"), &samples(150));
    ended(&place, "c.json", "cancelled", head("sums", "m", "2026-02-01"), &samples(30));
    let found = read(&place, &[]);
    assert_eq!((&found["earlier_files"], &found["models"]["m"]["n"]), (&1.into(), &150.into()));
    let of = "of which the run did not succeed";
    let later = format!("logs/c.json, {of} (cancelled): an earlier one that did counts");
    assert_eq!(reasons(&found), [later]);
    // Where there is no other, it counts, and it is said.
    ended(&place, "d.json", "started", head("words", "m", "2026-02-01"), &samples(100));
    let found = read(&place, &["--task", "words"]);
    assert_eq!(found["models"]["m"]["n"], 100);
    let alone =
        format!("logs/d.json, {of} (started): what it did not come to, and there is no other");
    assert_eq!(reasons(&found), [&alone]);
    let shown = inspect(&place, &["--task", "words"]).stdout;
    assert!(shown.ends_with(&format!("note: left out: words of m: {alone}\n")), "{shown}");
}

#[test]
fn the_last_log_is_the_last_wherever_it_was_written() {
    let place = Place::new();
    // As text, noon is after eleven.
    log(&place, "a.json", head("sums", "m", "2026-01-31T12:00:00+02:00"), &samples(150));
    log(&place, "b.json", head("sums", "m", "2026-01-31T11:00:00-05:00"), &samples(100));
    let found = read(&place, &[]);
    assert_eq!((&found["earlier_files"], &found["models"]["m"]["n"]), (&1.into(), &100.into()));
}

#[test]
fn runs_with_other_settings_are_of_other_models() {
    let place = Place::new();
    let with = |task: &str, day: &str, settings: Value| {
        let mut head = head(task, "m", day);
        head.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        head
    };
    let settings = |solver: &str, temperature: Value, connections: u32| {
        json!({
            "solver": solver,
            "solver_args_passed": {},
            "model_args": { "device": "cpu" },
            "model_generate_config": { "temperature": temperature, "max_connections": connections },
        })
    };
    let plain = settings("plain", Value::Null, 1);
    log(&place, "a.json", with("sums", "2026-01-01", plain), &samples(150));
    // How the model is called is no other way to ask it.
    let again = settings("plain", Value::Null, 9);
    log(&place, "b.json", with("sums", "2026-01-02", again), &samples(140));
    log(
        &place,
        "c.json",
        with("sums", "2026-01-03", settings("cot", json!(0.5), 1)),
        &samples(120),
    );
    let mut deep = settings("cot", json!(0.5), 1);
    deep["solver_args_passed"] = json!({ "depth": 2 });
    log(&place, "d.json", with("sums", "2026-01-04", deep), &samples(110));
    let found = read(&place, &[]);
    let rows: Vec<(&str, u64)> = found["models"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, one)| (name.as_str(), one["n"].as_u64().unwrap()))
        .collect();
    assert_eq!(
        rows,
        [
            ("m (solver=cot, solver_args=depth=2, temperature=0.5)", 110),
            ("m (solver=cot, temperature=0.5)", 120),
            ("m (solver=plain)", 140),
        ]
    );
    assert_eq!(found["earlier_files"], 1);
    // Tasks with solvers of their own are of one model.
    let place = Place::new();
    log(&place, "a.json", with("sums", "2026-01-01", json!({ "solver": "plain" })), &samples(100));
    log(&place, "b.json", with("words", "2026-01-02", json!({ "solver": "cot" })), &samples(100));
    assert_eq!(read(&place, &[])["models"]["m"]["n"], 200);
}

#[test]
fn long_settings_are_cut_where_they_still_tell_models_apart() {
    let place = Place::new();
    let message = "You are a calculator, and answer in numbers alone.";
    let said = |text: String| {
        let mut head = head("sums", "m", "");
        head["model_generate_config"] = json!({ "system_message": text });
        head
    };
    log(&place, "a.json", said(message.to_owned()), &samples(100));
    log(&place, "b.json", head("sums", "m", ""), &samples(110));
    let names = |place: &Place| -> Vec<String> {
        read(place, &[])["models"].as_object().unwrap().keys().cloned().collect()
    };
    let cut = "m (system_message=You are a calculator, and answer in numb…)";
    assert_eq!(names(&place), ["m", cut]);
    log(&place, "c.json", said(format!("{message} Or words.")), &samples(120));
    let whole = |rest: &str| format!("m (system_message={message}{rest})");
    assert_eq!(names(&place), ["m".to_owned(), whole(" Or words."), whole("")]);
}

#[test]
fn samples_that_were_declared_invalid_are_left_out_and_counted() {
    let place = Place::new();
    let mut some = samples(100);
    let who = json!({ "timestamp": "2026-01-31T12:00:00Z", "author": "a", "reason": "leaked" });
    some[3]["invalidation"] = who.clone();
    some[4]["invalidation"] = who;
    some[5]["invalidation"] = Value::Null;
    log(&place, "one.json", head("sums", "m", ""), &some);
    let found = read(&place, &[]);
    assert_eq!((&found["models"]["m"]["n"], &found["without_confidence"]), (&98.into(), &0.into()));
    assert_eq!(reasons(&found), ["2 samples of logs/one.json, which were declared invalid"]);
    some[4]["invalidation"] = Value::Null;
    log(&place, "one.json", head("sums", "m", ""), &some);
    assert_eq!(
        reasons(&read(&place, &[])),
        ["1 sample of logs/one.json, which was declared invalid"]
    );
}

#[test]
fn where_two_scorers_may_be_meant_one_is_to_be_named() {
    let place = Place::new();
    let both = |row: u32| {
        let (sure, right) = answer(row);
        json!({
            "id": row,
            "metadata": { "confidence": sure },
            "scores": { "strict": { "value": right }, "kind": { "value": 1 } },
        })
    };
    log(&place, "one.json", head("sums", "m", ""), &(0..100).map(both).collect::<Vec<_>>());
    let unsaid = inspect(&place, &[]);
    assert_eq!(unsaid.status, 2);
    assert_eq!(
        unsaid.stderr,
        "error: logs/one.json: kind, strict may be the scorer to measure\nhint: --scorer says which one\n"
    );
    let strict = read(&place, &["--scorer", "strict"]);
    let same = table(&place, (0..100).map(answer));
    assert_eq!(strict["models"]["m"]["metrics"], same["metrics"]);
    let kind = read(&place, &["--scorer", "kind"]);
    assert_ne!(kind["models"]["m"]["metrics"], same["metrics"]);
    let wrong = inspect(&place, &["--scorer", "x"]);
    assert_eq!(
        wrong.stderr,
        "error: --scorer x: there is no such scorer\nhint: there are kind, strict\n"
    );
}

#[test]
fn what_cannot_be_measured_is_said() {
    let place = Place::new();
    let mut some = samples(100);
    some[3]["scores"]["sure"]["metadata"] = json!({});
    some[4]["scores"] = Value::Null;
    some[5]["scores"]["sure"]["value"] = json!("P");
    some[6]["scores"]["sure"]["value"] = json!(0.5);
    some[7]["scores"]["sure"]["value"] = json!({ "a": 1 });
    log(&place, "one.json", head("sums", "m", ""), &some);
    let none: Vec<Value> = (0..9).map(|row| sample(row, 1, json!({ "value": "C" }))).collect();
    log(&place, "two.json", head("silent", "m", ""), &none);
    let found = read(&place, &[]);
    let counts = (&found["without_confidence"], &found["neither_right_nor_wrong"]);
    assert_eq!(counts, (&2.into(), &3.into()));
    assert_eq!(found["models"]["m"]["n"], 95);
    assert_eq!(found["left_out"][0]["reason"], "no answer says how sure the model was");
    let shown = inspect(&place, &[]).stdout;
    let notes = "note: left out: silent of m: no answer says how sure the model was\n\
                 note: 2 answers without a confidence left out\n\
                 note: 3 answers neither right nor wrong left out\n";
    assert!(shown.ends_with(notes), "{shown}");
    let alone = inspect(&place, &["--task", "silent"]);
    assert_eq!(
        alone.stderr,
        "error: no task can be measured\n  silent of m: no answer says how sure the model was\n"
    );
    some[8]["scores"]["sure"]["metadata"]["confidence"] = json!(85);
    log(&place, "one.json", head("sums", "m", ""), &some);
    let percent = inspect(&place, &[]);
    assert_eq!(
        percent.stderr,
        "error: logs/one.json, sample 8: the confidence 85 is not a number from 0 to 1\n"
    );
}

#[test]
fn an_archive_is_read_whole_and_damage_is_an_error() {
    let place = Place::new();
    fs::create_dir(place.path("logs")).unwrap();
    place.write("logs/log.eval", LOG);
    let found = read(&place, &["--folds", "2"]);
    // As the script has it: ten questions, twice, of which the last answer is neither right nor wrong.
    let said = |row: u32| (f64::from(50 + row * 7 % 50) / 100.0, !row.is_multiple_of(3));
    let order = (0..10).flat_map(|row| [row, row + 10]).filter(|row| *row < 19);
    let own = &found["models"]["mockllm/model"];
    assert_eq!((&own["n"], &own["clusters"]), (&19.into(), &10.into()));
    assert_eq!(found["neither_right_nor_wrong"], 1);
    let samples: Vec<Value> = order
        .map(|row| {
            let (sure, right) = said(row);
            let score = json!({ "value": u8::from(right), "metadata": { "confidence": sure } });
            sample(row % 10 + 1, row / 10, score)
        })
        .collect();
    fs::remove_file(place.path("logs/log.eval")).unwrap();
    log(&place, "same.json", head("sums", "mockllm/model", ""), &samples);
    assert_eq!(&read(&place, &["--folds", "2"])["models"]["mockllm/model"], own);
    fs::remove_file(place.path("logs/same.json")).unwrap();
    for part in 0..40 {
        let cut = LOG.len() * part / 40;
        place.write("logs/log.eval", &LOG[..cut]);
        assert_eq!(inspect(&place, &[]).status, 2, "{cut} bytes");
        let mut bad = LOG.to_vec();
        bad[cut..(cut + 40).min(LOG.len())].fill(0x5a);
        place.write("logs/log.eval", &bad);
        assert!(inspect(&place, &[]).status <= 2, "damage at {cut}");
    }
}

/// Writes a run of HELM.
fn run(place: &Place, folder: &str, name: &str, model: &str, instances: &[Value]) {
    let folder = format!("runs/{folder}");
    fs::create_dir_all(place.path(&folder)).unwrap();
    let spec = json!({ "name": name, "adapter_spec": { "model": model } });
    place.write(&format!("{folder}/run_spec.json"), spec.to_string());
    let stats = Value::Array(instances.to_vec()).to_string();
    place.write(&format!("{folder}/per_instance_stats.json"), stats);
}

fn stat(name: &str, value: f64) -> Value {
    json!({ "name": { "name": name, "split": "test" }, "count": 1, "sum": value, "mean": value })
}

/// What HELM keeps of a question: an entry for each of its metrics.
fn instances(rows: u32, log_probability: f64) -> Vec<Value> {
    let both = |row: u32| {
        let (sure, right) = answer(row);
        let right = f64::from(u8::from(right));
        let about = |stats: Value| json!({ "instance_id": format!("id{row:04}"), "train_trial_index": 0, "stats": stats });
        [
            about(json!([stat("exact_match", right), stat("logprob", log_probability)])),
            about(json!([stat("max_prob", sure)])),
        ]
    };
    (0..rows).flat_map(both).collect()
}

fn helm(place: &Place, more: &[&str]) -> Ran {
    let words = ["helm", "runs", "--recalibrator", "affine", "--draws", "9", "--format", "json"];
    place.run(&[&words, more].concat())
}

#[test]
fn a_run_of_helm_is_the_table_of_its_answers() {
    let place = Place::new();
    let mut all = instances(200, -1.0);
    let mut copy = all[0].clone();
    copy["perturbation"] = json!({ "name": "typos" });
    copy["stats"][0]["mean"] = json!(0.0);
    all.push(copy);
    run(&place, "suite/boolq:model=org_m", "boolq:model=org_m", "org/m", &all);
    let found = helm(&place, &[]).json();
    let same = table(&place, (0..200).map(answer));
    assert_eq!(found["models"]["org/m"]["metrics"], same["metrics"]);

    // Another trial of the same questions belongs with the first one.
    let again = instances(200, -1.0).into_iter().map(|mut one| {
        one["train_trial_index"] = json!(1);
        one
    });
    let both: Vec<Value> = all.into_iter().chain(again).collect();
    run(&place, "suite/boolq:model=org_m", "boolq:model=org_m", "org/m", &both);
    let own = &helm(&place, &[]).json()["models"]["org/m"];
    assert_eq!((&own["n"], &own["clusters"]), (&400.into(), &200.into()));
}

#[test]
fn runs_of_helm_that_say_nothing_are_left_out_and_two_of_one_task_refused() {
    let place = Place::new();
    run(&place, "a", "mmlu:subject=law,model=m,max=1", "", &instances(100, -1.0));
    run(&place, "b", "boolq:model=m", "", &instances(100, 0.0));
    let found = helm(&place, &[]).json();
    assert_eq!(
        found["left_out"][0],
        json!({
            "model": "m",
            "task": "boolq",
            "reason": "all log-probabilities are 0: the model gave none",
        })
    );
    let tasks: Vec<&String> = found["models"]["m"]["groups"].as_object().unwrap().keys().collect();
    assert_eq!(tasks, ["mmlu:subject=law,max=1"]);
    run(&place, "c", "boolq:model=m", "", &instances(100, -1.0));
    let twice = helm(&place, &[]);
    let (b, c) = (Path::new("runs/b"), Path::new("runs/c"));
    assert_eq!(
        twice.stderr,
        format!(
            "error: boolq of m is there twice: {} and {}\nhint: name the directory of one suite\n",
            b.join("per_instance_stats.json").display(),
            c.join("per_instance_stats.json").display()
        )
    );
    fs::remove_file(place.path("runs/c/run_spec.json")).unwrap();
    let lost = helm(&place, &[]);
    assert_eq!((lost.status, lost.stderr.contains("run_spec.json")), (2, true), "{lost:?}");
}

#[test]
fn what_helm_did_not_count_hides_nothing() {
    let place = Place::new();
    let mut all = instances(100, -1.0);
    let empty =
        |name: &str| json!({ "name": { "name": name }, "count": 0, "sum": 0.0, "mean": 0.0 });
    // Entries for each of the questions, behind those that count.
    for row in 0..100 {
        let stats = json!([empty("exact_match"), empty("max_prob"), empty("logprob")]);
        let id = format!("id{row:04}");
        all.push(json!({ "instance_id": id, "train_trial_index": 0, "stats": stats }));
    }
    run(&place, "a", "boolq:model=m", "m", &all);
    let found = helm(&place, &[]).json();
    let same = table(&place, (0..100).map(answer));
    assert_eq!(found["models"]["m"]["metrics"], same["metrics"]);
}
