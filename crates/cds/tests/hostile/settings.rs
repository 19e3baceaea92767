//! `.cds.toml` of a project: it may narrow what the owner of the machine decided, and nothing else.

use crate::sandbox::{Case, SECRET};

/// A project whose settings are this text.
macro_rules! settings {
    ($name:literal, $text:expr, $message:literal) => {
        Case::rejected($name, |sandbox| sandbox.write(".cds.toml", $text), $message)
    };
}

pub(crate) const CASES: &[Case] = &[
    settings!("index.dir above", "[index]\ndir = \"../home/.cargo\"\n", ".cds.toml:2: index.dir"),
    settings!("index.dir absolute", "[index]\ndir = \"/tmp/cds-hostile-index\"\n", ".cds.toml:2: index.dir"),
    settings!("index.dir is the root", "[index]\ndir = \".\"\n", ".cds.toml:2: index.dir"),
    settings!("index.dir through a folder", "[index]\ndir = \"a/../../outside\"\n", ".cds.toml:2: index.dir"),
    settings!("index.dir of the home folder", "[index]\ndir = \"~/.ssh\"\n", ".cds.toml:2: index.dir"),
    settings!("index.languages outside", "[index]\nlanguages = \"../outside\"\n", ".cds.toml:2: index.languages"),
    settings!("index.max_file_size", "\n[index]\nmax_file_size = 99000000000\n", ".cds.toml:3: index.max_file_size"),
    settings!("index.max_files without a limit", "[index]\nmax_files = 0\n", ".cds.toml:2: index.max_files"),
    settings!(
        "index.max_total_size without a limit",
        "[index]\nmax_total_size = 0\n",
        ".cds.toml:2: index.max_total_size"
    ),
    settings!("index.max_memory", "[index]\nmax_memory = \"900G\"\n", ".cds.toml:2: index.max_memory"),
    settings!("index.jobs", "[index]\njobs = 100000\n", ".cds.toml:2: index.jobs"),
    settings!("index.wait", "[index]\nwait = 99999999\n", ".cds.toml:2: index.wait"),
    settings!(
        "models.service_url",
        "[models]\nservice_url = \"http://127.0.0.1:9/\"\n",
        ".cds.toml:2: models.service_url"
    ),
    settings!("models.dense is a service", "[models]\ndense = \"service\"\n", ".cds.toml:2: models.dense"),
    settings!("models.dense is a path", "[models]\ndense = \"../outside/model\"\n", ".cds.toml:2: models.dense"),
    settings!("models.reranker is a path", "[models]\nreranker = \"/outside\"\n", ".cds.toml:2: models.reranker"),
    settings!(
        "search.time_limit_ms without a limit",
        "[search]\ntime_limit_ms = 0\n",
        ".cds.toml:2: search.time_limit_ms"
    ),
    settings!("search.rerank_limit_ms", "[search]\nrerank_limit_ms = 900000\n", ".cds.toml:2: search.rerank_limit_ms"),
    settings!("search.update", "[search]\nupdate = false\n", ".cds.toml:2: search.update"),
    settings!("an unknown key with an escape sequence", "[search]\n\"\\u001b]0;owned\\u0007\" = 1\n", "no setting"),
    settings!("no TOML", "[[[[\n", ".cds.toml"),
    settings!("nested brackets", format!("a = {}", "[".repeat(100_000)), ".cds.toml"),
    settings!("two megabytes", format!("[search]\n#{}", "x".repeat(2_000_000)), ".cds.toml"),
    settings!("bytes that are not UTF-8", [0xFF, 0xFE, 0x00, 0x1B], ".cds.toml"),
    Case::rejected("settings link to a secret", |s| s.link(".cds.toml", s.outside("lock")), ".cds.toml"),
    Case::rejected("settings link to a device", |s| s.link(".cds.toml", "/dev/zero"), ".cds.toml"),
    Case::rejected("settings are a pipe", |s| s.fifo(".cds.toml"), ".cds.toml"),
    Case::rejected("settings are a folder", |s| s.folder(".cds.toml"), ".cds.toml"),
    Case::rejected("settings are enormous", |s| s.sparse(".cds.toml", 10 << 30), ".cds.toml"),
    Case::finds("settings of a subfolder", |s| s.write("sub/.cds.toml", "[index]\ndir = \"../../outside\"\n")),
    Case::finds("a file that looks like the settings of the user", |s| {
        s.write(".config/cds/config.toml", format!("[index]\ndir = \"{SECRET}\"\n"));
    }),
    Case::finds("settings that only narrow", |s| s.write(".cds.toml", "[index]\nmax_file_size = 500000\n")),
];
