//! The formats as the program knows them; their reading is tested in `calipers-files`.

use calipers_files::Format;

use crate::common::{Place, delimited};

#[test]
fn text_on_standard_input() {
    let place = Place::new();
    let expected = place.estimate(place.write("expected.csv", delimited(",", "\n")), &[]);
    let options = ["estimate", "-", "--format", "json", "--recalibrator", "temperature"];
    assert_eq!(place.pipe(&options, delimited(",", "\n").as_bytes()).json(), expected);
    assert_eq!(place.pipe(&options, delimited("\t", "\r\n").as_bytes()).json(), expected);
}

#[test]
fn what_is_simulated_can_be_estimated() {
    let place = Place::new();
    let mut reports = Vec::new();
    let built = Format::all().iter().filter(|format| format.is_built_in());
    for extension in built.flat_map(|format| format.extensions()) {
        let name = format!("drawn.{extension}");
        let seed = ["--seed", "5", "-o", &name];
        let ran = place
            .run(&[&["simulate", "multiclass-overconfident-3", "-n", "300"], &seed[..]].concat());
        assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
        let mut report = place.estimate(name, &[]);
        // An array's columns have no names.
        let columns = report.as_object_mut().unwrap().remove("columns").unwrap();
        assert_eq!(columns["probabilities"].as_object().unwrap().len(), 3);
        reports.push(report);
    }
    assert_eq!(reports.len(), if cfg!(feature = "parquet") { 10 } else { 6 });
    assert_eq!(reports[0]["n"], 300);
    assert!(reports.iter().all(|report| *report == reports[0]));
}
