//! What words and keys are, wherever they were read.

use std::path::PathBuf;
use std::sync::Mutex;

use calipers_files::{Batch, Book, Columns, Entry, Error, Inputs, Layout, Scan, Word};

use crate::common::Place;
use crate::scan::scanned;

fn columns() -> Columns {
    Columns::new().label("y").probs(["p"])
}

fn words(given: &[PathBuf], columns: &Columns) -> Vec<Entry> {
    let inputs = Inputs::find(given).unwrap();
    let layout = Layout::of(&inputs, columns).unwrap();
    let scan = Scan::new(&inputs, &layout);
    scan.run(|| (), |(), _| Ok::<(), Error>(()), &|_, _| {}).unwrap();
    let mut words = scan.label_book().words();
    words.sort_by(|one, other| one.text.cmp(&other.text));
    words
}

/// More rows than a batch has, in which words come late.
#[test]
fn a_word_is_the_same_in_every_batch() {
    let place = Place::new();
    let mut text = "y,p,id\n".to_owned();
    for row in 0..70_000 {
        let label = ["1", "0", "1.0"][row % 3];
        text.push_str(&format!("{label},0.5,{}\n", row % 10));
    }
    text.push_str("a,0.5,b\n1.0,0.5,1.0\n1,0.5,1\n");
    let path = place.write("a.csv", text);
    let found = words(std::slice::from_ref(&path), &columns());
    let texts: Vec<(&str, u64)> =
        found.iter().map(|entry| (entry.text.as_str(), entry.count)).collect();
    assert_eq!(texts, [("0", 23_333), ("1", 46_669), ("a", 1)]);
    assert_eq!((found[0].number, found[1].number, found[2].number), (None, None, None));
    assert_eq!(found[2].first, Some((0, 70_000)));
    let keys = Mutex::new(std::collections::BTreeMap::new());
    let see = |batch: &Batch| {
        let mut keys = keys.lock().unwrap();
        batch.keys.as_ref().unwrap().each(|_, key| *keys.entry(key.to_owned()).or_insert(0) += 1);
    };
    scanned(&[path], &columns().key("id"), 1, &see).unwrap();
    let keys = keys.into_inner().unwrap();
    assert_eq!((keys.len(), keys["1"], keys["b"]), (11, 7002, 1));
}

#[test]
fn a_number_is_one_until_another_file_has_it_as_text() {
    let place = Place::new();
    let numbers = place.write("a.csv", "y,p\n1,0.75\n0,0.5\n");
    let mixed = place.write("b.csv", "y,p\n1,0.75\nx,0.5\n");
    let number = |words: Vec<Entry>| -> Vec<Option<f64>> {
        words.iter().map(|entry| entry.number).collect()
    };
    let alone = number(words(std::slice::from_ref(&numbers), &columns()));
    assert_eq!(alone, [Some(0.0), Some(1.0)]);
    assert_eq!(number(words(&[numbers, mixed], &columns())), [Some(0.0), None, None]);
}

#[test]
fn a_closed_book_takes_no_new_words() {
    let place = Place::new();
    let path = place.write("a.csv", "y,p\nno,0.75\nyes,0.5\nperhaps,0.5\n");
    let inputs = Inputs::find(&[path]).unwrap();
    let layout = Layout::of(&inputs, &columns()).unwrap();
    let known = |words: &[&str]| Book::known(words.iter().map(|word| Word::text(*word)), true);
    let run = |book: Book| {
        let codes = Mutex::new(Vec::new());
        let scan = Scan::new(&inputs, &layout).labels(book);
        let step = |(): &mut (), batch: Batch| {
            codes.lock().unwrap().extend(batch.labels);
            Ok::<(), Error>(())
        };
        scan.run(|| (), step, &|_, _| {}).map(|_| codes.into_inner().unwrap())
    };
    assert_eq!(run(known(&["yes", "perhaps", "no"])), Ok(vec![2, 0, 1]));
    let error = run(known(&["yes", "no"])).unwrap_err();
    let words = "line 4, column y: label \"perhaps\" is none of yes, no";
    assert!(error.message().ends_with(words), "{error}");
}

#[test]
fn a_key_may_be_any_column() {
    let place = Place::new();
    let path = place.write("a.csv", "y,p,g\na,0.75,12\nb,0.5,13\n");
    for (key, expected) in [("y", ["a", "b"]), ("g", ["12", "13"]), ("p", ["0.75", "0.5"])] {
        let keys = Mutex::new(Vec::new());
        let see = |batch: &Batch| {
            let keys = &mut *keys.lock().unwrap();
            batch.keys.as_ref().unwrap().each(|_, key| keys.push(key.to_owned()));
        };
        scanned(std::slice::from_ref(&path), &columns().group("g").key(key), 2, &see).unwrap();
        assert_eq!(keys.into_inner().unwrap(), expected);
    }
}

#[test]
fn a_layout_says_what_is_what() {
    let place = Place::new();
    let path =
        place.write("a.csv", "animal,p_cat,p_dog,site,id\ncat,0.75,0.25,1,7\ndog,0.5,0.5,2,8\n");
    let inputs = Inputs::find(&[path]).unwrap();
    let asked = Columns::new().label("animal").group("site").key("id");
    let layout = Layout::of(&inputs, &asked).unwrap();
    assert!(layout.is_guessed() && !layout.logits());
    assert_eq!(
        (layout.label(), layout.group(), layout.key()),
        ("animal", Some("site"), Some("id"))
    );
    assert_eq!((layout.weight(), layout.fold()), (None, None));
    let classes = ["cat", "dog"].map(str::to_owned);
    let line = "p_cat -> P(cat), p_dog -> P(dog); labels: animal; group: site; key: id";
    assert_eq!(layout.origin().line(&classes), line);
    let named = layout.to_columns();
    assert!(!Layout::of(&inputs, &named).unwrap().is_guessed());
    let wrong = Layout::of(&inputs, &asked.clone().classes(["a", "b", "c"])).unwrap_err();
    assert!(wrong.message().ends_with("--classes names 3, but there are 2 classes"), "{wrong}");
    let sums = place.write("b.csv", "y,a,b\n1,0.5,0.75\n0,0.5,0.125\n");
    let error = Layout::of(&Inputs::find(&[sums]).unwrap(), &Columns::new()).unwrap_err();
    assert!(error.message().contains("a, b do not sum to 1"), "{error}");
}
