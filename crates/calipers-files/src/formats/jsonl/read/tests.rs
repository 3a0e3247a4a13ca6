use super::*;
use crate::table::Values;

fn table(text: &str) -> Result<Table> {
    let mut allowance = Allowance::of("a.jsonl", text.len() as u64, 1 << 20);
    Reader::new(text.as_bytes(), "a.jsonl", &Wanted::default()).take(Size::WHOLE, &mut allowance)
}

fn shown(text: &str) -> Vec<String> {
    let columns = table(text).unwrap().columns.into_iter();
    let cells = columns.map(|Column { name, values }| match values {
        Values::Numbers(numbers) => format!("{name}: {numbers:?}"),
        Values::Text(text) => format!("{name}: {:?}", text.iter().collect::<Vec<_>>()),
        Values::Lists(lists) => format!("{name}: {:?}", lists.iter().collect::<Vec<_>>()),
        Values::Other(kind) => format!("{name}: {kind}"),
        Values::Matrix(_) => panic!("{name}"),
    });
    cells.collect()
}

fn fault(text: &str) -> String {
    table(text).unwrap_err().message().to_owned()
}

#[test]
fn keys_are_columns_in_the_order_in_which_they_occur() {
    let text = "{\"b\": 1, \"a\": \"x\"}\r\n\n{\"c\": [0.5, null], \"b\": -2.5e-1}\n{\"a\": null}";
    assert_eq!(
        shown(text),
        ["b: [1.0, -0.25, NaN]", "a: [\"x\", \"\", \"\"]", "c: [[], [0.5, NaN], []]"]
    );
    let table = table(text).unwrap();
    assert_eq!(
        [0, 1, 2].map(|row| table.source.place(row)),
        [1, 3, 4].map(|line| format!("a.jsonl, line {line}"))
    );
}

#[test]
fn numbers_beside_text_are_text_and_other_mixtures_are_of_no_use() {
    assert_eq!(
        shown("{\"a\": 1}\n{\"a\": null}\n{\"a\": \"b\"}\n{\"a\": 0.5}"),
        ["a: [\"1\", \"\", \"b\", \"0.5\"]"]
    );
    assert_eq!(shown("{\"a\": true}\n{\"a\": 1}"), ["a: [\"true\", \"1\"]"]);
    assert_eq!(shown("{\"a\": 1}\n{\"a\": [1]}"), ["a: a number, and a list of numbers in line 2"]);
    assert_eq!(shown("{}\n{\"a\": {\"b\": 1}}\n{\"a\": 1}"), ["a: an object, as in line 2"]);
    assert_eq!(
        shown("{\"a\": [1]}\n{\"a\": [\"x\"]}"),
        ["a: a list of numbers, and a list of what is no number in line 2"]
    );
    assert_eq!(shown("{\"a\": null}\n{}"), ["a: [NaN, NaN]"]);
}

#[test]
fn what_is_no_object_is_named_with_its_line() {
    assert_eq!(fault(""), "a.jsonl: the file is empty");
    assert_eq!(
        fault("{\"a\": 1}\n{\"a\": 1, \"a\": 2}"),
        "a.jsonl, line 2: the key \"a\" is there twice"
    );
    assert!(
        fault("{\"a\": 1}\n\n{\"a\": }")
            .starts_with("a.jsonl, line 3: no object of JSON: expected value at letter")
    );
    assert!(
        fault("{\"a\": 1} {\"a\": 2}")
            .starts_with("a.jsonl, line 1: no object of JSON: trailing characters")
    );
    assert!(fault("3").contains("invalid type: integer `3`, expected an object"));
    let error = table("{\"a\": NaN}").unwrap_err();
    assert_eq!(error.hint(), Some("NaN and Infinity are no JSON: write null for what is missing"));
    let error = table("[{\"a\": 1},\n{\"a\": 2}]").unwrap_err();
    assert_eq!(error.hint(), Some("write one object a line, without a list around them"));
    assert!(fault("PAR1").contains("expected JSON Lines, but it is a Parquet file"));
}

#[test]
fn a_key_a_line_does_not_fill_the_memory() {
    let text: String = (0..3_000).map(|line| format!("{{\"key {line}\": 1}}\n")).collect();
    assert!(fault(&text).contains("it unfolds to"), "{}", fault(&text));
}

#[test]
fn pieces_have_the_columns_of_those_before() {
    let text = "{\"a\": 1}\n{\"a\": \"x\", \"b\": 2}\n{\"b\": 3}\n";
    let mut allowance = Allowance::of("a.jsonl", 1, 1 << 20);
    let wanted = Wanted::default();
    let mut reader = Reader::new(text.as_bytes(), "a.jsonl", &wanted);
    let size = Size { rows: 1, letters: u64::MAX };
    let mut take = || reader.take(size, &mut allowance).unwrap();
    assert!(matches!(&take().columns[0].values, Values::Numbers(numbers) if *numbers == [1.0]));
    assert!(matches!(&take().columns[0].values, Values::Text(text) if text.get(0) == "x"));
    let third = take();
    assert!(matches!(&third.columns[0].values, Values::Text(text) if text.get(0).is_empty()));
    assert!(matches!(&third.columns[1].values, Values::Numbers(numbers) if *numbers == [3.0]));
    assert_eq!((third.source.place(0).as_str(), third.source.first()), ("a.jsonl, line 3", 2));
    assert_eq!(take().rows(), 0);
}
