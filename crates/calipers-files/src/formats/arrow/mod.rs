//! Apache Arrow IPC, the file format and the stream format; Feather version 2 is the former.

#[cfg(feature = "parquet")]
pub(super) mod cells;
#[cfg(feature = "parquet")]
mod ipc;
#[cfg(feature = "parquet")]
mod pieces;
#[cfg(feature = "parquet")]
pub(super) mod read;
#[cfg(feature = "parquet")]
mod widen;
#[cfg(feature = "parquet")]
pub(super) mod write;

use super::{Format, Support};

pub(super) const FORMAT: Format = Format {
    name: "Arrow",
    about: "Arrow IPC (Feather)",
    extensions: &["arrow", "feather", "ipc"],
    aliases: &["arrows"],
    start: Some((b"ARROW1", "an Arrow file")),
    arrays: false,
    packs: false,
    #[cfg(feature = "parquet")]
    support: Support::BuiltIn {
        read: |content, asked| {
            let file = content.into_file(asked.name)?;
            super::guard::guarded(asked.name, || read::read(file, asked))
        },
        open: |file, asked| {
            let opened = super::guard::guarded(asked.name, || pieces::Arrow::open(file, asked));
            Ok(Box::new(opened?))
        },
        write: |sheet, _, file| write::write(sheet, file),
        append: Some(|_, file| Ok(Box::new(write::Writer::new(file)))),
    },
    // The Arrow crates are those that Parquet is read with: one feature asks for both.
    #[cfg(not(feature = "parquet"))]
    support: Support::LeftOut { feature: "parquet" },
};
