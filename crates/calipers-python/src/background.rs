//! Work on threads of its own, so that the calling thread can listen.
//!
//! The calling thread waits without the interpreter's lock. It wakes up twenty times a second to
//! see whether Ctrl-C was pressed, and whenever the work asks for something that only Python can
//! do. Python code is only ever run on the thread that called: where interrupts arrive, where
//! thread-local settings hold, and where a debugger looks.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use calipers::{Error, Stop, with_pool_while};
use pyo3::prelude::*;

use crate::error::raise;

/// How long an interrupt may wait until it is seen.
const WAKE: Duration = Duration::from_millis(50);

/// Something that the calling thread is asked to do in Python.
type Request = Box<dyn FnOnce(Python<'_>) -> PyResult<()> + Send>;

/// The work's end of the line to the calling thread.
#[derive(Clone)]
pub struct Caller {
    requests: Sender<Request>,
    stop: Stop,
}

impl Caller {
    /// Stops the work when it is told to.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Runs Python code on the calling thread and waits for its answer. If it raises, the
    /// exception is kept for the calling thread, and the work is stopped.
    pub fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(Python<'_>) -> PyResult<T> + Send + 'static,
    ) -> calipers::Result<T> {
        let (reply, answer) = mpsc::channel();
        self.tell(move |py| {
            // Nobody waits for the answer any more if the work was stopped meanwhile.
            let _ = reply.send(question(py)?);
            Ok(())
        });
        answer.recv().map_err(|_| Error::Stopped)
    }

    /// Has Python code run on the calling thread, without waiting for it.
    pub fn tell(&self, request: impl FnOnce(Python<'_>) -> PyResult<()> + Send + 'static) {
        // The calling thread listens as long as there is work.
        let _ = self.requests.send(Box::new(request));
    }
}

/// Runs `work` on so many threads of its own. An exception, raised by Ctrl-C or by Python code that
/// was asked for, stops the work and is raised once it has ended: nothing is left running.
pub fn run<T: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(Caller) -> calipers::Result<T> + Send,
) -> PyResult<T> {
    let (result, raised) = py.detach(|| {
        let (requests, inbox) = mpsc::channel();
        let stop = Stop::new();
        let caller = Caller { requests, stop: stop.clone() };
        let mut raised = None;
        let listen = || raised = listen(&inbox, &stop);
        // A panic goes through here, and reaches Python as an exception of its own kind.
        (with_pool_while(threads, &stop, || work(caller), listen), raised)
    });
    match (raised, result) {
        (Some(exception), _) => Err(exception),
        (None, result) => result.map_err(|error| raise(py, &error)),
    }
}

/// Serves the work until it has hung up; the first exception, if there was one.
fn listen(inbox: &Receiver<Request>, stop: &Stop) -> Option<PyErr> {
    let mut raised: Option<PyErr> = None;
    loop {
        let done = match inbox.recv_timeout(WAKE) {
            // The work is being stopped: its requests are dropped, which tells those who wait.
            Ok(_) if raised.is_some() => Ok(()),
            Ok(request) => Python::attach(request),
            Err(RecvTimeoutError::Timeout) if raised.is_some() => Ok(()),
            Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals()),
            Err(RecvTimeoutError::Disconnected) => return raised,
        };
        if let Err(exception) = done {
            stop.stop();
            raised = Some(exception);
        }
    }
}
