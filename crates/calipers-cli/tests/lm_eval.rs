//! What lm-evaluation-harness writes, as `calipers lm-eval` reads it. `checks/integrations` runs the harness
//! itself.

use std::fs;

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
    assert!(fs::read_to_string(place.path("page.html")).unwrap().contains("org/b"));
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
    changed("written_twice", "filtered_resps", json!([["The answer is 7", "it is 8"]]));
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
            ("written_twice", "its answers are written, not chosen from options"),
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

/// Lines with another value under a key, or without that key.
fn with(lines: &[Value], key: &str, value: Option<&Value>) -> Vec<Value> {
    let one = |line: &Value| {
        let mut line = line.clone();
        let known = line.as_object_mut().unwrap();
        match value {
            Some(value) => known.insert(key.to_owned(), value.clone()),
            None => known.remove(key),
        };
        line
    };
    lines.iter().map(one).collect()
}

/// What was left out: tasks, and why.
fn left_out(found: &Value) -> Vec<(&str, &str)> {
    let all = found["left_out"].as_array().unwrap().iter();
    all.map(|one| (one["task"].as_str().unwrap(), one["reason"].as_str().unwrap())).collect()
}

#[test]
fn texts_that_are_scored_whole_are_not_called_written() {
    let place = Place::new();
    let line = json!({
        "doc_id": 0, "target": " text", "arguments": { "gen_args_0": { "arg_0": "text" } },
        "filtered_resps": ["-12.5"], "filter": "none", "metrics": ["word_perplexity"],
    });
    place.samples("runs/m", "wikitext", DATE, &[line]);
    place.samples("runs/m", "arc", DATE, &questions(60, 1.0));
    let found = json(&place);
    let reason = "its texts are scored whole, with nothing to choose from";
    assert_eq!(left_out(&found), [("wikitext", reason)]);
}

#[test]
fn tasks_without_a_right_option_are_left_out() {
    let place = Place::new();
    let lines = questions(60, 1.0);
    let unjudged = with(&lines, "acc", None);
    // As crows_pairs is: the target is 0 everywhere, and what is measured asks nothing of it.
    let pairs: Vec<Value> = with(&unjudged, "target", Some(&json!("0")))
        .into_iter()
        .map(|mut line| {
            line["metrics"] = json!(["likelihood_diff", "pct_stereotype"]);
            line["likelihood_diff"] = json!(1.5);
            line["pct_stereotype"] = json!(1.0);
            line
        })
        .collect();
    place.samples("runs/m", "pairs", DATE, &pairs);
    place.samples("runs/m", "pairs_043", DATE, &with(&pairs, "metrics", None));
    // What is judged by another measure than acc, listed or, up to 0.4.3, only there.
    let other = with(&unjudged, "acc_norm", Some(&json!(1.0)));
    place.samples("runs/m", "other_043", DATE, &with(&other, "metrics", None));
    let other = with(&unjudged, "metrics", Some(&json!(["brier_score"])));
    place.samples("runs/m", "other", DATE, &other);
    let mutual: Vec<Value> = with(&unjudged, "metrics", None)
        .into_iter()
        .map(|mut line| {
            let own = line["filtered_resps"].as_array().unwrap().clone();
            let without = own.iter().map(|_| json!(["-9.5", "False"]));
            line["filtered_resps"] = own.iter().cloned().chain(without).collect();
            line["acc_mutual_info"] = json!(0.0);
            line
        })
        .collect();
    place.samples("runs/m", "mutual_043", DATE, &mutual);
    let found = json(&place);
    assert_eq!(
        left_out(&found),
        [
            ("pairs", "what it measures knows no right option: likelihood_diff, pct_stereotype"),
            ("pairs_043", "it does not say whether the right option was chosen"),
        ]
    );
    let groups = &found["models"]["m"]["groups"];
    let l1 = |task: &str| &groups[task]["metrics"]["l1"]["value"];
    assert!(l1("other").is_f64(), "{found}");
    assert!(l1("other") == l1("other_043") && l1("other") == l1("mutual_043"), "{found}");
}

#[test]
fn lists_of_one_and_truth_values_are_targets() {
    let place = Place::new();
    let lines: Vec<Value> = questions(240, 1.0)
        .into_iter()
        .filter(|line| line["target"] == "0" || line["target"] == "1")
        .collect();
    let target = |to: &dyn Fn(&str) -> String| -> Vec<Value> {
        let one = |line: &Value| {
            let mut line = line.clone();
            line["target"] = to(line["target"].as_str().unwrap()).into();
            line
        };
        lines.iter().map(one).collect()
    };
    place.samples("runs/m", "plain", DATE, &lines);
    place.samples("runs/m", "list", DATE, &target(&|own| format!("[{own}]")));
    let truth = |own: &str| if own == "1" { "True" } else { "False" }.to_owned();
    place.samples("runs/m", "truth", DATE, &target(&truth));
    let found = json(&place);
    assert_eq!(found["left_out"], json!([]));
    let groups = &found["models"]["m"]["groups"];
    let l1 = |task: &str| &groups[task]["metrics"]["l1"]["value"];
    assert!(l1("plain").is_f64(), "{found}");
    assert!(l1("plain") == l1("list") && l1("plain") == l1("truth"), "{found}");
}

#[test]
fn constants_of_python_are_read_where_they_do_not_matter() {
    let place = Place::new();
    let lines = questions(60, 1.0);
    fs::create_dir_all(place.path("runs/org__m")).unwrap();
    let text = |lines: &[Value]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let odd = text(&with(&lines, "perplexity", Some(&json!("HERE"))));
    let odd = odd.replacen("\"HERE\"", "-Infinity", 1).replacen("\"HERE\"", "NaN", 1);
    assert!(odd.contains(":-Infinity") && odd.contains(":NaN"), "{odd}");
    place.write(&format!("runs/org__m/samples_arc_{DATE}.jsonl"), odd);
    // Nor do they hide the name of the model.
    let results = r#"{"results": {"arc": {"acc": NaN}}, "model_name": "org/m"}"#;
    place.write(&format!("runs/org__m/results_{DATE}.json"), results);
    let found = json(&place);
    assert_eq!((&found["models"]["org/m"]["n"], &found["left_out"]), (&60.into(), &json!([])));
}

#[test]
fn models_of_one_name_in_several_directories_are_told_apart() {
    let place = Place::new();
    for (folder, date, skill) in
        [("fp16", DATE, 2.0), ("int4", "2026-02-01T12-00-00", 1.0), ("int4", DATE, 0.0)]
    {
        place.samples(&format!("runs/{folder}/org__m"), "arc", date, &questions(80, skill));
        let results = format!("runs/{folder}/org__m/results_{date}.json");
        place.write(&results, r#"{"model_name": "org/m"}"#);
    }
    let found = json(&place);
    let names: Vec<&String> = found["models"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["org/m (fp16)", "org/m (int4)"]);
    // Within a directory the last counts, as ever.
    assert_eq!((&found["shared"], &found["earlier_files"]), (&80.into(), &1.into()));
    // One directory by two paths is one.
    let twice = ["lm-eval", "runs/fp16", "runs/../runs/fp16", "--draws", "9", "--format", "json"];
    let found = place.run(&twice).json();
    assert_eq!(found["models"]["org/m"]["n"], 80);
}

#[test]
fn models_without_a_question_in_common_have_tables_of_their_own() {
    let place = Place::new();
    place.samples("runs/a", "arc", DATE, &questions(80, 1.0));
    place.samples("runs/b", "arc", DATE, &questions(60, 1.0));
    place.samples("runs/c", "mmlu", DATE, &questions(70, 1.0));
    let said = "note: a and c have no question in common, so the models are not compared\n";
    let shown = run(&place, &[]);
    assert!(shown.status == 0 && shown.stdout.ends_with(said), "{shown:?}");
    let ran = run(&place, &["--format", "json"]);
    assert_eq!(ran.stderr, said);
    let found = ran.json();
    assert_eq!((&found["shared"], &found["models"]["c"]["n"]), (&0.into(), &70.into()));
    for (more, flag) in [(["--format", "csv"], "--format"), (["-o", "page.html"], "--output")] {
        let refused = run(&place, &more);
        let line = format!(
            "error: {flag}: the models have no question in common, so they cannot be compared\n"
        );
        assert!(refused.status == 2 && refused.stderr.starts_with(&line), "{refused:?}");
    }
}

#[test]
fn tasks_are_chosen_by_pattern_and_by_group() {
    let place = Place::new();
    for task in ["mmlu_law", "mmlu_algebra", "mmlu_extra", "arc"] {
        place.samples("runs/m", task, DATE, &questions(60, 1.0));
    }
    let groups = json!({ "mmlu": ["stem", "mmlu_law"], "stem": ["mmlu_algebra"], "lost": ["x"] });
    let results = json!({ "model_name": "m", "group_subtasks": groups });
    place.write(&format!("runs/m/results_{DATE}.json"), results.to_string());
    let tasks = |asked: &str| -> Vec<String> {
        let found = run(&place, &["--task", asked, "--format", "json"]).json();
        found["models"]["m"]["groups"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(tasks("mmlu"), ["mmlu_algebra", "mmlu_law"]);
    assert_eq!(tasks("stem,arc"), ["arc", "mmlu_algebra"]);
    assert_eq!(tasks("mmlu_*"), ["mmlu_algebra", "mmlu_extra", "mmlu_law"]);
    for lost in ["lost", "blimp_*"] {
        let ran = run(&place, &["--task", lost]);
        let said = format!(
            "error: --task {lost}: there is no such task\n\
             hint: there are arc, mmlu_algebra, mmlu_extra, mmlu_law\n"
        );
        assert_eq!((ran.status, ran.stderr), (2, said));
    }
}

#[test]
fn a_damaged_file_is_left_out_and_named_with_its_line() {
    let place = Place::new();
    place.samples("runs/m", "arc", DATE, &questions(80, 1.0));
    let good = sample(0, 1, &[-1.0, -2.0]).to_string();
    let reason = |second: &str| {
        place.write("runs/m/samples_t_1.jsonl", format!("{good}\n{second}\n{good}\n"));
        let ran = run(&place, &["--format", "json"]);
        let found = ran.json();
        assert_eq!(found["models"]["m"]["n"], 80, "the other task counts: {found}");
        let (task, reason) = left_out(&found)[0];
        assert_eq!((task, left_out(&found).len()), ("t", 1));
        assert_eq!(ran.stderr, format!("note: left out: t of m: {reason}\n"));
        reason.to_owned()
    };
    let two = "samples_t_1.jsonl, line 2: ";
    assert!(reason("{\"doc_id\": ").contains(&format!("{two}this is no sample of lm_eval")));
    assert!(reason(&good).contains(&format!("{two}question 0 was on line 1 already")));
    let other = |scores: Value| {
        json!({ "doc_id": 1, "target": "0", "filtered_resps": scores, "filter": "none" })
            .to_string()
    };
    let nan = reason(&other(json!([["nan", "False"], ["-1", "False"]])));
    assert!(nan.contains(&format!("{two}the log-likelihood \"nan\" is not a number")), "{nan}");
    let none = reason(&other(json!([["-inf", "False"], ["-inf", "False"]])));
    assert!(none.contains(&format!("{two}no option is possible")), "{none}");
    let answers = json!([["-1", "False"], ["-2", "False"]]);
    let number = json!({ "doc_id": "x", "filtered_resps": answers, "filter": "none" });
    let number = reason(&number.to_string());
    assert!(number.contains(&format!("{two}doc_id is not a number")), "{number}");
    let alone = place.run(&["lm-eval", "runs", "--task", "t"]);
    assert!(alone.status == 2 && alone.stderr.contains(two), "{alone:?}");
}

#[test]
fn of_a_file_that_breaks_off_only_the_last_line_is_left_out() {
    let place = Place::new();
    let path = place.samples("runs/m", "arc", DATE, &questions(80, 1.0));
    // In the middle of a letter, too, which is then none.
    let whole = format!("{}{}", fs::read_to_string(&path).unwrap(), r#"{"doc_id": 80, "doc": "é"#);
    for cut in [whole.len(), whole.len() - 1] {
        fs::write(&path, &whole.as_bytes()[..cut]).unwrap();
        let found = json(&place);
        assert_eq!(found["models"]["m"]["n"], 80, "{found}");
        let (task, reason) = left_out(&found)[0];
        let said = "line 81, the last, which is written in part";
        assert!(task == "arc" && reason.ends_with(said), "{reason}");
    }
}

#[test]
fn directories_without_samples_are_errors() {
    let place = Place::new();
    let nowhere = place.run(&["lm-eval", "nowhere"]);
    assert!(nowhere.status == 2 && nowhere.stderr.contains("cannot read nowhere"), "{nowhere:?}");
    fs::create_dir(place.path("empty")).unwrap();
    let empty = place.run(&["lm-eval", "empty"]);
    assert!(empty.status == 2 && empty.stderr.contains("--log_samples"), "{empty:?}");
}
