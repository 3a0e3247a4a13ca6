//! Archives of arrays that promise or unfold to more than fits anywhere.

use zip::CompressionMethod;

use super::refused;
use crate::common::Place;
use crate::common::npy::{archive, array, raw};

/// Writes a compressed archive of labels and of the probabilities given.
fn write(place: &Place, probs: &[u8]) {
    let arrays = [("labels", array("'|u1'", "(2,)", &[0, 1])), ("probs", probs.to_vec())];
    place.write("a.npz", archive(&arrays, CompressionMethod::Deflated));
}

fn refuses(probs: &[u8], words: &[&str]) {
    let place = Place::new();
    write(&place, probs);
    refused(&place, "a.npz", words);
}

#[test]
fn a_bomb_that_says_what_it_is() {
    let zeros = vec![0; 4 << 20];
    let words = [
        "a.npz: it promises an array of shape [1000000000000] and type '<f8', which is 7.3 TiB",
        "may unfold to 1.0 GiB at most",
        "hint: the file is damaged or made to fill the memory",
    ];
    refuses(&array("'<f8'", "(1000000000000,)", &zeros), &words);
}

#[test]
fn a_bomb_that_says_it_is_small() {
    let zeros = vec![0; 4 << 20];
    let words = ["cannot read probs in a.npz: the array is damaged: it does not end after its 4"];
    refuses(&array("'<f8'", "(2, 2)", &zeros), &words);
}

#[test]
fn shapes_and_sizes_that_overflow() {
    for (described, shape) in [
        ("'<f8'", "(4294967296, 4294967296)"),
        ("'<f8'", "(18446744073709551615, 18446744073709551615, 2)"),
        ("'|S1000000000'", "(1000,)"),
        ("'<U4611686018427387903'", "(2,)"),
    ] {
        refuses(&array(described, shape, &[0; 64]), &["a.npz: it promises an array of shape ["]);
    }
}

#[test]
fn objects_that_would_have_to_be_unpickled() {
    let pickle = b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x04true\x85R.";
    let words = ["column probs: a probability cannot be an array of Python objects"];
    refuses(&array("'|O'", "(2,)", pickle), &words);
}

#[test]
fn headers_that_are_long_deep_or_missing() {
    let brackets = "(".repeat(usize::from(u16::MAX));
    refuses(
        &raw(1, &u16::MAX.to_le_bytes(), brackets.as_bytes(), b""),
        &["cannot read probs in a.npz: the array is damaged: its header is \"((((("],
    );
    refuses(
        &raw(2, &u32::MAX.to_le_bytes(), b"{", b""),
        &["the array is damaged: its header would have 4294967295 bytes"],
    );
    refuses(b"", &["the array is damaged: it ends within its header"]);
}

#[test]
fn sizes_in_the_directory_that_are_not_true() {
    let place = Place::new();
    write(&place, &array("'<f8'", "(2, 2)", &[0; 32]));
    let mut bytes = std::fs::read(place.path("a.npz")).unwrap();
    // The directory's entries start with these four letters; the size unpacked comes 24 bytes later.
    let entries: Vec<usize> =
        (0..bytes.len() - 4).filter(|&at| bytes[at..].starts_with(b"PK\x01\x02")).collect();
    assert_eq!(entries.len(), 2);
    bytes[entries[1] + 24..entries[1] + 28].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f]);
    place.write("a.npz", &bytes);
    // What it says is not even looked at: the rows are what they are, and sum to nothing.
    refused(&place, "a.npz", &["a.npz, row 0: the probabilities sum to 0"]);
}

#[test]
fn a_directory_of_more_files_than_there_are_bytes() {
    let files = (1u64 << 40).to_le_bytes();
    let place = Place::new();
    let size = (1u64 << 41).to_le_bytes();
    let bytes = [
        // The end of a directory of version 64: 44 more bytes, versions, disks, counts, size, start.
        &b"PK\x06\x06"[..],
        &44u64.to_le_bytes(),
        &[45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        &files,
        &files,
        &size,
        &size,
        // Where that is, and the end of a directory that says to look there.
        b"PK\x06\x07\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0",
        b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0",
    ];
    place.write("a.npz", bytes.concat());
    refused(&place, "a.npz", &["cannot read a.npz: it is no NPZ archive"]);
}
