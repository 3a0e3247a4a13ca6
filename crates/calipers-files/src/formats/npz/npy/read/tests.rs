use super::*;

/// An array as NumPy saves it.
fn array(described: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': {described}, 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut array = b"\x93NUMPY\x01\0".to_vec();
    array.extend((header.len() as u16).to_le_bytes());
    array.extend(header.as_bytes());
    array.extend(bytes);
    array
}

fn values(described: &str, shape: &str, bytes: &[u8]) -> Result<Values, Fault> {
    read(array(described, shape, bytes).as_slice(), &mut Allowance::of("a.npz", 100, 1 << 30))
}

fn fault(described: &str, shape: &str, bytes: &[u8]) -> String {
    match values(described, shape, bytes) {
        Err(Fault::Damaged(reason)) => reason,
        Err(Fault::Refused(error)) => error.message().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_type_of_number_is_read() {
    for (described, bytes, value) in [
        ("'<f8'", (-1.5f64).to_le_bytes().as_slice(), -1.5),
        ("'>f8'", &(-1.5f64).to_be_bytes(), -1.5),
        ("'<f4'", &0.25f32.to_le_bytes(), 0.25),
        ("'>f4'", &0.25f32.to_be_bytes(), 0.25),
        ("'<f2'", &f16::from_f64(0.75).to_le_bytes(), 0.75),
        ("'|b1'", &[1], 1.0),
        ("'|i1'", &[0xff], -1.0),
        ("'|u1'", &[0xff], 255.0),
        ("'<i2'", &(-300i16).to_le_bytes(), -300.0),
        ("'>i4'", &(-70_000i32).to_be_bytes(), -70_000.0),
        ("'<i8'", &(-5i64).to_le_bytes(), -5.0),
        ("'<u8'", &7u64.to_le_bytes(), 7.0),
    ] {
        let Values::Numbers(numbers) = values(described, "(1,)", bytes).unwrap() else {
            panic!("{described}")
        };
        assert_eq!(numbers, [value], "{described}");
    }
}

#[test]
fn other_types_are_described() {
    for (described, expected) in [
        ("'|O'", "an array of Python objects: save it with astype(str)"),
        ("'<c16'", "an array of type '<c16'"),
        ("[('a', '<f8')]", "an array of type [('a', '<f8')]"),
        ("'<M8[s]'", "an array of type '<M8[s]'"),
        ("'<f16'", "an array of type '<f16'"),
    ] {
        let Values::Other(found) = values(described, "(3,)", &[]).unwrap() else {
            panic!("{described}")
        };
        assert_eq!(found, expected);
    }
}

#[test]
fn lengths_that_are_wrong_are_said() {
    assert_eq!(fault("'|u1'", "(2,)", &[1]), "it ends after 1 of 2 elements");
    assert_eq!(fault("'|u1'", "(1,)", &[1, 2]), "it does not end after its 1 elements");
}

#[test]
fn what_is_too_large_is_refused_before_it_is_made() {
    for (described, shape, size) in [
        ("'|u1'", "(1000000000000,)", "7.3 TiB"),
        ("'<f8'", "(4294967296, 4294967296)", "281474976710656.0 YiB"),
        ("'|S1000000000'", "(1000,)", "931.3 GiB"),
        ("'<U4611686018427387903'", "(1,)", "16.0 EiB"),
    ] {
        let message = fault(described, shape, &[]);
        assert!(message.starts_with("a.npz: it promises an array of shape ["), "{message}");
        assert!(message.contains(size), "{message}");
    }
}

#[test]
fn strings_end_at_their_zeros() {
    let wide: Vec<u8> = ['ä', 'b', '\0', 'c', '\0', '\0']
        .iter()
        .flat_map(|&c| u32::from(c).to_le_bytes())
        .collect();
    let words = |described: &str, bytes: &[u8]| -> Vec<String> {
        let Values::Text(text) = values(described, "(2,)", bytes).unwrap() else { panic!() };
        text.iter().map(str::to_owned).collect()
    };
    assert_eq!(words("'<U3'", &wide), ["äb", "c"]);
    assert_eq!(words("'|S2'", b"a\0bc"), ["a", "bc"]);
    assert_eq!(words("'<U0'", b""), ["", ""]);
}

#[test]
fn more_than_is_read_at_a_time_is_read_to_the_end() {
    let count = 2 * BLOCK / 4 + 3;
    let bytes: Vec<u8> = (0..count).flat_map(|number| (number as f32).to_be_bytes()).collect();
    let Values::Numbers(numbers) = values("'>f4'", &format!("({count},)"), &bytes).unwrap() else {
        panic!()
    };
    assert_eq!(numbers, (0..count).map(|number| number as f64).collect::<Vec<_>>());
    let short = &bytes[..BLOCK + 9];
    let expected = format!("it ends after {} of {count} elements", BLOCK / 4 + 2);
    assert_eq!(fault("'>f4'", &format!("({count},)"), short), expected);
}
