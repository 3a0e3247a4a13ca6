//! Apache Parquet.

#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod pieces;
#[cfg(feature = "parquet")]
mod read;
#[cfg(feature = "parquet")]
mod schema;
#[cfg(feature = "parquet")]
mod thrift;
#[cfg(feature = "parquet")]
mod write;

use super::{Format, Support};

pub(super) const FORMAT: Format = Format {
    name: "Parquet",
    about: "Parquet",
    extensions: &["parquet"],
    aliases: &["pq"],
    start: Some((b"PAR1", "a Parquet file")),
    arrays: false,
    packs: false,
    #[cfg(feature = "parquet")]
    support: Support::BuiltIn {
        read: |content, asked| {
            let file = content.into_file(asked.name)?;
            super::guard::guarded(asked.name, || read::read(file, asked))
        },
        open: |file, asked| {
            let opened = super::guard::guarded(asked.name, || pieces::Parquet::open(file, asked));
            Ok(Box::new(opened?))
        },
        write: |sheet, _, file| write::write(sheet, file),
        append: Some(|_, file| Ok(Box::new(write::Writer::new(file)))),
    },
    #[cfg(not(feature = "parquet"))]
    support: Support::LeftOut { feature: "parquet" },
};
