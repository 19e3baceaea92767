//! The graph of a generation: what did not change and asked for nothing that did keeps its edges, the rest is linked.

use cds_graph::{
    Changes, Edge, EdgeRow, Known, Linked, LinkedFile, Row, Site, Stretch, Symbols, Task, Tree, Unresolved, Version,
    link, path_key,
};
use cds_lang::Registry;
use cds_model::{EdgeKind, FileFacts, FileId, Kind, LinkRules};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::store::moves::Moves;
use crate::store::rows::{BelongRow, DocumentRow, EntityRow, NONE, UnresolvedRow};
use crate::{DocumentView, ROOT, Snapshot};

/// All that linking needs to know of the new generation.
pub(crate) struct Linker<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) symbols: &'a Symbols<'a>,
    pub(crate) documents: &'a [DocumentRow],
    pub(crate) languages: &'a [String],
    pub(crate) entities: &'a [EntityRow],
    /// The node of each folder.
    pub(crate) folders: &'a FxHashMap<String, u32>,
    /// Outlines of files of the new part.
    pub(crate) outlines: &'a [u32],
    /// Facts of a file of the new part.
    pub(crate) facts: &'a (dyn Fn(&DocumentRow) -> Option<FileFacts> + Sync),
    pub(crate) own_part: u32,
    /// Texts of files of build tools.
    pub(crate) manifests: &'a [(String, String)],
    pub(crate) old: Option<&'a Snapshot>,
    /// By the old file, which it is now, if it is the same.
    pub(crate) kept: &'a [Option<u32>],
}

/// The graph of all files, folders and what lies outside the tree.
#[derive(Default)]
pub(crate) struct Links {
    /// Edges of all nodes, in their order.
    pub(crate) stretches: Vec<Stretch>,
    /// Names of what lies outside, sorted; edges to them lead to `first_outside` and what follows.
    pub(crate) outside: Vec<String>,
    pub(crate) unresolved: Vec<UnresolvedRow>,
    /// By file.
    pub(crate) calls_outside: Vec<u32>,
    pub(crate) asked: Vec<Asked>,
    pub(crate) bases: Vec<BelongRow>,
    pub(crate) extensions: Vec<BelongRow>,
    /// How many files were linked.
    pub(crate) linked: usize,
}

/// What a file asked of others.
pub(crate) enum Asked {
    /// What this one of the old generation did.
    Same(u32),
    New(Vec<u8>),
}

/// The edges of a file that was linked. What lies outside the tree has no node yet: edges to it lead to places of a list.
struct FileRows {
    rows: Vec<Row>,
    outside: Vec<String>,
}

/// Files whose edges are laid out together.
const STRETCH: usize = 256;

/// More than there are nodes.
const FIRST_OUTSIDE: u32 = 1 << 31;

impl FileRows {
    fn of(sites: Vec<Site>) -> FileRows {
        let mut outside: Vec<String> = Vec::new();
        let mut places: FxHashMap<String, u32> = FxHashMap::default();
        let site = |(edge, name): Site| match name {
            None => edge,
            Some(name) => {
                let place = *places.entry(name).or_insert_with_key(|name| {
                    outside.push(name.clone());
                    FIRST_OUTSIDE + outside.len() as u32 - 1
                });
                Edge { to: place, ..edge }
            }
        };
        let mut rows = Row::of_sites(sites.into_iter().map(site).collect());
        rows.shrink_to_fit();
        FileRows { rows, outside }
    }

    /// Its edges, taken, with nodes for what is outside.
    fn rows(&mut self, node: impl Fn(&str) -> u32) -> Vec<Row> {
        let mut rows = std::mem::take(&mut self.rows);
        for row in rows.iter_mut().filter(|row| row.edge.to >= FIRST_OUTSIDE) {
            row.edge = row.edge.leading_to(node(&self.outside[(row.edge.to - FIRST_OUTSIDE) as usize]));
        }
        rows
    }
}

/// Which node of today one of the old generation is.
struct Nodes<'a> {
    old: &'a Snapshot,
    /// Those of files that stayed.
    moved: Moves,
    /// Of files that changed, those of their entities that are still there; and folders.
    matched: FxHashMap<u32, u32>,
}

impl Nodes<'_> {
    fn get(&self, node: u32) -> Option<u32> {
        self.moved.get(node).or_else(|| self.matched.get(&node).copied())
    }
}

impl<'a> Linker<'a> {
    fn path(&self, row: &DocumentRow) -> &'a str {
        self.symbols.text(row.path)
    }

    fn rules(&self, language: &str) -> &'a LinkRules {
        static NO_RULES: std::sync::LazyLock<LinkRules> = std::sync::LazyLock::new(LinkRules::default);
        self.registry.by_name(language).map_or(&NO_RULES, |l| &l.spec.link)
    }

    fn outline(&self, row: &DocumentRow) -> &'a [u32] {
        match self.old.filter(|_| row.part != self.own_part) {
            Some(old) => old.outline(row),
            None => self
                .outlines
                .get(row.outline as usize..)
                .and_then(|w| w.get(..row.outline_len as usize))
                .unwrap_or_default(),
        }
    }

    fn load(&self, at: u32) -> Option<FileFacts> {
        let row = &self.documents[at as usize];
        match self.old.filter(|_| row.part != self.own_part) {
            Some(old) => old.facts_at(row),
            None => (self.facts)(row),
        }
    }

    fn tree(&self) -> Tree<'a> {
        let mut tree = Tree::new(self.symbols);
        for row in self.documents {
            let language = &self.languages[usize::from(row.language)];
            tree.add(self.path(row), language, self.rules(language), row.entity, self.outline(row));
        }
        for (path, text) in self.manifests {
            tree.add_manifest(path, text);
        }
        tree
    }

    /// Finds all edges. Outside names get nodes from `first_outside` on.
    pub(crate) fn run(self, first_outside: u32) -> Links {
        let nodes = self.old.map(|old| self.nodes(old));
        let known = || {
            let known = nodes.as_ref().map_or_else(Vec::new, |nodes| self.known(nodes));
            (known, nodes.as_ref().map_or_else(Changes::all, |nodes| self.changes(nodes)))
        };
        let (tree, (known, changes)) = rayon::join(|| self.tree(), known);
        let linked = link(
            Task {
                tree: &tree,
                facts: &|at| self.load(at),
                folder_node: &|path| self.folders.get(if path.is_empty() { ROOT } else { path }).copied(),
                known,
                changes,
            },
            FileRows::of,
        );
        self.join(linked, nodes.as_ref(), first_outside)
    }

    fn nodes(&self, old: &'a Snapshot) -> Nodes<'a> {
        let files = old.document_rows().all().iter().zip(self.kept);
        let step = |(row, now): (&DocumentRow, &Option<u32>)| {
            (row.entity, now.map(|now| self.documents[now as usize].entity.wrapping_sub(row.entity)))
        };
        let end = old.document_rows().all().last().map_or(0, |row| row.entity + row.entities + 1);
        let moved = Moves::new(files.map(step), end);
        let mut matched = FxHashMap::default();
        for (document, now) in self.changed(old) {
            let row = document.row();
            matched.insert(row.entity, now.entity);
            let before = old.entity_rows().slice(row.entity as usize..(row.entity + row.entities) as usize + 1);
            let after = &self.entities[now.entity as usize..=(now.entity + now.entities) as usize];
            let after: FxHashMap<(u64, u32), usize> =
                identities(after, now.entity).into_iter().enumerate().map(|(i, identity)| (identity, i)).collect();
            for (i, identity) in identities(before, row.entity).into_iter().enumerate() {
                if let Some(to) = after.get(&identity) {
                    matched.insert(row.entity + i as u32, now.entity + *to as u32);
                }
            }
        }
        let directory = Kind::known("directory").code();
        let rows = old.entity_rows().all().iter().enumerate().rev().take_while(|(_, row)| row.file == NONE);
        let folders = rows.filter(|(_, row)| row.kind == directory).filter_map(|(i, _)| {
            let path = old.entity(cds_model::EntityId(i as u32))?.path();
            Some((i as u32, *self.folders.get(&path)?))
        });
        matched.extend(folders);
        Nodes { old, moved, matched }
    }

    /// Files that are there before and now, and are not the same.
    fn changed(&self, old: &'a Snapshot) -> impl Iterator<Item = (DocumentView<'a>, &'a DocumentRow)> {
        let kept = self.kept;
        let (documents, symbols) = (self.documents, self.symbols);
        old.documents().filter(move |d| kept[d.id.index()].is_none()).filter_map(move |d| {
            let at = documents.binary_search_by(|row| symbols.text(row.path).cmp(d.path())).ok()?;
            Some((d, &documents[at]))
        })
    }

    /// What is known of each file of today.
    fn known(&self, nodes: &Nodes<'a>) -> Vec<Known<'a>> {
        let old = nodes.old;
        let mut known: Vec<Known> = self.documents.iter().map(|_| Known::default()).collect();
        let mut now_of: Vec<Option<u32>> = self.kept.to_vec();
        for (id, now) in self.kept.iter().enumerate() {
            let (Some(now), Some(document)) = (now, old.document(FileId(id as u32))) else { continue };
            known[*now as usize].is_same = true;
            known[*now as usize].dependencies = old.asked(document.row());
        }
        for (document, now) in self.changed(old) {
            let at = self.documents.partition_point(|row| row.entity < now.entity);
            now_of[document.id.index()] = Some(at as u32);
            known[at].dependencies = old.asked(document.row());
        }
        let (bases, extensions) = old.belongings();
        for (rows, is_base) in [(bases, true), (extensions, false)] {
            for row in rows {
                let Some(at) = now_of.get(row.file as usize).copied().flatten() else { continue };
                let file = &mut known[at as usize];
                let other = if row.other == NONE { Some(NONE) } else { nodes.get(row.other) };
                match (nodes.get(row.owner), other) {
                    (Some(owner), Some(other)) if is_base => file.bases.push([owner, other]),
                    (Some(owner), Some(other)) => file.extensions.push([owner, other]),
                    _ => file.is_same = false,
                }
            }
        }
        // An edge to what is no longer there: its file asked for something that changed, or should have.
        let graph = old.graph();
        let external = Kind::known("external").code();
        let leads_nowhere: Vec<u32> = self
            .kept
            .par_iter()
            .enumerate()
            .filter_map(|(id, now)| {
                let row = &old.document_rows().all()[id];
                let is_lost = |to: u32| {
                    nodes.get(to).is_none() && old.entity_rows().get(to as usize).is_none_or(|e| e.kind != external)
                };
                let mut edges = (row.entity..=row.entity + row.entities).flat_map(|node| graph.outgoing(node));
                (*now).filter(|_| edges.any(|(_, edge)| is_lost(edge.to)))
            })
            .collect();
        for at in leads_nowhere {
            known[at as usize].is_same = false;
        }
        known
    }

    fn changes(&self, nodes: &Nodes<'a>) -> Changes {
        let old = nodes.old;
        let mut changes = Changes::default();
        let version =
            |language: &'a str, outline: &'a [u32]| Version { language, rules: self.rules(language), outline };
        let before = |d: DocumentView<'a>| version(d.language(), old.outline(d.row()));
        let now = |row: &DocumentRow| version(&self.languages[usize::from(row.language)], self.outline(row));
        let is_kept: FxHashSet<u32> = self.kept.iter().flatten().copied().collect();
        let mut paths_differ = false;
        for document in old.documents().filter(|d| self.kept[d.id.index()].is_none()) {
            let at = self.documents.binary_search_by(|row| self.path(row).cmp(document.path())).ok();
            paths_differ |= at.is_none();
            let after = at.map(|at| now(&self.documents[at]));
            changes.file(self.symbols, document.path(), Some(before(document)), after);
        }
        for (at, row) in self.documents.iter().enumerate() {
            if !is_kept.contains(&(at as u32)) && old.document_at(self.path(row)).is_none() {
                paths_differ = true;
                changes.file(self.symbols, self.path(row), None, Some(now(row)));
            }
        }
        if paths_differ {
            let old_paths: Vec<&str> = old.documents().map(DocumentView::path).collect();
            let new_paths: Vec<&str> = self.documents.iter().map(|row| self.path(row)).collect();
            changes.paths(&old_paths, &new_paths);
        }
        changes.strings(self.symbols, old.string_bytes());
        // What went with its file, or cannot be told any more.
        let (bases, extensions) = old.belongings();
        let lost =
            bases.iter().chain(extensions).filter(|row| self.kept.get(row.file as usize).is_none_or(Option::is_none));
        let lost =
            lost.filter(|row| nodes.get(row.owner).is_none() || row.other != NONE && nodes.get(row.other).is_none());
        changes.owners(lost.filter_map(|row| {
            let owner = old.entity_rows().get(row.owner as usize)?;
            Some((path_key(old.document(FileId(owner.file))?.path()), owner.name))
        }));
        changes
    }

    fn join(&self, mut linked: Linked<FileRows>, nodes: Option<&Nodes>, first_outside: u32) -> Links {
        let mut links = Links { linked: linked.files.iter().flatten().count(), ..Links::default() };
        let mut outside: FxHashSet<&str> = FxHashSet::default();
        outside.extend(linked.files.iter().flatten().flat_map(|file| &file.edges.outside).map(String::as_str));
        // By file of today, the old one whose edges it keeps.
        let mut keeps: Vec<Option<u32>> = vec![None; self.documents.len()];
        for (id, now) in self.kept.iter().enumerate() {
            if let Some(now) = now.filter(|now| linked.files[*now as usize].is_none()) {
                keeps[now as usize] = Some(id as u32);
            }
        }
        // What lay outside stands last; of it, what an edge of a file still leads to.
        let external = Kind::known("external").code();
        let is_outside = |row: &EntityRow| row.kind == external && row.file == NONE;
        let first_old = self.old.map_or(0, |old| old.entity_rows().partition_point(|row| !is_outside(row)));
        let still_outside: Vec<Option<&str>> = match self.old {
            Some(old) => (first_old as u32..old.entity_count() as u32)
                .into_par_iter()
                .map(|node| {
                    let mut sources = old.graph().incoming(node).map(|(_, from, _)| from);
                    let is_used = sources.any(|from| self.keeps_edges_of(old, &linked, from));
                    old.entity(cds_model::EntityId(node)).filter(|_| is_used).map(|entity| entity.name())
                })
                .collect(),
            None => Vec::new(),
        };
        outside.extend(still_outside.iter().flatten());
        links.outside = outside.into_iter().map(str::to_owned).collect();
        links.outside.sort();
        let node_outside = |name: &str| {
            let at = links.outside.binary_search_by(|own| own.as_str().cmp(name));
            first_outside + at.expect("all were collected") as u32
        };
        let now_outside: Vec<Option<u32>> = still_outside.iter().map(|name| name.map(&node_outside)).collect();
        let old_outside = |node: u32| *now_outside.get((node as usize).checked_sub(first_old)?)?;
        let lay_out = |stretch: &mut Stretch, at: usize, file: &mut Option<LinkedFile<FileRows>>| {
            let own = &self.documents[at];
            match (file, keeps[at], nodes) {
                (None, Some(id), Some(nodes)) => {
                    let row = &nodes.old.document_rows().all()[id as usize];
                    let graph = nodes.old.graph();
                    for node in row.entity..=row.entity + row.entities {
                        for (edge_at, edge) in graph.outgoing(node) {
                            let to = nodes.get(edge.to).or_else(|| old_outside(edge.to));
                            // Only imports have other names.
                            let is_import = edge.kind() == EdgeKind::Import;
                            let alias = is_import.then(|| nodes.old.alias_string(edge_at)).flatten();
                            if let Some(to) = to {
                                stretch.push(edge.leading_to(to), alias);
                            }
                        }
                        stretch.end_node();
                    }
                }
                (file, _, _) => {
                    let nodes = own.entity..own.entity + own.entities + 1;
                    let inside = nodes.clone().skip(1).map(|child| self.contained(child));
                    let mut rows = file.as_mut().map_or_else(Vec::new, |file| file.edges.rows(node_outside));
                    rows.extend(inside);
                    rows.sort_by_key(|row| row.from);
                    stretch.extend(nodes, rows);
                }
            }
        };
        links.stretches = linked
            .files
            .par_chunks_mut(STRETCH)
            .enumerate()
            .map(|(i, files)| {
                let mut stretch = Stretch::default();
                files.iter_mut().zip(i * STRETCH..).for_each(|(file, at)| lay_out(&mut stretch, at, file));
                stretch
            })
            .collect();
        links.stretches.push(self.folder_edges(first_outside + links.outside.len() as u32));
        self.join_rest(linked, &keeps, nodes, &mut links);
        links
    }

    fn contained(&self, child: u32) -> Row {
        Row { from: self.entities[child as usize].parent, edge: EdgeRow::contain(child), alias: None }
    }

    /// Edges of what follows the files: folders, which contain, and what lies outside, where none begin.
    fn folder_edges(&self, end: u32) -> Stretch {
        let first = self.documents.last().map_or(0, |row| row.entity + row.entities + 1);
        let files = self.documents.iter().map(|row| row.entity);
        let all = files.chain(first..self.entities.len() as u32).map(|child| self.contained(child));
        let mut rows: Vec<Row> = all.filter(|row| row.from != NONE).collect();
        rows.sort_by_key(|row| row.from);
        let mut stretch = Stretch::default();
        stretch.extend(first..end, rows);
        stretch
    }

    fn keeps_edges_of(&self, old: &Snapshot, linked: &Linked<FileRows>, node: u32) -> bool {
        let file = old.entity_rows().get(node as usize).map_or(NONE, |row| row.file);
        let now = self.kept.get(file as usize).copied().flatten();
        now.is_some_and(|now| linked.files[now as usize].is_none())
    }

    fn join_rest(&self, linked: Linked<FileRows>, keeps: &[Option<u32>], nodes: Option<&Nodes>, links: &mut Links) {
        if let Some(nodes) = nodes {
            for row in nodes.old.unresolved_table() {
                let file = nodes.old.entity_rows().get(row.from as usize).map_or(NONE, |r| r.file);
                let now = self.kept.get(file as usize).copied().flatten();
                if let (Some(from), true) = (nodes.get(row.from), now.is_some_and(|now| keeps[now as usize].is_some()))
                {
                    links.unresolved.push(UnresolvedRow { from, ..*row });
                }
            }
        }
        let known = links.unresolved.len();
        let belong = |file: usize, rows: Vec<[u32; 2]>| {
            rows.into_iter().map(move |[owner, other]| BelongRow { file: file as u32, owner, other })
        };
        links.bases = linked.bases.into_iter().enumerate().flat_map(|(i, rows)| belong(i, rows)).collect();
        links.extensions = linked.extensions.into_iter().enumerate().flat_map(|(i, rows)| belong(i, rows)).collect();
        for (at, file) in linked.files.into_iter().enumerate() {
            match (file, self.old, keeps[at]) {
                (Some(file), _, _) => {
                    links.unresolved.extend(file.unresolved.iter().map(|site: &Unresolved| UnresolvedRow {
                        name: self.entities[site.like as usize].name,
                        from: site.from,
                        line: site.line,
                        candidates: site.candidates,
                    }));
                    links.calls_outside.push(file.calls_outside);
                    links.asked.push(Asked::New(file.dependencies));
                }
                (None, Some(old), Some(id)) => {
                    let row = &old.document_rows().all()[id as usize];
                    links.calls_outside.push(row.calls_outside);
                    links.asked.push(Asked::Same(id));
                }
                _ => {
                    links.calls_outside.push(0);
                    links.asked.push(Asked::New(Vec::new()));
                }
            }
        }
        // Two runs that are in order: nearly no work for a sort that looks for them.
        let (known, new) = links.unresolved.split_at_mut(known);
        debug_assert!(known.is_sorted(), "what moved kept its order");
        new.sort_unstable();
        links.unresolved.sort();
    }
}

/// What tells an entity of a file from the others, wherever it stands: its names and kinds from the outside in, and which of those that
/// are called alike.
fn identities(rows: &[EntityRow], first: u32) -> Vec<(u64, u32)> {
    let join = |a: u64, b: u64| (a.rotate_left(23) ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut names: Vec<u64> = Vec::with_capacity(rows.len());
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    let mut identities = Vec::with_capacity(rows.len());
    for (i, row) in rows.iter().enumerate() {
        let around = row.parent.checked_sub(first).filter(|p| (*p as usize) < i).map_or(0, |p| names[p as usize]);
        // A file's own entity has the name of the file, which is the same.
        let name = join(join(around, row.name.into()), u64::from(row.kind) << 32 | u64::from(row.scope));
        names.push(name);
        let count = counts.entry(name).or_default();
        identities.push((name, *count));
        *count += 1;
    }
    identities
}
