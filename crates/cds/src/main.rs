//! The `cds` binary: arguments, one file a command, rendering.

#![warn(clippy::print_stderr)]

mod args;
mod commands;
mod exit;
mod install;
mod memory;
mod output;
mod progress;
mod render;

use std::backtrace::{Backtrace, BacktraceStatus};

use clap::Parser;

// Parsers and the text index allocate small pieces by the million. It also replaces C's malloc, which tree-sitter uses.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    memory::take_small_pages();
    // Panics that are caught are told as errors.
    std::panic::set_hook(Box::new(|panic| {
        if !cds_engine::is_guarded() {
            let trace = Backtrace::capture();
            let trace = if trace.status() == BacktraceStatus::Captured { format!("\n{trace}") } else { String::new() };
            output::say(&format!("cds: {panic}{trace}"));
        }
    }));
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(e) => {
            // Help and version are answers; the rest is a bad argument. A closed pipe is nobody's fault.
            let _ = e.print();
            return std::process::ExitCode::from(if e.use_stderr() { exit::BAD_ARGUMENTS } else { exit::FOUND });
        }
    };
    std::process::ExitCode::from(commands::run(args))
}
