use super::*;

fn words(words: &[&str]) -> Vec<Label> {
    words.iter().enumerate().map(|(row, word)| Label::word(word, row)).collect()
}

fn numbers(numbers: &[f64]) -> Vec<Label> {
    numbers.iter().enumerate().map(|(row, &number)| Label::number(number, row)).collect()
}

fn named(found: &[Label], classes: &[&str]) -> Result<Reading> {
    let names: Vec<String> = classes.iter().map(|&name| name.to_owned()).collect();
    read(found, &ClassColumns::Named(&names))
}

fn codes(found: &[Label], classes: &[&str]) -> Vec<usize> {
    named(found, classes).unwrap().codes
}

#[test]
fn names_come_before_positions() {
    assert_eq!(codes(&words(&["dog", "cat"]), &["cat", "dog"]), [1, 0]);
    let three = numbers(&[0.0, 1.0, 2.0]);
    assert_eq!(codes(&three, &["2", "1", "0"]), [2, 1, 0]);
    assert_eq!(codes(&three, &["class2", "class1", "class0"]), [2, 1, 0]);
    assert_eq!(codes(&three, &["0.0", "1.0", "2.0"]), [0, 1, 2]);
    assert_eq!(codes(&three, &["a", "b", "c"]), [0, 1, 2]);
    assert_eq!(codes(&words(&["False", "TRUE"]), &["no", "yes"]), [0, 1]);
    assert_eq!(codes(&numbers(&[0.0, 1.0]), &["yes", "no"]), [1, 0]);
    assert_eq!(codes(&words(&["true", "false"]), &["true", "false"]), [0, 1]);
    assert_eq!(codes(&words(&["True", "False"]), &["p_true", "p_false"]), [0, 1]);
    assert_eq!(codes(&numbers(&[0.0, 1.0]), &["P(1)", "P(0)"]), [1, 0]);
    assert_eq!(codes(&numbers(&[-0.0, 1.0]), &["0", "1"]), [0, 1]);
    assert_eq!(codes(&words(&["Malignant", "Benign"]), &["p_benign", "p_malignant"]), [1, 0]);
}

/// Columns 1, 2, 3 hold the classes 1, 2, 3, whichever of them occur; 0 is none of them.
#[test]
fn what_occurs_does_not_decide_what_labels_mean() {
    let columns = ["p1", "p2", "p3"];
    assert_eq!(codes(&numbers(&[1.0, 2.0]), &columns), [0, 1]);
    assert_eq!(codes(&numbers(&[3.0]), &columns), [2]);
    assert!(named(&numbers(&[0.0, 1.0, 2.0]), &columns).is_err());
    for labels in [&[1.0, 2.0][..], &[2.0], &[1.0, 2.0, 3.0]] {
        let found = read(&numbers(labels), &ClassColumns::Unnamed(4));
        assert!(matches!(found, Err(Error::AmbiguousLabels { .. })), "{labels:?}");
    }
    let unnamed = |labels: &[f64]| read(&numbers(labels), &ClassColumns::Unnamed(4)).unwrap().codes;
    assert_eq!(unnamed(&[0.0, 2.0]), [0, 2]);
    assert_eq!(unnamed(&[4.0, 2.0]), [3, 1]);
}

#[test]
fn columns_in_no_order_are_not_counted() {
    let found = named(&numbers(&[0.0, 1.0]), &["p_dog", "p_cat"]).unwrap_err().to_string();
    assert_eq!(
        found,
        "the labels can be read in two ways: 0 may be dog, as the columns are ordered, or cat, as \
         their names are sorted"
    );
    assert_eq!(codes(&numbers(&[0.0, 1.0]), &["p_cat", "p_dog"]), [0, 1]);
    assert_eq!(codes(&numbers(&[1.0, 2.0]), &["p_cat", "p_dog"]), [0, 1]);
}

#[test]
fn the_odd_one_out_is_named() {
    let error = |found: &[Label], classes: &[&str]| named(found, classes).unwrap_err().to_string();
    assert_eq!(
        error(&words(&["cat", "bird", "dog"]), &["cat", "dog"]),
        "row 1: label \"bird\" is none of the classes cat, dog"
    );
    // Labels 1, 2, 3 are names of classes, so 4 is the mistake; taken as positions 3 would be too.
    let message = error(&numbers(&[1.0, 2.0, 3.0, 4.0]), &["1", "2", "3"]);
    assert!(message.starts_with("row 3: label \"4\" is none"), "{message}");
    let message = error(&numbers(&[0.0, 0.5]), &["a", "b"]);
    assert!(message.starts_with("row 1: label \"0.5\""), "{message}");
    let message = error(&words(&["true", "maybe"]), &["a", "b", "c"]);
    assert!(message.starts_with("row 1: label \"maybe\""), "{message}");
}

#[test]
fn a_single_column_is_that_of_its_name_or_of_one() {
    let binary = |found: &[Label], column: &str| {
        let column = Some(column).filter(|column| !column.is_empty());
        let reading = read(found, &ClassColumns::One(column)).unwrap();
        (reading.codes, reading.classes, reading.remark.is_some())
    };
    let named = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    let plain = numbers(&[1.0, 0.0]);
    assert_eq!(binary(&plain, "score"), (vec![1, 0], named(["0", "1"]), false));
    assert_eq!(binary(&plain, "1"), (vec![1, 0], named(["0", "1"]), false));
    assert_eq!(binary(&plain, "p_0"), (vec![0, 1], named(["1", "0"]), true));
    assert_eq!(binary(&numbers(&[0.0]), "p"), (vec![0], named(["0", "1"]), false));
    let yes_no = words(&["yes", "no"]);
    assert_eq!(binary(&yes_no, ""), (vec![1, 0], named(["no", "yes"]), false));
    assert_eq!(binary(&yes_no, "no"), (vec![0, 1], named(["yes", "no"]), true));
    assert_eq!(binary(&numbers(&[1.0, -1.0]), "p"), (vec![1, 0], named(["-1", "1"]), true));
    assert_eq!(binary(&numbers(&[10.0, 9.0]), ""), (vec![1, 0], named(["9", "10"]), true));
    let cancer = words(&["Malignant", "Benign"]);
    for column in ["p_benign", "P(benign)", "Benign", "prob_BENIGN"] {
        assert_eq!(binary(&cancer, column).0, [0, 1], "{column}");
    }
    let error = |found: &[Label]| read(found, &ClassColumns::One(Some("p"))).unwrap_err();
    assert!(matches!(error(&words(&["a", "b", "c"])), Error::ThirdLabel { row: 2, .. }));
    assert!(matches!(error(&words(&["a"])), Error::OnlyLabel { row: 0, .. }));
    assert_eq!(
        error(&cancer).to_string(),
        "the labels can be read in two ways: column p may hold the probability of Malignant, or of \
         Benign"
    );
}

#[test]
fn whether_an_answer_was_right_is_said_in_few_words() {
    let codes = |found: &[Label]| read(found, &ClassColumns::Correct).map(|reading| reading.codes);
    assert_eq!(codes(&numbers(&[1.0, 0.0])).unwrap(), [1, 0]);
    for said in
        [["correct", "incorrect"], ["Right", "wrong"], ["C", "I"], ["true", "False"], ["yes", "no"]]
    {
        assert_eq!(codes(&words(&said)).unwrap(), [1, 0], "{said:?}");
    }
    for other in [numbers(&[0.0, 0.5]), numbers(&[0.0, -1.0]), words(&["no", "partly"])] {
        let error = codes(&other).unwrap_err();
        assert!(matches!(error, Error::NoCorrectness { row: 1, .. }), "{error}");
    }
}

#[test]
fn labels_of_columns_without_names_are_sorted() {
    let reading = read(&words(&["fox", "cat", "dog"]), &ClassColumns::Unnamed(3)).unwrap();
    assert_eq!((reading.codes.as_slice(), reading.rule), ([2, 0, 1].as_slice(), Rule::Sorted));
    assert_eq!(reading.classes, ["cat", "dog", "fox"]);
    assert!(reading.remark.unwrap().contains("cat, dog, fox"));
    // Two of three classes: nobody can tell which column is missing.
    assert!(read(&words(&["cat", "dog"]), &ClassColumns::Unnamed(3)).is_err());
    assert_eq!(read(&numbers(&[2.0, 0.0]), &ClassColumns::Unnamed(3)).unwrap().codes, [2, 0]);
    assert!(read(&numbers(&[0.0, 7.0]), &ClassColumns::Unnamed(3)).is_err());
    // Numbers by their size, words by their letters.
    assert_eq!(read(&numbers(&[10.0, 9.0]), &ClassColumns::Unnamed(2)).unwrap().codes, [1, 0]);
    let word = |text: &str| Label { number: None, ..Label::word(text, 0) };
    assert_eq!(read(&[word("10"), word("9")], &ClassColumns::Unnamed(2)).unwrap().codes, [0, 1]);
    let truth = read(&words(&["True", "False"]), &ClassColumns::Unnamed(2)).unwrap();
    assert_eq!((truth.codes.as_slice(), truth.rule), ([1, 0].as_slice(), Rule::Truth));
    // Text that looks like numbers is sorted by its letters, as long as nobody can tell otherwise.
    let texts: Vec<Label> = (0..12).map(|at| word(&at.to_string())).collect();
    let found = read(&texts, &ClassColumns::Unnamed(12));
    assert!(matches!(found, Err(Error::AmbiguousLabels { .. })));
    let texts: Vec<Label> = ["2", "0"].map(word).to_vec();
    assert_eq!(read(&texts, &ClassColumns::Unnamed(3)).unwrap().codes, [2, 0]);
}
