//! Every check and measurement: `cargo xtask test`, `cargo xtask bench`, `cargo xtask eval`,
//! `cargo xtask graph-truth`, `cargo xtask parity`, `cargo xtask outside`,
//! `cargo xtask coverage`, `cargo xtask fuzz`, `cargo xtask plant`, `cargo xtask codegen`.

mod bench;
mod check;
mod codegen;
mod coverage;
mod eval;
mod fuzz;
mod grpc;
mod outside;
mod parity;
mod plant;
mod scip;
mod trees;
mod truth;

use anyhow::{Result, bail};

const USAGE: &str = "cargo xtask COMMAND
  test                    formatting, lints, every test, documentation, and LocAgent's results on four packages
  bench [--huge DIR] [--small DIR] [--large DIR] [--updates] [--load] [--soak]
                          every promise about speed and size, measured beside a floor or a rival; trees come from
                          PyPI unless named; --updates and --load measure only those; --soak runs mixed load on a
                          server for 3 minutes and prints memory, descriptors and threads
  eval [--only NAME,NAME] [--bless]
                          ranks of every question of evals/ beside those recorded there; packages are fetched once;
                          --bless records them anew
  eval --sets DIR --repos DIR [--issues DIR]
                          the outside sets semble-dev and locate-dev as one table
  eval --learn --sets DIR --repos DIR
                          weights of the evidence fitted to semble-dev, each repository judged by the others
                          (all three: --cds FILE measures that program and builds none)
  graph-truth [--packages DIR] [--edges DIR] [--misses FILE]
                          precision and recall of the code graph against what compilers say about real packages, and
                          of codegraph beside it (needs npm and python3); DIR keeps packages and indexes between runs;
                          edges come from files PACKAGE.jsonl in place of a build; FILE tells every edge that is wrong
                          or missing
  parity [--small]        LocAgent's recorded graph, chunks, hits, search texts, trees and times beside ours on real
                          packages, which pip downloads by hash; --small: the four small ones, without times
  outside [--long]        clients of others at our doors: MCP by the SDKs for Python and TypeScript, the HTTP API by a fuzzer, and
                          our own client for Python (needs python3 and npm); --long asks the HTTP API far more
  coverage                line coverage of the extraction, index and search crates (needs cargo-tarpaulin)
  fuzz [--minutes N] [--target NAME]
                          inputs that break a promise, looked for N minutes (5) a target: with libFuzzer where a nightly
                          compiler and cargo-fuzz are installed, else by chance; see docs/fuzzing.md
  plant [--only WORDS]    whether the test of updated against clean indexes fails over each of a dozen planted bugs
  codegen                 the .proto of the gRPC door from the table of operations, and the code from the .proto";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("test") => check::run(),
        Some("bench") => bench::run(&arguments[1..]),
        Some("eval") => eval::run(&arguments[1..]),
        Some("graph-truth") => truth::run(&arguments[1..]),
        Some("parity") => parity::run(&arguments[1..]),
        Some("outside") => outside::run(&arguments[1..]),
        Some("coverage") => coverage::run(),
        Some("fuzz") => fuzz::run(&arguments[1..]),
        Some("plant") => plant::run(&arguments[1..]),
        Some("codegen") => codegen::run(),
        _ => bail!("{USAGE}"),
    }
}
