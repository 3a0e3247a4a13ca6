//! What lm-evaluation-harness writes, as `calipers lm-eval` reads it. `checks/integrations` runs the harness
//! itself.

use serde_json::{Value, json};

use crate::common::{Place, Ran, sample};

const DATE: &str = "2026-01-31T12-00-00.123456";

/// Questions with 2 to 5 options, which a model knows something of.
fn questions(count: u64, skill: f64) -> Vec<Value> {
    let question = |row: u64| {
        let options = 2 + (row * 7 % 4) as usize;
        let right = (row * 13 % options as u64) as usize;
        let score = |at: usize| {
            let noise = ((row * 31 + 17 * at as u64) % 97) as f64 / 97.0;
            -3.0 * noise + if at == right { skill } else { 0.0 }
        };
        sample(row, right, &(0..options).map(score).collect::<Vec<_>>())
    };
    (0..count).map(question).collect()
}

fn run(place: &Place, more: &[&str]) -> Ran {
    place.run(
        &[&["lm-eval", "runs", "--recalibrator", "temperature", "--draws", "9"], more].concat(),
    )
}

fn json(place: &Place) -> Value {
    run(place, &["--format", "json"]).json()
}

/// The same questions as a table of probabilities, padded with zeros.
fn table(lines: &[Value]) -> String {
    let mut text = "label,p_0,p_1,p_2,p_3,p_4\n".to_owned();
    for line in lines {
        let options = line["filtered_resps"].as_array().unwrap();
        let mass: Vec<f64> = options
            .iter()
            .map(|one| one[0].as_str().unwrap().parse::<f64>().unwrap().exp())
            .collect();
        let sum: f64 = mass.iter().sum();
        let cells = (0..5).map(|at| mass.get(at).map_or(0.0, |mass| mass / sum).to_string());
        text.push_str(&format!("{},", line["target"].as_str().unwrap()));
        text.push_str(&(cells.collect::<Vec<_>>().join(",") + "\n"));
    }
    text
}

#[test]
fn a_task_is_the_table_of_its_probabilities() {
    let place = Place::new();
    let lines = questions(300, 1.0);
    place.samples("runs/org__model", "arc_easy", DATE, &lines);
    let found = json(&place);
    place.write("same.csv", table(&lines));
    let same = place.estimate("same.csv", &["--metric", "top-l1,l1", "--draws", "9"]);
    let own = &found["models"]["org__model"];
    for metric in ["top-l1", "l1"] {
        let value = |json: &Value| json["metrics"][metric]["value"].as_f64().unwrap();
        assert!((value(own) - value(&same)).abs() < 1e-12, "{own} {same}");
        let group = value(&own["groups"]["arc_easy"]);
        assert!((group - value(own)).abs() < 1e-12, "the only task is all there is");
    }
    assert_eq!(own["n"], 300);
}

#[test]
fn models_are_compared_on_the_questions_that_they_share() {
    let place = Place::new();
    let (more, mut fewer) = (questions(300, 2.0), questions(260, 1.0));
    place.samples("runs/a", "arc", DATE, &more);
    fewer.reverse();
    place.samples("runs/b", "arc", DATE, &fewer);
    // The name is that of the results, where there are any.
    place.write(&format!("runs/b/results_{DATE}.json"), r#"{"model_name": "org/b"}"#);
    let found = json(&place);
    assert_eq!((&found["shared"], &found["models"]["a"]["n"]), (&260.into(), &300.into()));
    assert_eq!(found["models"]["org/b"]["n"], 260);
    let board = found["leaderboard"]["top-l1"].as_array().unwrap();
    assert!(board.len() == 2 && found["differences"].as_array().unwrap().len() == 2, "{found}");
    let csv = run(&place, &["--format", "csv"]).stdout;
    assert_eq!(csv.lines().count(), 5, "{csv}");
    assert!(run(&place, &["--format", "html"]).stdout.contains("2 models, 260 rows each"));
    let shown = run(&place, &["-o", &place.path("page.html").to_string_lossy()]);
    assert!(shown.stdout.contains("260 questions that all models answered"), "{shown:?}");
    assert!(std::fs::read_to_string(place.path("page.html")).unwrap().contains("org/b"));
}

#[test]
fn the_right_option_is_found_by_number_or_by_text_as_the_harness_counts() {
    let place = Place::new();
    let lines = questions(120, 1.0);
    place.samples("runs/m", "by_number", DATE, &lines);
    let texts = |line: &Value, text: &dyn Fn(usize) -> String| {
        let count = line["filtered_resps"].as_array().unwrap().len();
        let all = (0..count).map(|at| {
            (
                format!("gen_args_{at}"),
                json!({ "arg_0": "question", "arg_1": format!(" {}", text(at)) }),
            )
        });
        Value::Object(all.collect())
    };
    let right = |line: &Value| line["target"].as_str().unwrap().parse::<usize>().unwrap();
    let by_text = lines.iter().cloned().map(|mut line| {
        // Numbers as texts, of other options than their own numbers.
        line["arguments"] = texts(&line, &|at| (at + 1).to_string());
        line["target"] = (right(&line) + 1).to_string().into();
        line
    });
    place.samples("runs/m", "by_text", DATE, &by_text.collect::<Vec<_>>());
    // Two questions of one answer each: what was counted tells the right one.
    let pairs = lines.iter().filter(|line| line["filtered_resps"].as_array().unwrap().len() == 2);
    let pairs: Vec<Value> = pairs.cloned().collect();
    let shared = pairs.iter().cloned().map(|mut line| {
        line["arguments"] = texts(&line, &|_| "the end".to_owned());
        line["target"] = "the end".into();
        line
    });
    place.samples("runs/m", "by_outcome", DATE, &shared.collect::<Vec<_>>());
    place.samples("runs/m", "pairs", DATE, &pairs);
    let found = json(&place);
    let groups = &found["models"]["m"]["groups"];
    for (one, other) in [("by_number", "by_text"), ("by_outcome", "pairs")] {
        assert!(groups[one]["metrics"]["l1"]["value"].is_number(), "{found}");
        assert_eq!(groups[one]["metrics"]["l1"]["value"], groups[other]["metrics"]["l1"]["value"]);
    }
    assert_eq!(found["left_out"], json!([]));
}

#[test]
fn what_is_not_multiple_choice_is_named_and_left_out() {
    let place = Place::new();
    let lines = questions(60, 1.0);
    let changed = |task: &str, key: &str, value: Value| {
        let lines: Vec<Value> = lines
            .iter()
            .cloned()
            .map(|mut line| {
                line[key] = value.clone();
                line
            })
            .collect();
        place.samples("runs/m", task, DATE, &lines);
    };
    place.samples("runs/m", "fine", DATE, &lines);
    changed("written", "filtered_resps", json!(["text"]));
    changed("alone", "filtered_resps", json!([["-1.5", "False"]]));
    changed("several", "target", json!("[0, 1]"));
    changed("partly", "acc", json!(0.37));
    changed("unknown", "target", json!("elsewhere"));
    changed("wrong", "target", json!("0"));
    let found = json(&place);
    let reasons: Vec<(&str, &str)> = found["left_out"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["task"].as_str().unwrap(), one["reason"].as_str().unwrap()))
        .collect();
    assert_eq!(
        reasons,
        [
            ("alone", "there is nothing to choose from"),
            ("partly", "it counts answers as partly right, so no single option is"),
            ("several", "several of its options are right"),
            ("unknown", "the target \"elsewhere\" is none of its options"),
            ("written", "its answers are written, not chosen from options"),
            ("wrong", "its targets do not agree with what was counted as right"),
        ]
    );
    assert_eq!(found["models"]["m"]["n"], 60);
    let text = run(&place, &[]).stdout;
    assert!(
        text.contains("note: left out: partly of m: it counts answers as partly right"),
        "{text}"
    );
    let none = place.run(&["lm-eval", "runs", "--task", "written"]);
    assert!(none.status == 2 && none.stderr.contains("error: no task can be measured"), "{none:?}");
}

#[test]
fn earlier_runs_other_filters_and_mutual_information_are_passed_over() {
    let place = Place::new();
    let lines = questions(80, 1.0);
    place.samples("runs/m", "arc", "2026-01-30T12-00-00", &questions(70, 0.0));
    let mut twice = lines.clone();
    twice.extend(lines.iter().cloned().map(|mut line| {
        line["filter"] = "other".into();
        line
    }));
    place.samples("runs/m", "arc", DATE, &twice);
    let mutual = lines.iter().cloned().map(|mut line| {
        let own = line["filtered_resps"].as_array().unwrap().clone();
        let without = own.iter().map(|_| json!(["-9.5", "False"]));
        line["filtered_resps"] = own.iter().cloned().chain(without).collect();
        line["metrics"] = json!(["acc", "acc_mutual_info"]);
        line
    });
    place.samples("runs/m", "mutual", DATE, &mutual.collect::<Vec<_>>());
    let found = json(&place);
    let groups = &found["models"]["m"]["groups"];
    assert_eq!((&groups["arc"]["n"], &found["earlier_files"]), (&80.into(), &1.into()));
    let l1 = |task: &str| groups[task]["metrics"]["l1"]["value"].clone();
    assert_eq!(l1("arc"), l1("mutual"));
}

#[test]
fn damaged_lines_are_named_with_their_places() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("runs/m")).unwrap();
    let good = sample(0, 1, &[-1.0, -2.0]).to_string();
    let said = |second: &str| {
        place.write("runs/m/samples_t_1.jsonl", format!("{good}\n{second}\n"));
        let ran = place.run(&["lm-eval", "runs"]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{ran:?}");
        ran.stderr
    };
    let two = "samples_t_1.jsonl, line 2: ";
    assert!(said("{\"doc_id\": ").contains(&format!("{two}this is no sample of lm_eval")));
    assert!(said(&good).contains(&format!("{two}question 0 was on line 1 already")));
    let other = |scores: Value| {
        json!({ "doc_id": 1, "target": "0", "filtered_resps": scores, "filter": "none" })
            .to_string()
    };
    let nan = said(&other(json!([["nan", "False"], ["-1", "False"]])));
    assert!(nan.contains(&format!("{two}the log-likelihood \"nan\" is not a number")), "{nan}");
    let none = said(&other(json!([["-inf", "False"], ["-inf", "False"]])));
    assert!(none.contains(&format!("{two}no option is possible")), "{none}");
    let number = said(
        &json!({ "doc_id": "x", "filtered_resps": [["-1", ""], ["-2", ""]], "filter": "none" })
            .to_string(),
    );
    assert!(number.contains(&format!("{two}doc_id is not a number")), "{number}");
    let nowhere = place.run(&["lm-eval", "nowhere"]);
    assert!(nowhere.status == 2 && nowhere.stderr.contains("cannot read nowhere"), "{nowhere:?}");
    std::fs::create_dir(place.path("empty")).unwrap();
    let empty = place.run(&["lm-eval", "empty"]);
    assert!(empty.status == 2 && empty.stderr.contains("--log_samples"), "{empty:?}");
}
