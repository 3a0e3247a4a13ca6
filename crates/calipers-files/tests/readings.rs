//! Headers and labels, each read right or refused: one data set, written in every way that people do.
//!
//! The true error of the predictions is known to be about 0.12; with the classes swapped it is above
//! 0.5. A reading is right if it gives the very predictions that were written, class for class.

use std::fmt::Write as _;
use std::fs;

use calipers::{Predictions, simulate};
use calipers_files::{Columns, load};
use proptest::strategy::Strategy;

/// What is expected of a header.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Expected {
    /// The very predictions.
    Right,
    /// An error.
    Refused,
}
use Expected::{Refused, Right};

/// The rows of a simulation as a table: the columns named so, in this order of the classes, with labels
/// that are called so.
fn table(predictions: &Predictions<'_>, columns: &[(&str, usize)], labels: &[&str]) -> String {
    let mut text = String::from("label");
    columns.iter().for_each(|(name, _)| write!(text, ",{name}").unwrap());
    text.push('\n');
    for (row, f) in predictions.probs().rows().into_iter().enumerate() {
        text.push_str(labels[predictions.labels()[row] as usize]);
        columns.iter().for_each(|&(_, class)| write!(text, ",{:?}", f[class]).unwrap());
        text.push('\n');
    }
    text
}

/// How a text is read: right if it gives the predictions and labels of the simulation.
fn outcome(predictions: &Predictions<'_>, text: &str, asked: &Columns) -> Result<Expected, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table.csv");
    fs::write(&file, text).unwrap();
    let Ok(loaded) = load(&file, asked, &|_| {}) else { return Ok(Refused) };
    let (found, f) = (loaded.predictions.probs(), predictions.probs());
    if found.dim() != f.dim() {
        return Err(format!("{:?} instead of {:?}", found.dim(), f.dim()));
    }
    // Class by class: the probability of what was observed in a row, and of each other class, is the
    // same whatever the classes' order.
    for row in 0..predictions.rows() {
        let own = f[[row, predictions.labels()[row] as usize]];
        let read = found[[row, loaded.predictions.labels()[row] as usize]];
        if (own - read).abs() > 1e-9 {
            return Err(format!("row {row}: {read} instead of {own}"));
        }
    }
    Ok(Right)
}

const TWO: [(&str, [&str; 2]); 20] = [
    ("bare numbers", ["0", "1"]),
    ("p0", ["p0", "p1"]),
    ("p_0", ["p_0", "p_1"]),
    ("class_0", ["class_0", "class_1"]),
    ("class0", ["class0", "class1"]),
    ("proba0", ["proba0", "proba1"]),
    ("prob.0", ["prob.0", "prob.1"]),
    ("P(0)", ["P(0)", "P(1)"]),
    ("0_prob", ["0_prob", "1_prob"]),
    ("1.0", ["p_0.0", "p_1.0"]),
    ("no", ["no", "yes"]),
    ("p_no", ["p_no", "p_yes"]),
    ("neg", ["neg", "pos"]),
    ("negative", ["negative", "positive"]),
    ("false", ["false", "true"]),
    ("False", ["False", "True"]),
    ("p_false", ["p_false", "p_true"]),
    ("P(False)", ["P(False)", "P(True)"]),
    ("ham", ["ham", "spam"]),
    ("p_Ham", ["p_Ham", "p_Spam"]),
];

const TWO_LABELS: [[&str; 2]; 7] = [
    ["0", "1"],
    ["0.0", "1.0"],
    ["False", "True"],
    ["false", "true"],
    ["no", "yes"],
    ["ham", "spam"],
    ["Negative", "Positive"],
];

/// Every header in both orders with every kind of labels: never wrong.
#[test]
fn two_columns_are_read_right_or_refused() {
    let predictions = simulate("binary-overconfident", 60, 0).unwrap();
    let (mut cases, mut right) = (0, 0);
    for (what, names) in TWO {
        for labels in TWO_LABELS {
            for order in [[0, 1], [1, 0]] {
                let columns = order.map(|class: usize| (names[class], class));
                let text = table(&predictions, &columns, &labels);
                let found = outcome(&predictions, &text, &Columns::new());
                let found =
                    found.unwrap_or_else(|why| panic!("{what} {labels:?} {order:?}: {why}"));
                cases += 1;
                right += usize::from(found == Right);
                let meaning = |word: &str| match word.to_lowercase().as_str() {
                    "ham" | "spam" => None,
                    _ => Some(()),
                };
                let same = meaning(names[0].trim_start_matches("p_")) == meaning(labels[0]);
                // What means the same is read in any order; numbers and names of words only where the
                // columns are sorted.
                if same || (order == [0, 1] && meaning(labels[0]).is_some()) {
                    assert_eq!(found, Right, "{what} {labels:?} {order:?}");
                } else {
                    assert_eq!(found, Refused, "{what} {labels:?} {order:?}");
                }
            }
        }
    }
    assert!(cases >= 120 && right >= 100, "{right} of {cases}");
}

/// One bad cell is reported; the column is not dropped.
#[test]
fn a_bad_cell_never_drops_its_column() {
    let predictions = simulate("binary-overconfident", 60, 0).unwrap();
    for (_, names) in TWO {
        for bad in ["abc", "inf", "2.9", "-0.5", "12%"] {
            for column in [0, 1] {
                let columns = [(names[0], 0), (names[1], 1)];
                let text = table(&predictions, &columns, &["0", "1"]);
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                let mut cells: Vec<&str> = lines[7].split(',').collect();
                cells[1 + column] = bad;
                lines[7] = cells.join(",");
                let found = outcome(&predictions, &lines.join("\n"), &Columns::new());
                assert_eq!(found, Ok(Refused), "{names:?} {bad}");
            }
        }
        // Rounding is none.
        let columns = [(names[0], 0), (names[1], 1)];
        let text = table(&predictions, &columns, &["0", "1"]);
        let mut lines: Vec<&str> = text.lines().collect();
        let rounded = format!("{},1.0000001,-1e-9", predictions.labels()[6]);
        lines[7] = &rounded;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("table.csv");
        fs::write(&file, lines.join("\n")).unwrap();
        let loaded = load(&file, &Columns::new(), &|_| {});
        if !["ham", "p_Ham"].contains(&names[0]) {
            let loaded = loaded.unwrap().predictions;
            assert!(loaded.probs()[[6, 1]].abs() <= 0.0, "{names:?}");
        }
    }
}

#[test]
fn more_columns_are_read_right_or_refused() {
    let predictions = simulate("multiclass-overconfident-3", 90, 0).unwrap();
    let orders = [[0, 1, 2], [2, 1, 0], [1, 0, 2]];
    for (names, labels, sorted, others) in [
        (["p_0", "p_1", "p_2"], ["0", "1", "2"], Right, Right),
        (["class0", "class1", "class2"], ["0", "1", "2"], Right, Right),
        (["p1", "p2", "p3"], ["1", "2", "3"], Right, Right),
        (["p1", "p2", "p3"], ["0", "1", "2"], Refused, Refused),
        (["p_cat", "p_dog", "p_fox"], ["cat", "dog", "fox"], Right, Right),
        (["P(Cat)", "P(Dog)", "P(Fox)"], ["cat", "dog", "fox"], Right, Right),
        (["cat", "dog", "fox"], ["0", "1", "2"], Right, Refused),
        (["cat", "dog", "fox"], ["1", "2", "3"], Right, Refused),
        (["cat_prob", "dog_prob", "fox_prob"], ["p_cat", "p_dog", "p_fox"], Refused, Refused),
        (["cat", "dog", "fox"], ["ant", "bee", "cow"], Refused, Refused),
    ] {
        for order in orders {
            let columns = order.map(|class: usize| (names[class], class));
            let text = table(&predictions, &columns, &labels);
            let found = outcome(&predictions, &text, &Columns::new());
            let expected = if order == [0, 1, 2] { sorted } else { others };
            assert_eq!(found, Ok(expected), "{columns:?} {labels:?}");
            // What was said decides.
            let names: Vec<&str> = order.iter().map(|&class| labels[class]).collect();
            let found = outcome(&predictions, &text, &Columns::new().classes(names));
            assert_eq!(found, Ok(Right), "{columns:?} {labels:?}");
        }
    }
}

/// Whatever classes occur in the rows that were kept, a label means the same or is refused.
#[test]
fn what_occurs_does_not_change_what_labels_mean() {
    let all = simulate("multiclass-overconfident-10", 400, 0).unwrap();
    for (first, names) in [(0, "p_"), (1, "p_"), (0, "class"), (1, "k")] {
        let columns: Vec<String> = (first..first + 10).map(|at| format!("{names}{at}")).collect();
        let labels: Vec<String> = (first..first + 10).map(|at| at.to_string()).collect();
        for dropped in 0..10 {
            let kept: Vec<usize> =
                (0..all.rows()).filter(|&row| all.labels()[row] as usize != dropped).collect();
            let probs = all.probs().select(ndarray::Axis(0), &kept);
            let own: Vec<u32> = kept.iter().map(|&row| all.labels()[row]).collect();
            let some = Predictions::new(probs, &own).unwrap();
            let columns: Vec<(&str, usize)> =
                columns.iter().map(String::as_str).zip(0..10).collect();
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            let text = table(&some, &columns, &labels);
            let found = outcome(&some, &text, &Columns::new());
            assert_eq!(found, Ok(Right), "{names} from {first} without {dropped}");
        }
    }
}

#[test]
fn a_single_column_is_of_the_class_that_it_names() {
    let predictions = simulate("binary-overconfident", 60, 0).unwrap();
    for (column, class, labels, expected) in [
        ("p_benign", 0, ["Benign", "Malignant"], Right),
        ("P(benign)", 0, ["Benign", "Malignant"], Right),
        ("malignant", 1, ["Benign", "Malignant"], Right),
        ("score", 1, ["Benign", "Malignant"], Refused),
        ("p", 1, ["ham", "spam"], Refused),
        ("score", 1, ["0", "1"], Right),
        ("y_prob", 1, ["0", "1"], Right),
        ("p_1", 1, ["0", "1"], Right),
        ("p_0", 0, ["0", "1"], Right),
        ("p0", 0, ["0", "1"], Right),
        ("class_0", 0, ["0", "1"], Right),
        ("proba0", 0, ["False", "True"], Right),
        ("class1", 1, ["0", "1"], Right),
        ("benign_score", 0, ["Benign", "Malignant"], Right),
        ("model_0", 1, ["0", "1"], Refused),
        ("model_1", 1, ["0", "1"], Right),
        ("score_v2", 1, ["0", "1"], Right),
        ("p", 1, ["-1", "1"], Right),
        ("score", 1, ["no", "yes"], Right),
        ("p_no", 0, ["no", "yes"], Right),
        ("score", 1, ["False", "True"], Right),
        ("score", 1, ["1", "2"], Refused),
    ] {
        let text = table(&predictions, &[(column, class)], &labels);
        let found = outcome(&predictions, &text, &Columns::new());
        assert_eq!(found, Ok(expected), "{column} {labels:?}");
        let asked = Columns::new().positive(labels[class]);
        assert_eq!(outcome(&predictions, &text, &asked), Ok(Right), "{column} {labels:?}");
    }
}

#[test]
fn columns_that_are_something_else_are_refused_or_left_out() {
    let predictions = simulate("binary-overconfident", 60, 0).unwrap();
    let plain = table(&predictions, &[("p_0", 0), ("p_1", 1)], &["0", "1"]);
    let with = |name: &str, cell: &dyn Fn(usize) -> String| -> String {
        let lines = plain.lines().enumerate().map(|(at, line)| match at {
            0 => format!("{line},{name}\n"),
            _ => format!("{line},{}\n", cell(at)),
        });
        lines.collect()
    };
    let share = |at: usize| format!("{}", at as f64 / 100.0);
    for name in ["id", "idx", "index", "user_id", "row", "y_pred", "prediction"] {
        let found = outcome(&predictions, &with(name, &share), &Columns::new());
        assert_eq!(found, Ok(Right), "{name}");
    }
    // Nobody can tell that it is none of the probabilities.
    assert_eq!(outcome(&predictions, &with("rate", &share), &Columns::new()), Ok(Refused));
    // Two columns that may be the labels.
    let other = |at: usize| format!("{}", at % 2);
    for name in ["target", "y", "y_true", "Truth"] {
        assert_eq!(
            outcome(&predictions, &with(name, &other), &Columns::new()),
            Ok(Refused),
            "{name}"
        );
        let asked = Columns::new().label("label");
        let found = outcome(&predictions, &with(name, &other), &asked);
        assert_eq!(found, Ok(Right), "{name}");
    }
}

/// Names of columns, and labels, for a class: those of one family stand in one file.
type Family = (fn(usize) -> String, fn(usize) -> String);

const FAMILIES: [Family; 8] = [
    (|class| format!("p_{class}"), |class| class.to_string()),
    (|class| format!("p{class}"), |class| format!("{class}.0")),
    (|class| format!("P({class})"), |class| class.to_string()),
    (|class| format!("class {}", class + 1), |class| (class + 1).to_string()),
    (|class| format!("proba_{}", WORDS[class]), |class| WORDS[class].to_owned()),
    (|class| WORDS[class].to_uppercase(), |class| WORDS[class].to_owned()),
    (|class| WORDS[class].to_owned(), |class| class.to_string()),
    (|class| format!("{}_prob", WORDS[class]), |class| (class + 1).to_string()),
];
const WORDS: [&str; 6] = ["fox", "cat", "ant", "dog", "emu", "bee"];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(300))]

    /// However columns and classes are shuffled, and whichever classes occur: the predictions that
    /// were written, or an error.
    #[test]
    fn any_order_gives_one_reading(
        family in 0..FAMILIES.len(),
        classes in 2..=6usize,
        order in proptest::sample::subsequence((0..6).collect::<Vec<usize>>(), 6)
            .prop_shuffle(),
        kept in proptest::collection::vec(proptest::bool::ANY, 6),
        seed in 0..1_000u64,
    ) {
        let ten = simulate("multiclass-overconfident-10", 40, seed).unwrap();
        let mut probs = ten.probs().select(ndarray::Axis(1), &(0..classes).collect::<Vec<_>>());
        probs.rows_mut().into_iter().for_each(|mut row| row /= row.sum());
        let all: Vec<u32> = ten.labels().iter().map(|label| label % classes as u32).collect();
        let all = Predictions::new(probs, &all).unwrap();
        let rows: Vec<usize> =
            (0..all.rows()).filter(|&row| kept[all.labels()[row] as usize]).collect();
        proptest::prop_assume!(!rows.is_empty());
        let labels: Vec<u32> = rows.iter().map(|&row| all.labels()[row]).collect();
        let some =
            Predictions::new(all.probs().select(ndarray::Axis(0), &rows), &labels).unwrap();
        let (name, label) = FAMILIES[family];
        let names: Vec<String> = (0..classes).map(name).collect();
        let labels: Vec<String> = (0..classes).map(label).collect();
        let columns: Vec<(&str, usize)> = order
            .iter()
            .filter(|&&class| class < classes)
            .map(|&class| (names[class].as_str(), class))
            .collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let text = table(&some, &columns, &labels);
        // Words whose labels are the classes' numbers say nothing of how these were numbered.
        let numbered = family >= 6;
        if let Err(why) = outcome(&some, &text, &Columns::new()) {
            let sorted = columns.windows(2).all(|pair| pair[0].0 < pair[1].0);
            proptest::prop_assert!(numbered && sorted, "{why}\n{text}");
        }
    }
}
