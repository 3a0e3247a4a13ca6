//! Every command and every error text, word for word, with its exit status.
//!
//! To accept new texts: `TRYCMD=overwrite cargo test -p calipers-cli --test cmd`.

#[test]
fn commands_print_what_is_written_here() {
    // The fixtures are named as a user would: relative to where the command is run.
    std::env::set_current_dir("tests/cmd").unwrap();
    trycmd::TestCases::new().case("*.trycmd");
}
