//! What a store says no with, in words.

use std::fmt::Display;

use calipers::words::visible;
use object_store::Error as Fault;

use crate::error::Error;

/// Why a store did not hand something over.
pub fn fault(url: &str, fault: &Fault) -> Error {
    let said = fault.to_string();
    // That a list is refused is said in words alone.
    if matches!(fault, Fault::NotFound { .. }) || said.contains("404 Not Found") {
        return refused(url, &"there is no such object or bucket")
            .with_hint("what is below a prefix is meant by a / at its end");
    }
    if matches!(fault, Fault::PermissionDenied { .. } | Fault::Unauthenticated { .. })
        || said.contains("403 Forbidden")
    {
        return refused(url, &"access is denied").with_hint(
            "credentials are taken from the environment: variables that begin with AWS_, GOOGLE_ or AZURE_",
        );
    }
    refused(url, &said)
}

/// Something that is the user's to mend.
pub fn refused(url: &str, why: &dyn Display) -> Error {
    Error::input(format!("cannot read {}: {}", visible(url), visible(&why.to_string())))
}
