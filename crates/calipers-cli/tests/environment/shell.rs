//! Lines of a shell, in which `$calipers` is the program.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use crate::common::{Place, Ran, delimited};

/// What makes an estimate take milliseconds, and its output short.
pub const QUICK: &str = "--recalibrator identity --draws 0 --format csv";

/// A directory with a file of predictions in it, `table.csv`.
pub fn place() -> Place {
    let place = Place::new();
    place.write("table.csv", delimited(",", "\n"));
    place
}

/// A command of bash that runs here; `timeout` makes a failure of a hang.
pub fn command(place: &Place, script: &str) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--signal=KILL", "120", "bash", "-c", script]).current_dir(place.path("."));
    command.env("calipers", env!("CARGO_BIN_EXE_calipers")).env("quick", QUICK);
    command
}

/// Runs it, and expects it to end by itself.
pub fn run(place: &Place, script: &str) -> Ran {
    Ran::from(output(place, script))
}

/// Runs it.
pub fn output(place: &Place, script: &str) -> Output {
    command(place, script).output().unwrap()
}

/// Runs a script in which `$calipers` is run by a user without rights, if one can be had: root may
/// do everything, and cannot be refused.
pub fn run_without_rights(place: &Place, script: &str) -> Option<Ran> {
    let root = output(place, "test $(id --user) = 0").status.success();
    if !root {
        return Some(run(place, script));
    }
    // The user may not be allowed to look into the directory where the program was built.
    let program = place.path("calipers");
    if !program.exists() && fs::hard_link(env!("CARGO_BIN_EXE_calipers"), &program).is_err() {
        fs::copy(env!("CARGO_BIN_EXE_calipers"), &program).unwrap();
    }
    fs::set_permissions(place.path("."), Permissions::from_mode(0o755)).unwrap();
    let other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];
    let mut trial = Command::new(other[0]);
    trial.args(&other[1..]).arg("test").arg("-x").arg(&program);
    if !trial.status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: root cannot become another user here, who can run the program");
        return None;
    }
    let mut command = Command::new("timeout");
    command.args(["--signal=KILL", "120"]).args(other).args(["bash", "-c", script]);
    command.current_dir(place.path(".")).env("calipers", program).env("quick", QUICK);
    Some(Ran::from(command.output().unwrap()))
}

/// Whether the lines of a run in its own file system can be tried.
pub fn can_mount(place: &Place) -> bool {
    let can = output(place, "unshare --mount mount -t tmpfs -o size=64k tmpfs .").status.success();
    if !can {
        eprintln!("skipped: nothing can be mounted here");
    }
    can
}
