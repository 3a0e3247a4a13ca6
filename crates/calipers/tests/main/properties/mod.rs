//! What holds for every input: arbitrary small predictions, every recalibrator, every metric.
//!
//! Each property stands once, in the file of its family. `drawn` draws the predictions, `lists` has the
//! recalibrators and the metrics, `cases` runs a property and counts. The cases are the same in every
//! run; `make long WHAT=properties` draws twenty times as many others and writes down how many.

mod cases;
mod drawn;
mod lists;
mod near;
mod order;
mod saved;
mod scores;
mod simplex;
mod threads;
mod weights;
