//! `cargo xtask plant`: mutation check of the test that compares updated indexes with clean ones. Bugs of the kind that updates have are
//! put into a copy of the sources, one at a time, and the test must fail for each.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::trees;

/// A mistake that an update could make.
struct Bug {
    /// What is wrong then.
    what: &'static str,
    file: &'static str,
    /// Stands in the file once.
    right: &'static str,
    wrong: &'static str,
}

const BUGS: &[Bug] = &[
    Bug {
        what: "entities and chunks keep their old numbers though files before them grew",
        file: "crates/cds-index/src/store/moves.rs",
        right: "id.wrapping_add(step)",
        wrong: "id.wrapping_add(step & 0)",
    },
    Bug {
        what: "what was taken out of a part is forgotten when the part that says so is written anew",
        file: "crates/cds-index/src/build/plan.rs",
        right: "let mut gone = old.gone_files(self.parts)?;",
        wrong: "let mut gone: Vec<GoneFile> = Vec::new();",
    },
    Bug {
        what: "terms of what is gone are counted once a chunk too often",
        file: "crates/cds-index/src/store/gone.rs",
        right: "Some((_, last)) if *last == self.chunks => {}",
        wrong: "Some((_, last)) if *last == self.chunks && self.chunks == 0 => {}",
    },
    Bug {
        what: "a name that is defined elsewhere now does not make who asked for it be linked again",
        file: "crates/cds-graph/src/changes.rs",
        right: "for name in differing(&old.names, &new.names) {",
        wrong: "for name in differing(&old.names, &new.names).take(0) {",
    },
    Bug {
        what: "what one file says of a name that others take from it is not compared",
        file: "crates/cds-graph/src/changes.rs",
        right: "for name in differing(&old.inside, &new.inside) {",
        wrong: "for name in differing(&old.inside, &new.inside).take(0) {",
    },
    Bug {
        what: "files that come and go do not make those be linked again that looked for a file there",
        file: "crates/cds-graph/src/changes.rs",
        right: "self.keys.insert(text_key(DepKind::Path, path));\n                self.keys.insert(text_key(DepKind::FileName, name));",
        wrong: "",
    },
    Bug {
        what: "users of a file are added to those it had",
        file: "crates/cds-index/src/build/generation.rs",
        right: "            users: 0,\n            entity,",
        wrong: "            entity,",
    },
    Bug {
        what: "the list of a name is not put in order after a file was added to it",
        file: "crates/cds-index/src/store/names.rs",
        right: "words[start..].sort_unstable();",
        wrong: "",
    },
    Bug {
        what: "edges of a file that stays lead where they led",
        file: "crates/cds-index/src/build/links.rs",
        right: "stretch.push(edge.leading_to(to), alias);",
        wrong: "stretch.push(if edge.kind() == EdgeKind::Contain { edge.leading_to(to) } else { *edge }, alias);",
    },
    Bug {
        what: "calls of a file that stays are not among those that may mean too many",
        file: "crates/cds-index/src/build/links.rs",
        right: "links.unresolved.push(UnresolvedRow { from, ..*row });",
        wrong: "let _ = from;",
    },
    Bug {
        what: "a folder that changed is taken to hold what it held",
        file: "crates/cds-index/src/build/look.rs",
        right: "        walked.files.extend(listed.files);",
        wrong: "        walked.files.extend(listed.files.into_iter().filter(|f| old.document_at(&f.path).is_some()));",
    },
    Bug {
        what: "problems of files that stay are lost",
        file: "crates/cds-index/src/build/generation.rs",
        right: "        self.keep_problems(known);",
        wrong: "",
    },
];

/// Random edits before a bug counts as unseen.
const STEPS: &str = "150";

/// Of the small edits of every case, all are made.
const STRIDE: &str = "1";

#[allow(clippy::print_stdout)]
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let only = arguments.iter().position(|a| a == "--only").and_then(|i| arguments.get(i + 1));
    let copy = trees::target().join("plant");
    let _ = std::fs::remove_dir_all(&copy);
    trees::run(Command::new("git").args(["clone", "-q", "--local", "."]).arg(&copy))?;
    ensure!(is_equal(&copy)?, "the test fails before anything is planted");
    let mut unseen = 0;
    let mut report = |is_seen: bool, what: &str| {
        println!("{}  {what}", if is_seen { "found " } else { "MISSED" });
        unseen += usize::from(!is_seen);
    };
    for bug in BUGS.iter().filter(|bug| only.is_none_or(|only| bug.what.contains(only.as_str()))) {
        let file = copy.join(bug.file);
        let text = std::fs::read_to_string(&file).with_context(|| bug.file.to_owned())?;
        ensure!(
            text.matches(bug.right).count() == 1,
            "{}: the place to plant in is not there once: {}",
            bug.file,
            bug.what
        );
        std::fs::write(&file, text.replace(bug.right, bug.wrong))?;
        let is_seen = !is_equal(&copy)?;
        std::fs::write(&file, text)?;
        report(is_seen, bug.what);
    }
    if unseen > 0 {
        bail!("{unseen} planted bugs were not found");
    }
    Ok(())
}

/// Whether the test passes. What cannot be compiled is neither right nor wrong.
fn is_equal(copy: &Path) -> Result<bool> {
    let mut test = Command::new(env!("CARGO"));
    // As all tests are built, so that what others wrote is not compiled once more.
    test.args(["test", "-q", "--workspace", "--all-features", "--test", "index", "equality"]).current_dir(copy);
    test.env("CARGO_TARGET_DIR", trees::target()).env("CDS_EQUALITY_STEPS", STEPS);
    test.env("CDS_EQUALITY_STRIDE", STRIDE);
    let output = test.output().with_context(|| format!("{test:?}"))?;
    let told = String::from_utf8_lossy(&output.stdout);
    ensure!(told.contains("test result:"), "the copy cannot be tested:\n{}", String::from_utf8_lossy(&output.stderr));
    Ok(output.status.success())
}
