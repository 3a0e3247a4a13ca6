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
    assert_eq!(shown("{}\n{\"a\": {\"b\": 1}}\n{\"a\": 1}"), ["a: an object in line 2"]);
    assert_eq!(shown("{\"a\": \"x\"}\n{\"a\": {}}"), ["a: text, and an object in line 2"]);
    // Lists of words, some of them empty.
    assert_eq!(
        shown("{\"a\": []}\n{\"a\": [\"x\"]}\n{\"a\": []}"),
        ["a: a list of what is no number in line 2"]
    );
    assert_eq!(shown("{\"a\": null}\n{}"), ["a: [NaN, NaN]"]);
}

#[test]
fn a_column_of_lists_stays_one_whatever_else_is_in_it() {
    let broken = |text: &str| {
        let Values::Lists(lists) = &table(text).unwrap().columns[0].values else {
            panic!("{text}")
        };
        let (row, what) = lists.fault().unwrap();
        format!("{} rows, row {row}: {what}", lists.len())
    };
    let list = "{\"a\": [0.5, 0.5]}\n";
    let after = "where other rows have a list";
    let before = "where line 3 has a list";
    for (cell, first, later) in [
        ("0.3", format!("0.3 is a number, {after}"), format!("a number, {before}")),
        ("\"n/a\"", format!("\"n/a\" is text, {after}"), format!("text, {before}")),
        ("{}", format!("an object, {after}"), format!("an object, {before}")),
        (
            "[\"x\"]",
            format!("a list of what is no number, {after}"),
            format!("a list of what is no number, {before}"),
        ),
        (
            "[\"x\", 1]",
            "\"x\" in the list is no number".to_owned(),
            "\"x\" in the list is no number".to_owned(),
        ),
    ] {
        let bad = format!("{{\"a\": {cell}}}\n");
        assert_eq!(broken(&format!("{list}{bad}{{}}\n{bad}")), format!("4 rows, row 1: {first}"));
        assert_eq!(broken(&format!("{{}}\n{bad}{list}")), format!("3 rows, row 1: {later}"));
    }
    // A number was meant where an object is, and a list where it is empty.
    let number = "{\"a\": 1}\n{\"a\": {}}\n{\"a\": 2}";
    assert_eq!(broken(number), "3 rows, row 1: an object, where other rows have a number");
    let number = "{\"a\": 1}\n{\"a\": []}";
    assert!(broken(number).ends_with("a list of numbers, where other rows have a number"));
}

#[test]
fn tokens_that_are_no_json_are_numbers_all_the_same() {
    let text = "{\"a\": [-Infinity, 1], \"b\": -Infinity, \"c\": NaN}\n{\"b\": 1, \"c\": 2}";
    assert_eq!(shown(text), ["a: [[-inf, 1.0], []]", "b: [-inf, 1.0]", "c: [NaN, 2.0]"]);
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
