//! The `cds` binary: arguments, one file a command, rendering.

mod args;
mod commands;
mod exit;
mod install;
mod memory;
mod progress;
mod render;

use clap::Parser;

// Parsers and the text index allocate small pieces by the million. It also replaces C's malloc, which tree-sitter uses.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    memory::take_small_pages();
    // Panics that are caught are told as errors.
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !cds_engine::is_guarded() {
            print(panic);
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
