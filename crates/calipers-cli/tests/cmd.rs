//! Every command and every error text, word for word, with its exit status.
//!
//! To accept new texts: `TRYCMD=overwrite cargo test -p calipers-cli --test main cmd::`.

#[test]
fn commands_print_what_is_written_here() {
    // The fixtures are named as a user would: relative to where the command is run. Every other test
    // runs its commands in a directory of its own.
    std::env::set_current_dir("tests/cmd").unwrap();
    let cases = trycmd::TestCases::new();
    // A release changes it without looking here.
    cases.insert_var("[VERSION]", env!("CARGO_PKG_VERSION")).unwrap();
    // What is written last counts.
    cases.case("*.trycmd");
    let other = if cfg!(feature = "parquet") { "without_arrow.trycmd" } else { "arrow.trycmd" };
    cases.skip(other);
}
