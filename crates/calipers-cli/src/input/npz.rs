//! stub
use super::Table;
use crate::error::Result;
use std::fs::File;
pub fn read(_file: File, _name: &str) -> Result<Table> {
    Err(crate::error::Failure::input("npz"))
}
