//! How sure something was, and whether it was right: what columns are called is no matter.

use serde_json::Value;

use crate::common::{Place, Ran};

/// Answers that are right less often than was said: with the square of how sure something was.
fn answers(place: &Place, names: [&str; 2], right: [&str; 2]) {
    let rows = (0..400_u32).map(|row| {
        let sure = 0.2 + 0.8 * f64::from(row * 37 % 400) / 400.0;
        let is_right = f64::from(row * 61 % 397) / 397.0 < sure * sure;
        format!("{sure},{}\n", right[usize::from(is_right)])
    });
    place.write("a.csv", format!("{},{}\n{}", names[0], names[1], rows.collect::<String>()));
}

fn estimate(place: &Place, names: [&str; 2], more: &[&str]) -> Ran {
    let columns = ["--confidence-column", names[0], "--correct-column", names[1]];
    let how = ["--recalibrator", "affine", "--draws", "9", "--metric", "l1,over-l1"];
    place.run(&[&["estimate", "a.csv"], &columns[..], &how, more].concat())
}

fn value(found: &Value, metric: &str) -> f64 {
    found["metrics"][metric]["value"].as_f64().unwrap()
}

#[test]
fn neither_names_nor_words_turn_a_confidence_round() {
    let place = Place::new();
    let mut found: Vec<Value> = Vec::new();
    for sure in ["conf", "class0", "p_0", "no", "wrong"] {
        answers(&place, [sure, "correct"], ["0", "1"]);
        found.push(estimate(&place, [sure, "correct"], &["--format", "json"]).json());
    }
    for right in [["no", "yes"], ["incorrect", "correct"], ["I", "C"], ["False", "True"]] {
        answers(&place, ["p_no", "said"], right);
        found.push(estimate(&place, ["p_no", "said"], &["--format", "json"]).json());
        let part = estimate(&place, ["p_no", "said"], &["--format", "json", "--sample", "300"]);
        assert_eq!(part.status, 0, "{part:?}");
    }
    assert!(value(&found[0], "over-l1") > 0.1, "{}", found[0]);
    assert!(found.iter().all(|one| one["metrics"] == found[0]["metrics"]));
}

#[test]
fn what_does_not_say_whether_an_answer_was_right_is_refused() {
    let place = Place::new();
    answers(&place, ["conf", "correct"], ["0", "2"]);
    for more in [&[][..], &["--sample", "300"]] {
        let refused = estimate(&place, ["conf", "correct"], more);
        assert_eq!(refused.status, 2, "{refused:?}");
        let said = "\"2\" does not say whether the answer was right: it is neither 0 nor 1";
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
        assert!(!refused.stderr.contains("--classes"), "{}", refused.stderr);
    }
    place.write("a.csv", "conf,correct\n85,1\n40,0\n");
    let shares = estimate(&place, ["conf", "correct"], &[]);
    assert_eq!(
        shares.stderr,
        "error: a.csv, line 2, column conf: probability 85 is above 1\n\
         hint: a confidence is from 0 to 1: 0.85 for 85 %\n"
    );
}

#[test]
fn a_list_is_no_confidence() {
    let place = Place::new();
    let line = |row: u32| format!("{{\"conf\": [0.2, 0.4, 0.4], \"correct\": {}}}\n", row % 2);
    place.write("a.csv", "");
    place.write("a.jsonl", (0..40).map(line).collect::<String>());
    let columns = ["--confidence-column", "conf", "--correct-column", "correct"];
    let refused = place.run(&[&["estimate", "a.jsonl"], &columns[..]].concat());
    assert_eq!(refused.status, 2, "{refused:?}");
    let said = "a.jsonl: a confidence is one number of a row, and there are 3";
    assert!(refused.stderr.contains(said), "{}", refused.stderr);
}

#[test]
fn confidences_of_several_models_are_confidences() {
    let place = Place::new();
    let rows = (0..300_u32).map(|row| {
        let sure = 0.1 + 0.35 * f64::from(row * 37 % 300) / 300.0;
        let right = u8::from(f64::from(row * 61 % 293) / 293.0 < sure + 0.2);
        format!("{sure},{},{right}\n", sure / 2.0)
    });
    place.write("two.csv", format!("conf_a,conf_b,correct\n{}", rows.collect::<String>()));
    let how =
        ["--recalibrator", "affine", "--draws", "9", "--metric", "over-l1", "--format", "json"];
    let models = ["--models", "conf_{model}", "--correct-column", "correct"];
    let found = place.run(&[&["compare", "two.csv"], &models[..], &how].concat());
    assert_eq!(found.status, 0, "{found:?}");
    let one = ["--confidence-column", "conf_a", "--correct-column", "correct"];
    let alone = place.run(&[&["estimate", "two.csv"], &one[..], &how].concat()).json();
    // Too low, everywhere: nothing of that is over-confidence.
    assert!(value(&alone, "over-l1") <= 0.0 + 1e-3, "{alone}");
    let json = found.json();
    let reports = json["models"].as_object().unwrap();
    assert_eq!(reports["a"]["metrics"]["over-l1"]["value"], alone["metrics"]["over-l1"]["value"]);
}

#[test]
fn only_a_whole_stream_of_one_prediction_is_said_to_be_so() {
    let place = Place::new();
    let rows = |last: &str| {
        let row = |row: u32| format!("{},{}\n", if row < 599 { "0.7" } else { last }, row % 2);
        format!("conf,correct\n{}", (0..600).map(row).collect::<String>())
    };
    for (last, constant) in [("0.7", true), ("0.7000001", false)] {
        place.write("a.csv", rows(last));
        for seed in ["0", "1", "2"] {
            let more = ["--sample", "300", "--seed", seed, "--format", "json"];
            let found = estimate(&place, ["conf", "correct"], &more).json();
            assert_eq!(found["constant"].as_bool().unwrap_or(false), constant, "{last} {seed}");
        }
    }
}
