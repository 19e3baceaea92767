//! Promises that hold for every input, as functions of bytes.
//!
//! A [`Target`] takes any bytes, makes of them what cds would read (a source file, a query, settings, a damaged index) and
//! panics where a promise is broken. libFuzzer calls the same functions from `fuzz/` that [`run`](run()) calls on the stable
//! compiler with the inputs of `corpus/` and changed copies of them, so what one finds the other repeats.

mod corpus;
mod damage;
mod extract;
mod guarded;
mod manifest;
mod mutate;
mod project;
mod query;
mod request;
mod requests;
mod run;
mod settings;
mod target;
mod watch;

pub use corpus::{Corpus, Input};
pub use damage::index_readers;
pub use extract::extract;
pub use guarded::leave_guarded_panics;
pub use manifest::manifest;
pub use mutate::Mutator;
pub use project::{Indexed, Source};
pub use query::query;
pub use requests::{filters, requests};
pub use run::{Bound, Ran, run};
pub use settings::settings;
pub use target::{TARGETS, Target};
pub use watch::Watch;
