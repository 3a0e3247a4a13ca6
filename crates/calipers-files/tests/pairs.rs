//! Single arrays, with the labels in a file beside them.

use std::path::Path;

use calipers_files::{Columns, Format, Inputs, Layout, Wanted, load, predictions, read};
use ndarray::array;

use crate::common::Place;
use crate::common::npy::array as npy;

fn numbers(shape: &str, numbers: &[f64]) -> Vec<u8> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    npy("'<f8'", shape, &bytes)
}

fn probs() -> Vec<u8> {
    numbers("(3, 2)", &[0.75, 0.25, 0.5, 0.5, 0.0, 1.0])
}

fn labels() -> Vec<u8> {
    npy("'|u1'", "(3,)", &[0, 1, 1])
}

#[test]
fn labels_are_named_or_beside() {
    for (name, beside) in [
        ("probs.npy", "labels.npy"),
        ("test_probs.npy", "test_labels.npy"),
        ("y_prob.npy", "y_true.npy"),
        ("scores.npy", "labels.npy"),
    ] {
        let place = Place::new();
        let (path, other) = (place.write(name, probs()), place.write(beside, labels()));
        let told = std::cell::RefCell::new(String::new());
        let say = |line: &str| *told.borrow_mut() = line.to_owned();
        let found = load(&path, &Columns::new(), &say).unwrap().predictions;
        assert_eq!(found.probs(), array![[0.75, 0.25], [0.5, 0.5], [0.0, 1.0]]);
        assert_eq!(found.labels(), [0, 1, 1]);
        assert!(told.borrow().ends_with(&format!("labels: {}", other.display())), "{told:?}");
        assert_eq!(predictions(&path).unwrap().labels(), [0, 1, 1]);
        let inputs = Inputs::find(std::slice::from_ref(&path)).unwrap();
        let layout = Layout::of(&inputs, &Columns::new()).unwrap();
        assert_eq!(Path::new(layout.label()), other);
    }
    let place = Place::new();
    let path = place.write("probs.npy", probs());
    let other = place.write("seen.npy", labels());
    let weights = place.write("weights.npy", numbers("(3,)", &[1.0, 2.0, 3.0]));
    let columns = Columns::new().label(other.to_str().unwrap()).weight(weights.to_str().unwrap());
    let found = load(&path, &columns, &|_| {}).unwrap().predictions;
    assert!(found.labels() == [0, 1, 1] && found.weights().is_some());
    let logits =
        place.write("test_logits.npy", numbers("(3, 2)", &[1.5, 0.5, 0.0, 0.0, -1.0, 1.0]));
    let columns = Columns::new().label(other.to_str().unwrap());
    assert!(load(&logits, &columns, &|_| {}).unwrap().logits);
}

#[test]
fn what_an_array_holds_is_said_by_the_words_of_its_name_or_by_who_asks() {
    let place = Place::new();
    place.write("labels.npy", labels());
    let logits = numbers("(3, 2)", &[1.5, -0.5, 0.0, 0.0, -2.0, 1.0]);
    let loaded = |name: &str, array: &[u8], columns: &Columns| {
        let path = place.write(name, array);
        let loaded = load(
            &path,
            &columns.clone().label(place.path("labels.npy").to_str().unwrap()),
            &|_| {},
        );
        loaded.map(|loaded| loaded.logits).map_err(|error| error.message().to_owned())
    };
    let none = Columns::new();
    for (name, are_logits) in
        [("Logits.npy", true), ("val-logits2.npy", true), ("logistic.npy", false)]
    {
        let array = if are_logits { logits.clone() } else { probs() };
        assert_eq!(loaded(name, &array, &none), Ok(are_logits), "{name}");
    }
    let said = loaded("probs_from_logits.npy", &probs(), &none).unwrap_err();
    assert!(said.ends_with("by its name it may hold probabilities or logits"), "{said}");
    let said = loaded("logits.npy", &probs(), &none).unwrap_err();
    assert!(said.ends_with("every row is of numbers from 0 to 1 that sum to 1"), "{said}");
    for name in ["probs_from_logits", "probs_from_logits.npy", "probs"] {
        let columns = Columns::new().probs([name]);
        assert_eq!(loaded("probs_from_logits.npy", &probs(), &columns), Ok(false), "{name}");
    }
    for name in ["scores", "scores.npy", "logits", place.path("scores.npy").to_str().unwrap()] {
        let columns = Columns::new().logits([name]);
        assert_eq!(loaded("scores.npy", &logits, &columns), Ok(true), "{name}");
    }
    place.write("labels.npy", numbers("(3, 2)", &[0.0, 1.0, 1.0, 0.0, 1.0, 0.0]));
    let columns = Columns::new().label(place.path("labels.npy").to_str().unwrap());
    let error = load(place.write("probs.npy", probs()), &columns, &|_| {}).unwrap_err();
    assert!(
        error.message().ends_with("the array has 2 columns, where there is to be one value a row")
    );
    assert!(error.hint().unwrap().contains("argmax"));
}

#[test]
fn what_is_not_clear_is_refused() {
    let place = Place::new();
    let path = place.write("test_probs.npy", probs());
    let fault = |columns: &Columns| {
        let error = load(&path, columns, &|_| {}).unwrap_err();
        let folder = path.parent().unwrap().to_string_lossy().into_owned() + "/";
        (error.message().replace(&folder, ""), error.hint().map(str::to_owned))
    };
    let (said, hint) = fault(&Columns::new());
    assert_eq!(said, "test_probs.npy: there is no test_labels.npy or labels.npy beside it");
    assert_eq!(hint.as_deref(), Some("--label names the file: --label labels.npy"));
    place.write("labels.npy", npy("'|u1'", "(2,)", &[0, 1]));
    let (said, _) = fault(&Columns::new());
    assert_eq!(said, "test_probs.npy: labels.npy has 2 rows, but probs has 3");
    place.write("test_labels.npy", labels());
    let (said, _) = fault(&Columns::new());
    assert_eq!(
        said,
        "test_probs.npy: labels.npy or test_labels.npy may be the file of what was observed"
    );
    let nowhere = place.path("nowhere.npy");
    let (said, _) = fault(&Columns::new().label(nowhere.to_str().unwrap()));
    assert_eq!(said, "cannot read nowhere.npy: no such file or directory");
    place.write("nowhere.npy", "x");
    let (said, _) = fault(&Columns::new().label(nowhere.to_str().unwrap()));
    assert!(said.starts_with("cannot read the array in nowhere.npy: "), "{said}");
    let inputs = Inputs::find(&[path.clone(), path.clone()]).unwrap();
    let error = Layout::of(&inputs, &Columns::new()).unwrap_err();
    assert!(error.message().ends_with("test_probs.npy: NPY files are read one at a time"));
    let error = Format::to_write(&place.path("out.npy")).unwrap_err();
    assert_eq!(error.hint(), Some("write .npz"));
    assert_eq!(read(&path, &Wanted::default()).unwrap().columns.len(), 1);
    // Of a folder they are no table.
    assert!(Inputs::find(&[path.parent().unwrap().to_owned()]).is_err());
}
