//! What the process ends with.

use cds_engine::ErrorKind;

pub(crate) const FOUND: u8 = 0;
pub(crate) const NOTHING_FOUND: u8 = 1;
pub(crate) const BAD_ARGUMENTS: u8 = 2;
pub(crate) const NO_INDEX: u8 = 3;
pub(crate) const SERVICE: u8 = 4;
pub(crate) const IO: u8 = 5;
/// As shells count a process ended by Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;

/// The code for an error of the engine.
pub(crate) fn code(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Invalid => BAD_ARGUMENTS,
        ErrorKind::NotFound => NOTHING_FOUND,
        ErrorKind::NotReady => NO_INDEX,
        ErrorKind::Busy | ErrorKind::Model | ErrorKind::Internal | ErrorKind::Timeout => SERVICE,
        ErrorKind::Cancelled => INTERRUPTED,
        ErrorKind::Io => IO,
    }
}
