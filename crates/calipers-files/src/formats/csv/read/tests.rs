use super::*;
use crate::table::Values;

fn read_text(text: &str) -> Result<Table> {
    Reader::open(text.as_bytes(), "table.csv", None, &Wanted::default())?.take(Size::WHOLE)
}

/// The columns of a text: numbers, or texts in brackets.
fn columns(text: &str) -> Vec<String> {
    let table = read_text(text).unwrap();
    let columns = table.columns.iter().map(|column| match &column.values {
        Values::Numbers(numbers) => format!("{} {numbers:?}", column.name),
        Values::Text(text) => format!("{} {:?}", column.name, text.iter().collect::<Vec<_>>()),
        other => format!("{other:?}"),
    });
    columns.collect()
}

fn message(text: &str) -> String {
    format!("{:?}", read_text(text).unwrap_err())
}

#[test]
fn a_column_is_numbers_until_a_cell_is_not() {
    assert_eq!(columns("a,b\n1,0.5\n2,1e-3\n"), ["a [1.0, 2.0]", "b [0.5, 0.001]"]);
    assert_eq!(columns("a\n1\n2.50\nx\n3\n"), [r#"a ["1", "2.5", "x", "3"]"#]);
    assert_eq!(columns("a\nx\n1\n"), [r#"a ["x", "1"]"#]);
}

#[test]
fn missing_cells_are_nan_or_empty() {
    assert_eq!(columns("a,b\n1,\n,2\n"), ["a [1.0, NaN]", "b [NaN, 2.0]"]);
    assert_eq!(columns("a,b\nNA,1\n0.5,2\n"), ["a [NaN, 0.5]", "b [1.0, 2.0]"]);
    assert_eq!(columns("a,b\n,1\nx,2\n"), [r#"a ["", "x"]"#, "b [1.0, 2.0]"]);
}

#[test]
fn a_class_may_be_called_na() {
    assert_eq!(columns("a\nNA\nEU\nNA\n"), [r#"a ["NA", "EU", "NA"]"#]);
    assert_eq!(columns("a\nNA\nNA\n"), [r#"a ["NA", "NA"]"#]);
}

#[test]
fn codes_and_hashes_stay_text() {
    assert_eq!(columns("a\n007\n7\n"), [r#"a ["007", "7"]"#]);
    assert_eq!(columns("a\n9007199254740993\n1\n"), [r#"a ["9007199254740993", "1"]"#]);
    assert_eq!(columns("a\n0.25\n00.5\n"), [r#"a ["0.25", "00.5"]"#]);
    assert_eq!(columns("a\n0.12345678901234567\n-0\n"), ["a [0.12345678901234566, -0.0]"]);
    assert_eq!(columns("a\ninf\n-Infinity\n+1\n.5\n"), ["a [inf, -inf, 1.0, 0.5]"]);
    assert_eq!(columns("a\ninfo\n1x\n"), [r#"a ["info", "1x"]"#]);
}

#[test]
fn quotes_spaces_marks_and_line_ends_are_fine() {
    let plain = ["label [1.0, 0.0]", "p [0.5, 0.25]"];
    for text in [
        "label,p\n1,0.5\n0,0.25\n",
        "label,p\n1,0.5\n0,0.25",
        "label,p\r\n1,0.5\r\n0,0.25\r\n",
        "label,p\r1,0.5\r0,0.25",
        "\u{feff}label,p\n1,0.5\n0,0.25\n",
        "label, p\n1, 0.5\n0, 0.25\n",
        "\"label\",\"p\"\n\"1\",\"0.5\"\n\"0\",\"0.25\"\n",
        "label\tp\n1\t0.5\n0\t0.25\n",
        "label;p\n1;0.5\n0;0.25\n",
        "\nlabel,p\n\n1,0.5\n\n\n0,0.25\n\n",
    ] {
        assert_eq!(columns(text), plain, "{text:?}");
    }
    assert_eq!(columns("a,b\n\"x, \"\"y\"\"\nz\",1\n"), ["a [\"x, \\\"y\\\"\\nz\"]", "b [1.0]"]);
}

#[test]
fn rows_know_their_physical_lines() {
    for ends in ["\n", "\r\n", "\r"] {
        let text = ["a,b", "1,2", "", "3,4", "\"x", "y\",5", "6,7"].join(ends);
        let table = read_text(&text).unwrap();
        let places: Vec<String> = (0..4).map(|row| table.source.place(row)).collect();
        let lines = [2, 4, 6, 7].map(|line| format!("table.csv, line {line}"));
        assert_eq!(places, lines, "{ends:?}");
    }
}

#[test]
fn ragged_rows_name_their_line() {
    assert!(message("a,b\n1,2\n\n3\n").contains("line 4: 1 field where the header has 2"));
    assert!(message("a,b\r\n1,2\r\n1,2,3\r\n").contains("line 3: 3 fields where the header has 2"));
}

#[test]
fn what_is_not_text_is_refused() {
    assert!(message("").contains("the file is empty"));
    assert!(message("PAR1xxxx").contains("it is a Parquet file"));
}

#[test]
fn bytes_that_are_no_utf8_do_not_stop_the_reading() {
    let text = &b"a,b\n\xffx,1\n"[..];
    let reader = Reader::open(text, "table.csv", None, &Wanted::default());
    let table = reader.unwrap().take(Size::WHOLE).unwrap();
    assert_eq!(table.columns.len(), 2);
}
