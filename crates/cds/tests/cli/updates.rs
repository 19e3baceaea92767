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
