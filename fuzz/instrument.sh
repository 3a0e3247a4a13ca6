#!/bin/sh
# A RUSTC_WORKSPACE_WRAPPER: compiles this workspace's own crates so that libFuzzer sees which edges
# an input takes and which numbers it is compared with. Crates from elsewhere are compiled as ever, so
# that they are shared with the tests' build; `make long WHAT=fuzz` instruments those, too.
exec "$@" --cfg fuzzing $(sh "$(dirname "$0")/flags.sh")
