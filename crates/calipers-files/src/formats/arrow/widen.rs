//! Numbers of any type as doubles.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};

/// Appends an array's cells to numbers; null is NaN.
///
/// The usual types are taken over as they lie in memory, which takes a tenth of the time of the
/// library's own conversion; every other type goes by way of it.
pub fn widen(numbers: &mut Vec<f64>, array: &ArrayRef) -> Result<(), ArrowError> {
    let first = numbers.len();
    match array.data_type() {
        DataType::Float64 => {
            numbers.extend_from_slice(array.as_primitive::<Float64Type>().values());
        }
        DataType::Float32 => extend::<Float32Type>(numbers, array),
        DataType::Int8 => extend::<Int8Type>(numbers, array),
        DataType::Int16 => extend::<Int16Type>(numbers, array),
        DataType::Int32 => extend::<Int32Type>(numbers, array),
        DataType::UInt8 => extend::<UInt8Type>(numbers, array),
        DataType::UInt16 => extend::<UInt16Type>(numbers, array),
        DataType::UInt32 => extend::<UInt32Type>(numbers, array),
        DataType::Int64 => {
            let cells = array.as_primitive::<Int64Type>().values();
            numbers.extend(cells.iter().map(|&cell| cell as f64));
        }
        DataType::UInt64 => {
            let cells = array.as_primitive::<UInt64Type>().values();
            numbers.extend(cells.iter().map(|&cell| cell as f64));
        }
        _ => {
            let cells = cast(array, &DataType::Float64)?;
            let cells = cells.as_primitive::<Float64Type>();
            numbers.extend(cells.iter().map(|cell| cell.unwrap_or(f64::NAN)));
            return Ok(());
        }
    }
    if let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) {
        for (number, given) in numbers.iter_mut().skip(first).zip(nulls) {
            if !given {
                *number = f64::NAN;
            }
        }
    }
    Ok(())
}

fn extend<T: ArrowPrimitiveType<Native: Into<f64>>>(numbers: &mut Vec<f64>, array: &ArrayRef) {
    numbers.extend(array.as_primitive::<T>().values().iter().map(|&cell| cell.into()));
}

/// Whether an array holds integers that a double cannot: hashes, which as doubles would collide.
pub fn loses_digits(array: &dyn Array) -> bool {
    const EXACT: u64 = 1 << 53;
    match array.data_type() {
        DataType::Int64 => array
            .as_primitive::<Int64Type>()
            .iter()
            .flatten()
            .any(|value| value.unsigned_abs() > EXACT),
        DataType::UInt64 => {
            array.as_primitive::<UInt64Type>().iter().flatten().any(|value| value > EXACT)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Float64Array, PrimitiveArray, UInt64Array};

    use super::*;

    fn widened(array: ArrayRef) -> Vec<u64> {
        let mut numbers = vec![0.5];
        widen(&mut numbers, &array).unwrap();
        numbers.into_iter().skip(1).map(f64::to_bits).collect()
    }

    /// What the library makes of the same array.
    fn slowly(array: &ArrayRef) -> Vec<u64> {
        let cells = cast(array, &DataType::Float64).unwrap();
        let cells: &Float64Array = cells.as_primitive();
        cells.iter().map(|cell| cell.unwrap_or(f64::NAN).to_bits()).collect()
    }

    fn agrees<T: ArrowPrimitiveType>(cells: Vec<Option<T::Native>>) {
        let array: ArrayRef = Arc::new(PrimitiveArray::<T>::from_iter(cells));
        assert_eq!(widened(Arc::clone(&array)), slowly(&array), "{}", array.data_type());
        let part = array.slice(1, 2);
        assert_eq!(widened(Arc::clone(&part)), slowly(&part), "{}", part.data_type());
    }

    #[test]
    fn every_type_is_what_the_library_makes_of_it() {
        agrees::<Float64Type>(vec![Some(0.1), None, Some(-0.0), Some(f64::INFINITY)]);
        agrees::<Float32Type>(vec![Some(0.1), None, Some(-0.0), Some(f32::MIN)]);
        agrees::<Int8Type>(vec![Some(-128), None, Some(1), Some(127)]);
        agrees::<Int16Type>(vec![Some(-300), None, Some(1), Some(300)]);
        agrees::<Int32Type>(vec![Some(i32::MIN), None, Some(1), Some(i32::MAX)]);
        agrees::<Int64Type>(vec![Some(-(1 << 53)), None, Some(1), Some(1 << 53)]);
        agrees::<UInt8Type>(vec![Some(255), None, Some(1), Some(0)]);
        agrees::<UInt16Type>(vec![Some(65_535), None, Some(1), Some(0)]);
        agrees::<UInt32Type>(vec![Some(u32::MAX), None, Some(1), Some(0)]);
        agrees::<UInt64Type>(vec![Some(1 << 53), None, Some(1), Some(0)]);
    }

    #[test]
    fn hashes_lose_digits() {
        assert!(loses_digits(&UInt64Array::from(vec![1, (1 << 53) + 1])));
        assert!(!loses_digits(&UInt64Array::from(vec![1, 1 << 53])));
    }
}
