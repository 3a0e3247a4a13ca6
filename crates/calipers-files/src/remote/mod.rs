//! Object stores: which objects a URL such as `s3://bucket/part-*.parquet` means, and how one is brought
//! here, into a file without a name, so that it is read as any other file is.
//!
//! All of it is the feature `cloud`: HTTP and TLS take long to build. Without it a URL is refused.

#[cfg(feature = "cloud")]
mod fault;
#[cfg(not(feature = "cloud"))]
mod left_out;
#[cfg(feature = "cloud")]
mod meant;
#[cfg(feature = "cloud")]
mod object;
#[cfg(feature = "cloud")]
mod store;
#[cfg(feature = "cloud")]
mod stores;

use std::path::Path;

#[cfg(not(feature = "cloud"))]
pub use left_out::{Object, Stores};
#[cfg(feature = "cloud")]
pub use object::Object;
#[cfg(feature = "cloud")]
pub use stores::Stores;

/// What the URLs of object stores begin with: S3's, Google's, and Azure's.
const SCHEMES: [&str; 8] = ["s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "adl"];

/// Whether a path is the URL of something in an object store, which only the feature `cloud` can read.
///
/// ```
/// use calipers_files::is_url;
///
/// assert!(is_url("s3://bucket/day=1/part-0.parquet".as_ref()));
/// assert!(!is_url("s3/bucket/part-0.parquet".as_ref()));
/// ```
pub fn is_url(path: &Path) -> bool {
    let parts = path.to_str().and_then(|text| text.split_once("://"));
    parts.is_some_and(|(scheme, _)| SCHEMES.contains(&scheme))
}
