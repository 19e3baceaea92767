//! What a snapshot says of files, entities and chunks.

use cds_index::{EntityView, FORMAT_VERSION, Snapshot};
use cds_model::{ChunkId, EntityId, PathRole};

use crate::fixture::{Tree, paths};

const TREE: &str = "\
//- src/shape.rs
/// A shape.
pub struct Shape {
    side: u32,
}

impl Shape {
    pub fn area(&self) -> u32 {
        self.side * self.side
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn areas() {}
}
//- src/deep/server.go
package deep

func (s *Server) Start() {}
//- tests/test_shape.py
def check():
    return 1
//- empty.txt
//- notes.txt
One line.
";

fn entities(snapshot: &Snapshot) -> impl Iterator<Item = EntityView<'_>> {
    (0..snapshot.entity_count() as u32).map(|i| snapshot.entity(EntityId(i)).expect("below the count"))
}

#[test]
fn files_are_sorted_and_described() {
    let tree = Tree::new(TREE);
    let snapshot = tree.built();
    assert_eq!(
        paths(&snapshot),
        ["empty.txt", "notes.txt", "src/deep/server.go", "src/shape.rs", "tests/test_shape.py"]
    );
    let check = |path: &str, language: &str, role: PathRole, lines: u32, chunks: usize, inside: usize| {
        let document = snapshot.document_at(path).expect("it is there");
        let found = (
            document.language(),
            document.role(),
            document.lines(),
            document.chunks().len(),
            document.entities().len(),
        );
        assert_eq!(found, (language, role, lines, chunks, inside), "{path}");
        let text = std::fs::read(tree.root().join(path)).unwrap();
        assert_eq!((document.size() as usize, document.hash()), (text.len(), blake3::hash(&text).as_bytes()));
        assert_eq!(snapshot.text(document.id).unwrap().as_bytes(), text);
        let loaded = snapshot.load(document.id).unwrap();
        assert_eq!((loaded.text.as_bytes(), loaded.facts().unwrap().chunks.len()), (&text[..], chunks));
        assert!(document.indexed_at() > 1_600_000_000 && document.modified_ns() > 0);
        for (i, id) in document.chunks().enumerate() {
            assert_eq!(snapshot.chunk(id).unwrap().local(), Some(i as u32));
            assert_eq!(snapshot.file_of(id), Some(document.id));
        }
        for (i, id) in document.entities().enumerate() {
            assert_eq!(snapshot.entity(id).unwrap().local(), Some(i as u32));
        }
    };
    check("empty.txt", "text", PathRole::Docs, 0, 0, 0);
    check("notes.txt", "text", PathRole::Docs, 1, 1, 0);
    check("src/deep/server.go", "go", PathRole::Source, 3, 2, 1);
    check("src/shape.rs", "rust", PathRole::Source, 16, 5, 5);
    check("tests/test_shape.py", "python", PathRole::Test, 2, 1, 1);
}

#[test]
fn entities_know_where_they_stand() {
    let tree = Tree::new(TREE);
    let snapshot = tree.built();
    let mut found: Vec<String> = entities(&snapshot)
        .map(|e| {
            let (first, last) = e.lines();
            let flags =
                format!("{}{}", if e.is_public() { "" } else { " private" }, if e.is_test() { " test" } else { "" });
            format!("{} {} {first}-{last} depth {}{flags}", e.kind().name(), e.key(), e.depth())
        })
        .collect();
    found.sort();
    let expect = [
        "directory . 0-0 depth 0",
        "directory src 0-0 depth 0",
        "directory src/deep 0-0 depth 0",
        "directory tests 0-0 depth 0",
        "file empty.txt 1-1 depth 0",
        "file notes.txt 1-1 depth 0",
        "file src/deep/server.go 1-3 depth 0",
        "file src/shape.rs 1-16 depth 0",
        "file tests/test_shape.py 1-2 depth 0 test",
        "function src/shape.rs:tests.areas 15-15 depth 1 private test",
        "function tests/test_shape.py:check 1-2 depth 0 test",
        "impl src/shape.rs:Shape#2 6-10 depth 0",
        "method src/deep/server.go:Server.Start 3-3 depth 0",
        "method src/shape.rs:Shape.area 7-9 depth 1",
        "module src/shape.rs:tests 13-16 depth 0 test",
        "struct src/shape.rs:Shape 2-4 depth 0",
    ];
    assert_eq!(found, expect);
}

#[test]
fn entities_form_a_tree() {
    let tree = Tree::new(TREE);
    let snapshot = tree.built();
    for entity in entities(&snapshot) {
        let parent = entity.parent().map(EntityView::key);
        let expect = match entity.key().as_str() {
            "." => None,
            "src" | "tests" | "empty.txt" | "notes.txt" => Some("."),
            "src/deep" | "src/shape.rs" => Some("src"),
            "src/deep/server.go" => Some("src/deep"),
            "tests/test_shape.py" => Some("tests"),
            "src/deep/server.go:Server.Start" => Some("src/deep/server.go"),
            "src/shape.rs:Shape" | "src/shape.rs:Shape#2" | "src/shape.rs:tests" => Some("src/shape.rs"),
            "src/shape.rs:Shape.area" => Some("src/shape.rs:Shape#2"),
            "src/shape.rs:tests.areas" => Some("src/shape.rs:tests"),
            "tests/test_shape.py:check" => Some("tests/test_shape.py"),
            other => panic!("{other}"),
        };
        assert_eq!(parent.as_deref(), expect, "{}", entity.key());
        let is_folder = entity.kind().name() == "directory";
        assert_eq!(entity.document().is_none(), is_folder);
        assert_eq!(entity.chunk().is_none(), is_folder || entity.key() == "empty.txt");
        assert_eq!(entity.scope(), (entity.name() == "Start").then_some("Server"));
        assert_eq!(entity.local().is_some(), entity.key().contains(':'));
    }
}

#[test]
fn chunks_show_their_entity() {
    let tree = Tree::new(TREE);
    let snapshot = tree.built();
    let mut found = Vec::new();
    for id in (0..snapshot.chunk_count() as u32).map(ChunkId) {
        let chunk = snapshot.chunk(id).unwrap();
        let (first, last) = chunk.lines();
        let shown = chunk.entity().map_or_else(|| chunk.document().unwrap().path().to_owned(), EntityView::key);
        let mut flags = String::new();
        for (on, name) in
            [(chunk.is_public(), " public"), (chunk.is_test(), " test"), (chunk.is_type_declaration(), " type")]
        {
            flags.push_str(if on { name } else { "" });
        }
        assert!(chunk.tokens() > 0 && chunk.part() == 0 && !chunk.range().is_empty());
        found.push(format!("{} {shown} {first}-{last}{flags}", chunk.node_type().name()));
    }
    let expect = [
        "block notes.txt 1-1 public",
        "block src/deep/server.go 1-1 public",
        "method src/deep/server.go:Server.Start 3-3 public",
        "struct src/shape.rs:Shape 1-4 public type",
        "impl src/shape.rs:Shape#2 6-6 public type",
        "method src/shape.rs:Shape.area 7-10 public",
        "module src/shape.rs:tests 12-13 public test",
        "function src/shape.rs:tests.areas 14-16 test",
        "function tests/test_shape.py:check 1-2 public test",
    ];
    assert_eq!(found, expect);
}

#[test]
fn the_manifest_counts_what_there_is() {
    let tree = Tree::new(TREE);
    let snapshot = tree.built();
    let manifest = snapshot.manifest();
    let counts = manifest.counts;
    assert_eq!((manifest.format, counts.files, counts.problems), (FORMAT_VERSION, 5, 0));
    assert_eq!((counts.entities as usize, counts.chunks as usize), (snapshot.entity_count(), snapshot.chunk_count()));
    assert_eq!(counts.source_bytes, snapshot.documents().map(|d| d.size()).sum::<u64>());
    assert!(counts.references > 0 && snapshot.problems().unwrap().is_empty());
    assert_eq!(snapshot.home(), tree.home());
    let recorded: u64 = manifest.files.values().map(|f| f.size).sum();
    assert_eq!(snapshot.disk_bytes(), recorded, "every file is recorded");
    let folders: Vec<&str> = manifest.directories.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(folders, ["", "src", "src/deep", "tests"]);
    assert_eq!((snapshot.part_count(), snapshot.dead_chunks()), (1, 0));
}
