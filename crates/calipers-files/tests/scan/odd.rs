//! Files that are not as the others: which one, and why.

use std::path::PathBuf;

use calipers_files::{Columns, Inputs, Layout, Scan};

use crate::common::Place;
use crate::scan::{fault, rows};

/// Files of these names and texts.
fn files(place: &Place, texts: &[(&str, &str)]) -> Vec<PathBuf> {
    texts.iter().map(|(name, text)| place.write(name, text)).collect()
}

const GOOD: &str = "y,p_a,p_b,note\na,0.75,0.25,x\nb,0.5,0.5,y\n";

/// What is wrong with a file between two good ones.
fn between(text: &str, columns: &Columns) -> String {
    let place = Place::new();
    let given = files(&place, &[("a.csv", GOOD), ("b.csv", text), ("c.csv", GOOD)]);
    let message = fault(&given, columns).message().to_owned();
    message.replace(&place.path("").display().to_string(), "")
}

fn named() -> Columns {
    Columns::new().label("y").probs(["p_a", "p_b"])
}

#[test]
fn a_column_that_is_missing_or_one_too_many_is_named() {
    let fewer = "y,p_a,note\na,0.75,x\n";
    let words = "b.csv: there is no column \"p_b\", which a.csv has";
    assert_eq!(between(fewer, &named()), words);
    assert_eq!(between(fewer, &Columns::new()), words);
    let more = "y,p_a,p_b,p_c,note\na,0.5,0.25,0.25,x\n";
    let words = "b.csv: there is a column \"p_c\", which a.csv has not";
    assert_eq!(between(more, &Columns::new()), words);
    let without_note = "y,p_a,p_b\na,0.75,0.25\n";
    let words = "b.csv: there is no column \"note\", which a.csv has";
    assert_eq!(between(without_note, &Columns::new()), words);
    // What is named is enough, in any order.
    let place = Place::new();
    let other = "p_b,more,y,p_a\n0.25,1,a,0.75\n";
    let given = files(&place, &[("a.csv", GOOD), ("b.csv", without_note), ("c.csv", other)]);
    assert_eq!(rows(&given, &named()), 4);
}

#[test]
fn a_bad_cell_is_named_with_its_place() {
    let cases = [
        (
            "y,p_a,p_b,note\na,0.75,0.25,x\n\nb,0.5,,y\n",
            "line 4, column p_b: the probability is missing",
        ),
        (
            "y,p_a,p_b,note\na,0.75,high,x\n",
            "line 2, column p_b: probability \"high\" is not a number",
        ),
        ("y,p_a,p_b,note\na,0.75,2,x\n", "line 2, column p_b: probability 2 is above 1"),
        (
            "y,p_a,p_b,note\na,0.75,0.5,x\n",
            "line 2: the probabilities sum to 1.25, more than 0.004 away from 1",
        ),
        ("y,p_a,p_b,note\na,0.75,0.25,x\n,0.5,0.5,y\n", "line 3, column y: the label is missing"),
    ];
    for (text, words) in cases {
        assert_eq!(between(text, &named()), format!("b.csv, {words}"));
    }
    let weighed = named().weight("w");
    let good = "y,p_a,p_b,w\na,0.75,0.25,1\n";
    for (weight, words) in [
        ("-1", "weight -1 is negative"),
        ("inf", "weight inf is not finite"),
        ("", "the weight is missing"),
    ] {
        let place = Place::new();
        let bad = format!("y,p_a,p_b,w\na,0.75,0.25,0\na,0.75,0.25,{weight}\n");
        let given = files(&place, &[("a.csv", good), ("b.csv", &bad)]);
        let message = fault(&given, &weighed).message().to_owned();
        assert!(message.ends_with(&format!("b.csv, line 3, column w: {words}")), "{message}");
    }
}

#[test]
fn weights_may_be_zero_in_a_file() {
    let place = Place::new();
    let texts = [("a.csv", "y,p,w\n1,0.75,0\n"), ("b.csv", "y,p,w\n1,0.75,1\n")];
    let columns = Columns::new().label("y").probs(["p"]).weight("w");
    assert_eq!(rows(&files(&place, &texts), &columns), 2);
}

#[test]
fn a_missing_key_is_named() {
    let place = Place::new();
    for (key, line) in [("", 3), ("7", 4)] {
        let text = format!("y,p,id\n1,0.75,a\n1,0.75,{key}\n0,0.5,\n");
        let given = files(&place, &[("a.csv", &text)]);
        let error = fault(&given, &Columns::new().label("y").probs(["p"]).key("id"));
        let words = format!("line {line}, column id: the key is missing");
        assert!(error.message().ends_with(&words), "{error}");
    }
}

#[test]
fn files_without_rows_are_fine_unless_all_are() {
    let place = Place::new();
    let header = "y,p_a,p_b,note\n";
    let given = files(&place, &[("a.csv", header), ("b.csv", GOOD), ("c.csv", header)]);
    assert_eq!(rows(&given, &Columns::new()), 2);
    let none = fault(&[given[0].clone(), given[2].clone()], &Columns::new());
    assert_eq!(none.message(), "there are no rows in any of 2 files");
    let none = fault(&given[..1], &Columns::new());
    assert!(none.message().ends_with("a.csv: there are no rows"), "{none}");
    let empty = place.write("d.csv", "");
    let error = fault(&[given[1].clone(), empty], &Columns::new());
    assert!(error.message().ends_with("d.csv: the file is empty"), "{error}");
}

#[test]
fn the_first_of_several_faults_is_told_and_all_bad_files_are() {
    let place = Place::new();
    let bad = GOOD.replace("0.75", "1.75");
    let texts: Vec<(String, &str)> = (0..40)
        .map(|file| (format!("{file:02}.csv"), if file % 13 == 12 { bad.as_str() } else { GOOD }))
        .collect();
    let given: Vec<PathBuf> = texts.iter().map(|(name, text)| place.write(name, text)).collect();
    let error = fault(&given, &named());
    assert!(error.message().contains("12.csv, line 2, column p_a"), "{error}");
    let inputs = Inputs::find(&given).unwrap();
    let layout = Layout::of(&inputs, &named()).unwrap();
    let scan = Scan::new(&inputs, &layout).threads(4);
    let bad = scan.bad_files();
    assert_eq!(bad.iter().map(|(file, _)| *file).collect::<Vec<_>>(), [12, 25, 38]);
    assert_eq!(bad[0].1, error);
    assert!(scan.label_book().words().is_empty());
    let rest = inputs.without(&[12, 25, 38]);
    assert!(Scan::new(&rest, &layout).bad_files().is_empty());
}

#[test]
fn a_fault_of_the_step_is_told_as_well() {
    #[derive(Debug, PartialEq)]
    enum Fault {
        File(String),
        Own(usize),
    }
    impl From<calipers_files::Error> for Fault {
        fn from(error: calipers_files::Error) -> Self {
            Self::File(error.message().to_owned())
        }
    }
    let place = Place::new();
    let given: Vec<PathBuf> =
        (0..9).map(|file| place.write(&format!("{file}.csv"), GOOD)).collect();
    let inputs = Inputs::find(&given).unwrap();
    let layout = Layout::of(&inputs, &named()).unwrap();
    for threads in [1, 3] {
        let done = Scan::new(&inputs, &layout).threads(threads).run(
            || (),
            |(), batch| if batch.file >= 4 { Err(Fault::Own(batch.file)) } else { Ok(()) },
            &|_, _| {},
        );
        assert_eq!(done, Err(Fault::Own(4)));
    }
    let none = Scan::new(&inputs.without(&(0..9).collect::<Vec<_>>()), &layout).run(
        || (),
        |(), _| Ok(()),
        &|_, _| {},
    );
    assert_eq!(none, Err(Fault::File("there are no rows in any of 0 files".to_owned())));
}

/// The classes of an archive are the columns of its matrix, and take as much room as columns do.
#[test]
fn the_sample_of_an_archive_is_that_of_its_classes() {
    use crate::common::npy::{archive, array};
    use calipers_files::{Room, planned};
    use zip::CompressionMethod::Stored;
    let place = Place::new();
    let numbers: Vec<u8> = (0..60).flat_map(|_| (1.0_f64 / 30.0).to_le_bytes()).collect();
    let arrays = [
        ("probs", array("'<f8'", "(2, 30)", &numbers)),
        ("labels", array("'|u1'", "(2,)", &[0, 1])),
    ];
    let inputs = Inputs::find(&[place.write("a.npz", archive(&arrays, Stored))]).unwrap();
    let layout = Layout::of(&inputs, &Columns::new()).unwrap();
    for memory in [5_000_000, 1 << 40] {
        let room = Room { memory, sample: None };
        assert_eq!(planned(&layout, room), room.sample_of(30));
        assert!(room.sample_of(30) < room.sample_of(2));
    }
}

#[test]
fn archives_are_of_the_same_classes() {
    use crate::common::npy::{archive, array};
    use zip::CompressionMethod::Stored;
    let place = Place::new();
    let numbers =
        |count: usize| -> Vec<u8> { (0..count).flat_map(|_| 0.5_f64.to_le_bytes()).collect() };
    let labels = array("'|u1'", "(2,)", &[0, 1]);
    let binary = [("probs", array("'<f8'", "(2, 2)", &numbers(4))), ("labels", labels.clone())];
    let other = [("probs", array("'<f8'", "(2, 3)", &numbers(6))), ("labels", labels.clone())];
    let named = [
        ("probs", array("'<f8'", "(2, 2)", &numbers(4))),
        ("labels", labels.clone()),
        ("classes", array("'|S1'", "(2,)", b"ab")),
    ];
    let a = place.write("a.npz", archive(&binary, Stored));
    let b = place.write("b.npz", archive(&other, Stored));
    let c = place.write("c.npz", archive(&named, Stored));
    assert_eq!(rows(&[a.clone(), a.clone()], &Columns::new()), 4);
    let error = fault(&[a.clone(), b], &Columns::new());
    let words = "b.npz: there are 3 columns of predictions, but ";
    assert!(error.message().contains(words), "{error}");
    let columns = Columns::new().label("labels").probs(["probs"]);
    let error = fault(&[a, c], &columns);
    assert!(error.message().contains("c.npz: its classes are not those of "), "{error}");
}
