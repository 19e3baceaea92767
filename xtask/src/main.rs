//! Every check and measurement: `cargo xtask test`, `cargo xtask bench`, `cargo xtask coverage`.

mod bench;
mod check;
mod coverage;
mod trees;

use anyhow::{Result, bail};

const USAGE: &str = "cargo xtask COMMAND
  test                    formatting, lints, every test, documentation
  bench [--huge DIR] [--small DIR] [--large DIR]
                          every promise about speed and size, measured beside a floor or a rival; trees come from
                          PyPI unless named
  coverage                line coverage of the extraction, index and search crates (needs cargo-tarpaulin)";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("test") => check::run(),
        Some("bench") => bench::run(&arguments[1..]),
        Some("coverage") => coverage::run(),
        _ => bail!("{USAGE}"),
    }
}
