//! Many runs of the program at once, into one directory: every output is whole at any time.
//!
//! `CALIPERS_LOAD` is the number of estimates a worker for other tests of this name; a worker here makes
//! a twentieth as many runs, since each is a process: few by default, and 50 for `make long WHAT=load`.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;
use std::{env, fs, thread};

use crate::common::{Place, Ran, delimited};

const WORKERS: usize = 4;

/// What a worker draws into the file that all of them write.
fn draw(worker: usize, target: &str) -> Vec<String> {
    let rows = (1000 * (worker + 1)).to_string();
    ["simulate", "binary-over", "-n", &rows, "-o", target].map(str::to_owned).into()
}

fn run(place: &Place, args: &[String]) -> Ran {
    let ran = place.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(ran.status, 0, "{args:?}: {ran:?}");
    ran
}

#[test]
fn many_runs_at_once_leave_whole_files() {
    let runs = env::var("CALIPERS_LOAD").map_or(6, |text| text.parse::<usize>().unwrap() / 20);
    let place = Place::new();
    place.write("table.csv", delimited(",", "\n"));
    let quick = "estimate table.csv --recalibrator isotonic --format json";
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let answer = run(&place, &words(quick)).stdout;
    let whole: HashSet<Vec<u8>> = (0..WORKERS)
        .map(|worker| {
            run(&place, &draw(worker, "shared.csv"));
            fs::read(place.path("shared.csv")).unwrap()
        })
        .collect();
    assert_eq!(whole.len(), WORKERS);
    let report = words("report table.csv --recalibrator identity -o page.html");
    run(&place, &report);
    let (done, different, looks) =
        (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let start = Instant::now();
    thread::scope(|scope| {
        let (place, whole, answer, report) = (&place, &whole, &answer, &report);
        let (done, different, looks) = (&done, &different, &looks);
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| {
                scope.spawn(move || {
                    for turn in 0..runs {
                        let own = format!("own-{worker}.csv");
                        run(place, &draw(worker, if turn % 2 == 0 { "shared.csv" } else { &own }));
                        run(place, report);
                        let found = run(place, &words(quick)).stdout;
                        different.fetch_add(usize::from(found != *answer), Ordering::Relaxed);
                    }
                })
            })
            .collect();
        // Somebody who looks all the time never sees half of a file.
        scope.spawn(move || {
            while !done.load(Ordering::Relaxed) {
                assert!(whole.contains(&fs::read(place.path("shared.csv")).unwrap()));
                let page = fs::read_to_string(place.path("page.html")).unwrap();
                assert!(page.starts_with("<!") && page.trim_end().ends_with("</html>"));
                looks.fetch_add(1, Ordering::Relaxed);
                thread::yield_now();
            }
        });
        let failed = workers.into_iter().filter_map(|worker| worker.join().err()).count();
        done.store(true, Ordering::Relaxed);
        assert_eq!(failed, 0);
    });
    assert!(looks.into_inner() > 0);
    let different = different.into_inner();
    assert_eq!(different, 0, "estimates that were not as before");
    let visible: Vec<String> =
        place.names().into_iter().filter(|name| name.starts_with('.')).collect();
    assert_eq!(visible, [] as [&str; 0]);
    let (seconds, calls) = (start.elapsed().as_secs_f64(), WORKERS * runs * 3);
    println!("load,The command line: processes,{WORKERS},{calls},{seconds:.1},,,{different},0");
}
