//! Archives of arrays as NumPy saves them, true or not.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// An array of a type as Python writes it, such as `'<f8'`, and a shape: a header and then bytes.
pub fn array(described: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    ordered(described, false, shape, bytes)
}

/// As [`array`]; `fortran` says whether the first index changes fastest.
pub fn ordered(described: &str, fortran: bool, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let header =
        format!("{{'descr': {described}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    raw(1, &(header.len() as u16).to_le_bytes(), header.as_bytes(), bytes)
}

/// Whatever the version, the length of the header and the header are.
pub fn raw(version: u8, length: &[u8], header: &[u8], bytes: &[u8]) -> Vec<u8> {
    [b"\x93NUMPY", &[version, 0][..], length, header, bytes].concat()
}

/// An archive of arrays.
pub fn archive(arrays: &[(&str, Vec<u8>)], compression: CompressionMethod) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        let options = SimpleFileOptions::default().compression_method(compression);
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}
