//! What JavaScript calls: numbers in, numbers out, and one room in memory that both sides know.
//!
//! The page asks for a [room](calipers_room) and fills it; a function reads it, leaves its answer there, and returns
//! the answer's length. So no pointer is ever followed here: all there is to allow is that functions keep their names.

#![allow(unsafe_code, reason = "names that are kept, and functions that JavaScript has")]

use std::cell::RefCell;
use std::panic;
use std::sync::Once;

use crate::answer::{Answer, Asked, Fault};
use crate::session::Session;

thread_local! {
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

unsafe extern "C" {
    /// So many fits are done, of so many.
    safe fn calipers_progress(done: usize, total: usize);
    /// What should not have happened, in words, as bytes at a place of so many.
    safe fn calipers_fault(place: *const u8, length: usize);
}

/// Makes room for so many bytes, and says where; nowhere (0) if they do not fit in memory.
#[unsafe(no_mangle)]
pub extern "C" fn calipers_room(length: usize) -> *mut u8 {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        panic::set_hook(Box::new(|fault| {
            let words = fault.to_string();
            calipers_fault(words.as_ptr(), words.len());
        }));
    });
    ROOM.with_borrow_mut(|room| {
        *room = Vec::new();
        if room.try_reserve_exact(length).is_err() {
            return std::ptr::null_mut();
        }
        room.resize(length, 0);
        room.as_mut_ptr()
    })
}

/// Opens what is in the room: a name of so many bytes, and after it what the file holds.
#[unsafe(no_mangle)]
pub extern "C" fn calipers_open(name: usize) {
    let mut bytes = ROOM.take();
    let name: Vec<u8> = bytes.drain(..name.min(bytes.len())).collect();
    SESSION.set(Some(Session::open(String::from_utf8_lossy(&name), bytes)));
}

/// Measures the file: the room holds which columns are asked for, and then the answer, both as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn calipers_measure() -> usize {
    let asked: Result<Asked, _> = serde_json::from_slice(&ROOM.take());
    let answer = match asked {
        Err(error) => failed(error.to_string()),
        Ok(asked) => SESSION.with_borrow_mut(|session| match session {
            None => failed("no file was opened".to_owned()),
            Some(session) => session.measure(&asked, |done, total| calipers_progress(done, total)),
        }),
    };
    leave(serde_json::to_vec(&answer).unwrap_or_default())
}

/// Writes the page of what was measured, which took so many seconds until then.
#[unsafe(no_mangle)]
pub extern "C" fn calipers_page(seconds: f64, when: f64) -> usize {
    let page = SESSION.with_borrow(|session| session.as_ref().map(|own| own.page(seconds, when)));
    leave(page.unwrap_or_default().into_bytes())
}

/// Where the room is.
#[unsafe(no_mangle)]
pub extern "C" fn calipers_answer() -> *const u8 {
    ROOM.with_borrow(|room| room.as_ptr())
}

fn leave(answer: Vec<u8>) -> usize {
    let length = answer.len();
    ROOM.set(answer);
    length
}

fn failed(message: String) -> Answer {
    let fault = Fault { message, list: Vec::new(), hint: None };
    Answer { error: Some(fault), ..Answer::default() }
}
