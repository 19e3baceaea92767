//! What an update changes in an index, and what it leaves alone.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::fixture::{Project, column, sorted};

const APP: &str = "\
//- app/login.py
from app.secret import digest


def login(user):
    \"\"\"Opens a session.\"\"\"
    return digest(user)


def logout(user):
    \"\"\"Closes the session.\"\"\"
    return None
//- app/secret.py
def digest(user):
    \"\"\"Hashes a password with salt.\"\"\"
    return user
//- app/report.py
from app.login import login


class Report:
    def render(self):
        \"\"\"Draws a diagram.\"\"\"
        return login(self)
";

/// Nodes and edges, `from kind to` each. Every edge must begin and end at a node.
fn graph(project: &Project) -> (BTreeSet<String>, BTreeSet<String>) {
    let output = project.cds(&["graph", "export"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let rows: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let text = |row: &Value, field: &str| row[field].as_str().unwrap_or_default().to_owned();
    let (edges, nodes): (Vec<&Value>, Vec<&Value>) = rows.iter().partition(|row| row["from"].is_string());
    let nodes: BTreeSet<String> = nodes.into_iter().map(|node| text(node, "id")).collect();
    let ends = |edge: &&Value| [text(edge, "from"), text(edge, "to")];
    for end in edges.iter().flat_map(ends) {
        assert!(nodes.contains(&end), "an edge leads to {end}, which is not there: {nodes:?}");
    }
    let edges = edges.iter().map(|edge| format!("{} {} {}", text(edge, "from"), text(edge, "kind"), text(edge, "to")));
    (nodes, edges.collect())
}

fn words(project: &Project, query: &str) -> Vec<String> {
    sorted(project.ids(&["search", query, "--preset", "bm25", "--granularity", "entity", "--no-update"]))
}

#[test]
fn c6_a_file_added_modified_and_removed_takes_its_nodes_edges_and_words_along() {
    let project = Project::new(APP);
    assert_eq!(project.cds(&["index"]).code, 0);
    let start = graph(&project);
    assert!(start.1.contains("app/login.py:login invoke app/secret.py:digest"), "{:?}", start.1);
    assert_eq!(words(&project, "sparkline"), [""; 0]);

    // Added.
    project.write(
        "app/chart.py",
        "from app.login import login\n\n\ndef chart(user):\n    \"\"\"Draws a sparkline.\"\"\"\n    return login(user)\n",
    );
    assert_eq!(project.json(&["index"])["parsed"], 1);
    let (nodes, edges) = graph(&project);
    let new: Vec<&String> = nodes.difference(&start.0).collect();
    assert_eq!(new, ["app/chart.py", "app/chart.py:chart"]);
    assert!(edges.is_superset(&start.1));
    let new: Vec<&String> = edges.difference(&start.1).collect();
    let expect = [
        "app contain app/chart.py",
        "app/chart.py contain app/chart.py:chart",
        "app/chart.py import app/login.py:login",
        "app/chart.py:chart invoke app/login.py:login",
    ];
    assert_eq!(new, expect);
    assert_eq!(words(&project, "sparkline"), ["app/chart.py:chart"]);
    assert_eq!(project.json(&["status"])["files"], 4);

    // Modified: another name, other words, another callee.
    project.write(
        "app/chart.py",
        "from app.secret import digest\n\n\ndef histogram(user):\n    \"\"\"Draws a barplot.\"\"\"\n    return digest(user)\n",
    );
    assert_eq!(project.json(&["index"])["parsed"], 1);
    let (nodes, edges) = graph(&project);
    let new: Vec<&String> = nodes.difference(&start.0).collect();
    assert_eq!(new, ["app/chart.py", "app/chart.py:histogram"]);
    let new: Vec<&String> = edges.difference(&start.1).collect();
    let expect = [
        "app contain app/chart.py",
        "app/chart.py contain app/chart.py:histogram",
        "app/chart.py import app/secret.py:digest",
        "app/chart.py:histogram invoke app/secret.py:digest",
    ];
    assert_eq!(new, expect);
    assert_eq!(words(&project, "sparkline"), [""; 0]);
    assert_eq!(words(&project, "barplot"), ["app/chart.py:histogram"]);
    assert_eq!(project.cds(&["symbol", "chart", "--no-update", "--type", "function"]).code, 1);

    // Removed: all is as it was.
    project.remove("app/chart.py");
    assert_eq!(project.json(&["index"])["removed"], 1);
    assert_eq!(graph(&project), start);
    assert_eq!(words(&project, "barplot"), [""; 0]);
    assert_eq!(project.json(&["status"])["files"], 3);

    // Removed what others use: their edges go too, and come back with it.
    let secret = std::fs::read(project.path("app/secret.py")).expect("it is there");
    project.remove("app/secret.py");
    assert_eq!(project.cds(&["index"]).code, 0);
    let (nodes, edges) = graph(&project);
    assert!(!nodes.iter().any(|node| node.starts_with("app/secret.py")), "{nodes:?}");
    assert!(!edges.iter().any(|edge| edge.contains("app/secret.py")), "{edges:?}");
    assert_eq!(words(&project, "password"), [""; 0]);
    project.write("app/secret.py", secret);
    assert_eq!(project.cds(&["index"]).code, 0);
    assert_eq!(graph(&project), start);
    assert_eq!(words(&project, "password"), ["app/secret.py:digest"]);
}

/// Every chunk that a query for words of all files finds, with its text, by id.
fn chunks(project: &Project) -> BTreeMap<String, (String, String)> {
    let query = "login logout session digest password salt report render diagram self user return";
    let args = ["search", query, "--granularity", "chunk", "--chunks-per-file", "50", "-n", "100", "--snippet", "full"];
    let answer = project.json(&args);
    let ids = column(&answer, "chunk_id");
    assert!(ids.iter().all(|id| id.len() == 36), "{ids:?}");
    let shown = column(&answer, "id").into_iter().zip(column(&answer, "snippet"));
    let all: BTreeMap<String, (String, String)> = ids.iter().cloned().zip(shown).collect();
    assert_eq!(all.len(), ids.len(), "an id stands twice in {ids:?}");
    all
}

#[test]
fn b8_unchanged_chunks_keep_their_ids_changed_ones_are_replaced_and_none_is_left() {
    let project = Project::new(APP);
    let before = chunks(&project);
    let count = project.json(&["status"])["chunks"].as_u64().expect("a number") as usize;
    assert_eq!(before.len(), count, "all chunks are found");
    let id_of = |chunks: &BTreeMap<String, (String, String)>, shown: &str| -> String {
        let found = chunks.iter().find(|(_, (id, _))| id == shown);
        found.unwrap_or_else(|| panic!("no {shown} in {chunks:?}")).0.clone()
    };
    let text = APP.split("//- app/login.py\n").nth(1).and_then(|t| t.split("//- ").next()).expect("it is there");
    project.write(
        "app/login.py",
        text.replace("return digest(user)", "user = user or logout(user)\n    return digest(user)"),
    );
    assert_eq!(project.json(&["index"])["parsed"], 1);
    let after = chunks(&project);
    let (old, new) = (id_of(&before, "app/login.py:login"), id_of(&after, "app/login.py:login"));
    assert_ne!(old, new, "another text, another id");
    let gone: Vec<&String> = before.keys().filter(|id| !after.contains_key(*id)).collect();
    let come: Vec<&String> = after.keys().filter(|id| !before.contains_key(*id)).collect();
    assert_eq!((gone, come), (vec![&old], vec![&new]), "all others keep theirs, also on other lines of the same file");
    for (id, shown) in before.iter().filter(|(id, _)| **id != old) {
        assert_eq!(&after[id], shown, "an id means the same chunk");
    }
    assert_eq!(project.json(&["status"])["chunks"], count, "and none is left over");

    // Gone: its chunks are gone, the others stay.
    project.remove("app/secret.py");
    let less = chunks(&project);
    let expect: BTreeSet<&String> =
        after.iter().filter(|(_, (id, _))| !id.starts_with("app/secret.py")).map(|(id, _)| id).collect();
    assert_eq!(less.keys().collect::<BTreeSet<_>>(), expect);
    assert_eq!(project.json(&["status"])["chunks"].as_u64(), Some(less.len() as u64));
    // Anew from the files: the same ids.
    assert_eq!(project.cds(&["index", "--force"]).code, 0);
    assert_eq!(chunks(&project), less);
}

/// Whether a question finds it, after it has brought the index up to date by itself.
fn is_found(project: &Project, name: &str) -> bool {
    project.cds(&["symbol", name]).code == 0
}

#[test]
fn rules_outside_the_root_and_marks_of_folders_are_noticed() {
    let project = Project::new(
        "//- sub/a.py\ndef first(): pass\n//- sub/b.py\ndef second(): pass\n//- sub/pkg/c.py\ndef third(): pass\n",
    );
    let root = project.path("sub");
    let root = root.to_str().unwrap();
    let is_found = |name: &str| project.cds(&["symbol", name, "--root", root]).code == 0;
    assert!(is_found("first") && is_found("second") && is_found("third"));
    // Above the root: made, changed, removed.
    project.write(".gitignore", "b.py\n");
    assert!(is_found("first") && !is_found("second"));
    project.write(".gitignore", "nothing_like_it\n");
    assert!(is_found("second"));
    project.write(".gitignore", "a.py\n");
    assert!(!is_found("first"));
    project.remove(".gitignore");
    assert!(is_found("first"));
    // The user's own.
    let own = project.home().join(".config/git");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("ignore"), "b.py\n").unwrap();
    assert!(!is_found("second"));
    std::fs::remove_file(own.join("ignore")).unwrap();
    assert!(is_found("second"));
    // A folder that says of itself that it holds no source, and takes it back.
    project.write("sub/pkg/CACHEDIR.TAG", "");
    assert!(!is_found("third"));
    project.remove("sub/pkg/CACHEDIR.TAG");
    assert!(is_found("third"));
}

#[test]
fn files_that_change_places_are_noticed_though_sizes_and_times_are_the_same() {
    let project = Project::new("//- a.py\ndef one(): return 1\n//- b.py\ndef two(): return 2\n");
    let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_hours(400_000);
    for path in ["a.py", "b.py"] {
        std::fs::File::options().write(true).open(project.path(path)).unwrap().set_modified(time).unwrap();
    }
    assert_eq!(project.ids(&["symbol", "one"]), ["a.py:one"]);
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    for (from, to) in [("a.py", "c"), ("b.py", "a.py"), ("c", "b.py")] {
        std::fs::rename(project.path(from), project.path(to)).unwrap();
    }
    assert_eq!(project.ids(&["symbol", "one"]), ["b.py:one"]);
    assert_eq!(project.ids(&["symbol", "two"]), ["a.py:two"]);
}

#[test]
fn edges_of_files_that_changed_are_marked() {
    let project = Project::new("//- a.py\ndef target():\n    return 1\n\ndef user():\n    return target()\n");
    assert!(is_found(&project, "user"));
    project.write("a.py", "# one more line\ndef target():\n    return 1\n\ndef other():\n    return target()\n");
    let output = project.cds(&["callers", "target", "--no-update"]);
    assert!(output.code == 0 && output.stderr.contains("that changed since"), "{}", output.stderr);
    let answer = project.json(&["callers", "target", "--no-update"]);
    assert_eq!((&answer["nodes"][0]["name"], &answer["nodes"][0]["stale"]), (&"user".into(), &true.into()), "{answer}");
    let answer = project.json(&["research", "who calls target", "--no-update"]);
    assert!(answer["warnings"].to_string().contains("changed since"), "{answer}");
    let answer = project.json(&["callers", "target"]);
    assert_eq!((&answer["nodes"][0]["name"], answer["nodes"][0].get("stale")), (&"other".into(), None), "{answer}");
}

#[test]
fn a_service_asks_before_it_indexes_what_nobody_means_to() {
    let project = Project::new("//- a.py\ndef first(): pass\n//- b.py\ndef second(): pass\n");
    let service = crate::service::Service::start_with(&project, &[], &[("CDS_MAX_FILES", "1")]);
    let answer = service.post("/api/v1/search", &serde_json::json!({ "query": "first" }));
    assert!(answer.status == 409 && answer.body.contains("2 files"), "{answer:?}");
    drop(service);
    let service = crate::service::Service::start_with(&project, &["--yes"], &[("CDS_MAX_FILES", "1")]);
    assert_eq!(service.post("/api/v1/search", &serde_json::json!({ "query": "first" })).status, 200);
}

#[test]
fn what_a_file_of_settings_no_longer_says_does_not_stay() {
    let project = Project::new(
        "//- big.py\ndef big():\n    return 1\n\n# and more text than the limit below allows for one file\n//- s.py\na = 1\n",
    );
    assert!(is_found(&project, "big"));
    project.write(".cds.toml", "[index]\nmax_file_size = 40\n");
    assert!(!is_found(&project, "big"));
    project.remove(".cds.toml");
    assert_eq!(project.json(&["status"])["freshness"], "settings changed");
    assert!(is_found(&project, "big"));
    // What was wished for in so many words holds until the next wish.
    assert_eq!(project.cds(&["index", "--max-file-size", "40"]).code, 0);
    assert!(!is_found(&project, "big"));
    assert_eq!(project.cds(&["index"]).code, 0);
    assert!(is_found(&project, "big"));
}
