//! Text that is compressed as a whole.

use std::io::Write;

use calipers_files::{Cells, Columns, Sheet, Wanted, load, predictions_within, read};
use flate2::Compression;
use flate2::write::GzEncoder;
use ndarray::array;

use crate::common::{Place, delimited, report};

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn what_is_compressed_is_read_as_what_it_was() {
    let place = Place::new();
    let expected = report(place.write("a.csv", delimited(",", "\n")), &Columns::new(), &[]);
    for (name, delimiter) in [("b.csv.gz", ","), ("b.tsv.gz", "\t"), ("b.txt.GZ", ";")] {
        let text = delimited(delimiter, "\r\n");
        let path = place.write(name, gzip(text.as_bytes()));
        assert_eq!(report(path, &Columns::new(), &[]), expected, "{name}");
    }
    #[cfg(feature = "parquet")]
    {
        let packed = zstd::encode_all(delimited(",", "\n").as_bytes(), 3).unwrap();
        assert_eq!(report(place.write("b.csv.zst", packed), &Columns::new(), &[]), expected);
    }
    #[cfg(not(feature = "parquet"))]
    {
        let error = read(place.write("b.csv.zst", "x"), &Wanted::default()).unwrap_err();
        assert!(error.message().ends_with("this build of calipers has no support for .zst files"));
        assert_eq!(error.hint(), Some("build it with the feature parquet"));
    }
}

#[test]
fn what_is_written_compressed_can_be_read_again() {
    let place = Place::new();
    let probs = array![[0.75, 0.25], [0.5, 0.5]];
    let columns =
        vec![("y".to_owned(), Cells::Whole(vec![0, 1])), ("p".to_owned(), Cells::Class(1))];
    let path = place.path("sheet.csv.gz");
    Sheet { probs: probs.view(), columns }.write(&path).unwrap();
    assert!(std::fs::read(&path).unwrap().starts_with(b"\x1f\x8b"));
    assert_eq!(load(&path, &Columns::new(), &|_| {}).unwrap().predictions.labels(), [0, 1]);
}

#[test]
fn what_unfolds_to_too_much_is_refused() {
    let place = Place::new();
    let mut text = b"y,p\n".to_vec();
    text.extend(b"1,0.5\n".repeat(1 << 20));
    let packed = gzip(&text);
    assert!(packed.len() < text.len() / 100);
    let path = place.write("bomb.csv.gz", packed);
    let error = predictions_within(&path, 1 << 20).unwrap_err();
    assert!(error.message().contains("bomb.csv.gz: it unfolds to "), "{error}");
    assert!(predictions_within(&path, 1 << 24).is_ok());
}

#[test]
fn what_is_damaged_or_called_otherwise_is_named() {
    let place = Place::new();
    let mut packed = gzip(delimited(",", "\n").as_bytes());
    let fault = |path| read(path, &Wanted::default()).unwrap_err().message().to_owned();
    let plain = fault(place.write("a.csv", &packed));
    assert!(plain.ends_with("a.csv: expected CSV, but it is gzip-compressed"), "{plain}");
    packed.truncate(packed.len() / 2);
    assert!(fault(place.write("a.csv.gz", &packed)).contains("cannot read"));
    let text = fault(place.write("b.csv.gz", "y,p\n1,0.5\n"));
    assert!(text.contains("cannot read") && text.contains("b.csv.gz"), "{text}");
    assert!(fault(place.path("c.gz")).contains("files that end in .gz are not known"));
}
