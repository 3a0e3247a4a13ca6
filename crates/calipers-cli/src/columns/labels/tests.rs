use super::*;
use crate::input::Text;

fn text(cells: &[&str]) -> Values {
    Values::Text(cells.iter().copied().collect::<Text>())
}

fn read(values: &Values, classes: &[&str]) -> std::result::Result<Labels, String> {
    let names: Vec<String> = classes.iter().map(|&name| name.to_owned()).collect();
    let classes = match names.as_slice() {
        [one] => Classes::One(one),
        many => Classes::Named(many),
    };
    let labels = resolve(values, &classes, &|row| format!("row {row}"));
    labels.map_err(|failure| match failure {
        Failure::Fault(fault) => format!("{fault:?}"),
        Failure::ClosedPipe => String::new(),
    })
}

fn codes(values: &Values, classes: &[&str]) -> Vec<usize> {
    read(values, classes).unwrap().codes
}

#[test]
fn names_come_before_positions() {
    assert_eq!(codes(&text(&["dog", "cat", "dog"]), &["cat", "dog"]), [1, 0, 1]);
    let numbers = Values::Numbers(vec![0.0, 1.0, 2.0]);
    assert_eq!(codes(&numbers, &["2", "1", "0"]), [2, 1, 0]);
    assert_eq!(codes(&numbers, &["0.0", "1.0", "2.0"]), [0, 1, 2]);
    assert_eq!(codes(&numbers, &["a", "b", "c"]), [0, 1, 2]);
    assert!(read(&numbers, &["1", "2", "3"]).unwrap().remark.is_some());
    assert_eq!(codes(&text(&["False", "TRUE"]), &["no", "yes"]), [0, 1]);
    assert_eq!(codes(&text(&["true", "false"]), &["true", "false"]), [0, 1]);
    assert_eq!(codes(&Values::Numbers(vec![-0.0, 1.0]), &["0", "1"]), [0, 1]);
}

#[test]
fn the_odd_one_out_is_named() {
    let error = read(&text(&["cat", "bird", "dog"]), &["cat", "dog"]).err().unwrap();
    assert!(error.contains(r#"row 1: label \"bird\" is none of the classes cat, dog"#), "{error}");
    let numbers = Values::Numbers(vec![1.0, 2.0, 3.0, 3.0, 2.0, 4.0]);
    let error = read(&numbers, &["1", "2", "3"]).err().unwrap();
    assert!(error.contains(r#"row 5: label \"4\" is none"#), "{error}");
    let error = read(&Values::Numbers(vec![0.0, 0.5]), &["a", "b"]).err().unwrap();
    assert!(error.contains(r#"row 1: label \"0.5\""#), "{error}");
    let error = read(&text(&["true", "false"]), &["a", "b", "c"]).err().unwrap();
    assert!(error.contains(r#"label \"true\""#), "{error}");
    assert!(read(&Values::Numbers(vec![0.0, f64::NAN]), &["0", "1"]).is_err());
}

#[test]
fn a_single_column_takes_any_two_labels() {
    let binary = |values: &Values, column: &str| {
        let labels = read(values, &[column]).unwrap();
        (labels.codes, labels.classes, labels.remark.is_some())
    };
    let named = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    let numbers = Values::Numbers(vec![1.0, 0.0]);
    assert_eq!(binary(&numbers, "score"), (vec![1, 0], named(["0", "1"]), false));
    assert_eq!(binary(&numbers, "1"), (vec![1, 0], named(["0", "1"]), false));
    assert_eq!(binary(&numbers, "0"), (vec![0, 1], named(["1", "0"]), true));
    assert_eq!(binary(&Values::Numbers(vec![0.0]), "p"), (vec![0], named(["0", "1"]), false));
    let words = text(&["yes", "no"]);
    assert_eq!(binary(&words, "score"), (vec![1, 0], named(["no", "yes"]), true));
    assert_eq!(binary(&words, "no"), (vec![0, 1], named(["yes", "no"]), true));
    let signs = Values::Numbers(vec![1.0, -1.0]);
    assert_eq!(binary(&signs, "p"), (vec![1, 0], named(["-1", "1"]), true));
    let ten = Values::Numbers(vec![10.0, 9.0]);
    assert_eq!(binary(&ten, "p"), (vec![1, 0], named(["9", "10"]), true));
    assert!(read(&text(&["a", "b", "c"]), &["p"]).is_err());
    assert!(read(&text(&["a", "a"]), &["p"]).is_err());
}
