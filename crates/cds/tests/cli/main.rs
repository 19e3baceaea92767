//! Runs the real binary in temporary folders and judges what a user would see: stdout, stderr and the exit code.
//! Tests whose names begin with an id (`c1_`, `s10_`, `b4_`) are the acceptance scenarios of that id.

// Fixtures are small: how they are put together does not matter.
#![allow(clippy::format_collect, clippy::format_push_string)]

mod combo;
#[cfg(unix)]
mod control_characters;
#[cfg(unix)]
mod crash;
mod damage;
#[cfg(unix)]
mod disk;
mod documents;
mod doors;
#[cfg(unix)]
mod doors_hostile;
mod errors;
mod eval;
mod filters;
mod fixture;
mod formats;
mod graph;
mod grep;
#[cfg(feature = "grpc")]
mod grpc;
#[cfg(all(unix, feature = "grpc"))]
mod grpc_hostile;
mod index;
mod install;
mod languages;
mod limits;
mod locagent;
mod lock;
mod model;
#[cfg(unix)]
mod overload;
mod projects;
mod readers;
mod research;
mod retrieve;
mod robust;
mod scenarios;
mod search;
mod service;
mod settings;
mod symbol;
mod times;
#[cfg(unix)]
mod trust;
mod updates;
#[cfg(unix)]
mod watch;
