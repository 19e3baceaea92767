//! Random edits of a tree: what an editor, a script or a person does to files.

use std::collections::BTreeMap;
use std::path::Path;

use crate::fixture::Tree;

/// Numbers that look random and are the same each time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }

    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Files by path, as they are on disk.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// The files of all cases.
pub(crate) fn cases() -> Files {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cds-graph/tests/cases");
    let mut files = Files::new();
    for entry in std::fs::read_dir(&folder).expect("the cases are there").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("cases are text");
        let language = entry.path().file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut case = 0;
        let mut file: Option<(String, String)> = None;
        for line in text.lines() {
            match (&mut file, line.strip_prefix("```")) {
                (None, Some(tag)) => {
                    let path = tag.split_once(' ').map(|(_, path)| format!("{language}/{case}/{path}"));
                    file = Some((path.unwrap_or_default(), String::new()));
                }
                (Some(_), Some(_)) => {
                    let (path, text) = file.take().expect("a block is open");
                    if !path.is_empty() {
                        files.insert(path, text.into_bytes());
                    }
                }
                (Some((_, text)), None) => {
                    text.push_str(line);
                    text.push('\n');
                }
                (None, None) => case += usize::from(line.starts_with("## ")),
            }
        }
    }
    // Calls that may mean too many, which cases are too small for.
    for i in 0..12 {
        let text =
            format!("class Shelf{i}:\n    def dust(self):\n        return {i}\n\n\ndef visit{i}(it):\n    it.dust()\n");
        files.insert(format!("many/m{i}.py"), text.into_bytes());
    }
    files
}

/// The files of a folder, without version control and index.
pub(crate) fn copied(root: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the tree can be read").flatten() {
            let path = entry.path();
            let kind = entry.file_type().expect("the kind of a file is known");
            if kind.is_dir() {
                if entry.file_name() != ".git" && entry.file_name() != ".cds-index" {
                    folders.push(path);
                }
            } else if !kind.is_file() || entry.file_name() == ".git" {
            } else if let Ok(bytes) = std::fs::read(&path) {
                files.insert(path.strip_prefix(root).expect("below it").to_string_lossy().into_owned(), bytes);
            }
        }
    }
    files
}

/// A tree on disk and what is known to be in it.
pub(crate) struct Edited {
    pub(crate) tree: Tree,
    pub(crate) files: Files,
    /// All texts there were: lines and files are taken from them.
    pool: Vec<Vec<u8>>,
    pub(crate) dice: Dice,
    /// Apart, so that other questions are no other edits.
    of_queries: Dice,
}

impl Edited {
    pub(crate) fn new(files: Files, seed: u64) -> Edited {
        let tree = Tree::new("");
        for (path, bytes) in &files {
            tree.write(path, bytes);
        }
        let pool = files.values().cloned().collect();
        Edited { tree, files, pool, dice: Dice(seed), of_queries: Dice(seed) }
    }

    pub(crate) fn any_path(&mut self) -> String {
        let at = self.dice.below(self.files.len());
        self.files.keys().nth(at).cloned().unwrap_or_default()
    }

    pub(crate) fn write(&mut self, path: String, bytes: Vec<u8>) {
        // A file cannot stand where a folder is, nor below a file.
        let is_below = |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.starts_with('/'));
        if self.files.keys().any(|other| is_below(other, &path) || is_below(&path, other)) {
            return;
        }
        let absolute = self.tree.root().join(&path);
        if absolute.metadata().is_ok_and(|meta| meta.permissions().readonly()) {
            chmod(&absolute, 0o644);
        }
        self.tree.write(&path, &bytes);
        self.files.insert(path, bytes);
    }

    /// Looks at what is on disk after something else changed it.
    pub(crate) fn reload(&mut self) {
        self.files = copied(self.tree.root());
    }

    pub(crate) fn remove(&mut self, path: &str) {
        if self.files.len() > 1 && self.files.remove(path).is_some() {
            let mut absolute = self.tree.root().join(path);
            std::fs::remove_file(&absolute).expect("it was there");
            // As a version control system does, empty folders go too.
            while absolute.pop() && absolute != self.tree.root() && std::fs::remove_dir(&absolute).is_ok() {}
        }
    }

    /// Another text made of one: lines taken out, doubled, moved, taken from elsewhere, names exchanged.
    pub(crate) fn other(&mut self, bytes: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let at = self.dice.below(lines.len() + 1);
        match self.dice.below(7) {
            0 if !lines.is_empty() => drop(lines.remove(at.min(lines.len() - 1))),
            1 if !lines.is_empty() => {
                let line = self.dice.pick(&lines).clone();
                lines.insert(at, line);
            }
            2 => {
                let from = self.dice.below(self.pool.len());
                let foreign = String::from_utf8_lossy(&self.pool[from]).into_owned();
                let foreign: Vec<&str> = foreign.lines().collect();
                let start = self.dice.below(foreign.len());
                let count = 1 + self.dice.below(6);
                lines.extend(foreign.into_iter().skip(start).take(count).map(str::to_owned));
            }
            3 => {
                let words = |text: &str| -> Vec<String> {
                    let all = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| w.len() > 1);
                    all.map(str::to_owned).collect()
                };
                let own = words(&text);
                let from = self.dice.below(self.pool.len());
                let foreign = words(&String::from_utf8_lossy(&self.pool[from]));
                if let (false, false) = (own.is_empty(), foreign.is_empty()) {
                    let (a, b) = (self.dice.pick(&own).clone(), self.dice.pick(&foreign).clone());
                    let once = self.dice.below(2) == 0;
                    return if once { text.replacen(&a, &b, 1) } else { text.replace(&a, &b) }.into_bytes();
                }
            }
            4 => {
                let words: Vec<&str> =
                    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| w.len() > 1).collect();
                if !words.is_empty() {
                    let (a, b) = (*self.dice.pick(&words), *self.dice.pick(&words));
                    return text.replace(a, "\0").replace(b, a).replace('\0', b).into_bytes();
                }
            }
            5 => lines.insert(at, format!("# note {}", self.dice.below(1000))),
            _ => lines.reverse(),
        }
        let mut text = lines.join("\n");
        text.push('\n');
        text.into_bytes()
    }

    /// One edit; says what it was.
    pub(crate) fn step(&mut self) -> String {
        let path = self.any_path();
        let bytes = self.files[&path].clone();
        match self.dice.below(24) {
            0 | 1 => {
                self.remove(&path);
                format!("remove {path}")
            }
            2 | 3 => {
                let beside = self.any_path();
                let folder = beside.rsplit_once('/').map_or("", |(folder, _)| folder);
                let name = path.rsplit('/').next().unwrap_or(&path);
                let to = format!("{folder}/{name}").trim_start_matches('/').to_owned();
                self.remove(&path);
                self.write(to.clone(), bytes);
                format!("rename {path} to {to}")
            }
            4 => {
                let ending = ["py", "ts", "rs", "go", "c", "h", "java", "txt", "rb"];
                let stem = path.rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem).to_owned();
                let to = format!("{stem}.{}", self.dice.pick(&ending));
                self.remove(&path);
                self.write(to.clone(), bytes);
                format!("another language: {path} to {to}")
            }
            5 => {
                let from = self.dice.below(self.pool.len());
                let to = format!("new/{}/{}", self.dice.below(3), path.rsplit('/').next().unwrap_or(&path));
                let bytes = self.pool[from].clone();
                self.write(to.clone(), bytes);
                format!("add {to}")
            }
            6 => {
                // Time moves, bytes stay.
                self.write(path.clone(), bytes);
                format!("touch {path}")
            }
            7 => {
                let bytes = if self.dice.below(2) == 0 { b"\0\x01binary".to_vec() } else { Vec::new() };
                self.write(path.clone(), bytes);
                format!("empty or binary {path}")
            }
            8 => {
                let folder = path.split('/').next().unwrap_or(&path).to_owned();
                let rule = [format!("/{folder}/0\n"), format!("{folder}\n"), "*.h\n".to_owned(), String::new()];
                let rule = self.dice.pick(&rule).clone();
                let file = *self.dice.pick(&[".gitignore", ".ignore", ".cdsignore"]);
                let folder = self.dice.pick(&["", "", &folder]).to_string();
                let file = format!("{folder}/{file}").trim_start_matches('/').to_owned();
                self.write(file.clone(), rule.clone().into_bytes());
                format!("{file} {rule:?}")
            }
            9 => {
                let many: Vec<String> =
                    self.files.keys().filter(|p| p.split('/').next() == path.split('/').next()).cloned().collect();
                for path in &many {
                    let bytes = self.files[path].clone();
                    let other = self.other(&bytes);
                    self.write(path.clone(), other);
                }
                format!("{} files like {path}", many.len())
            }
            20 => {
                // Another text of the same length at the same time: only the file system's own clock tells.
                let text: Vec<u8> = bytes.iter().map(|b| if *b == b'e' { b'a' } else { *b }).collect();
                let absolute = self.tree.root().join(&path);
                let modified = std::fs::metadata(&absolute).and_then(|meta| meta.modified()).expect("it is there");
                self.write(path.clone(), text);
                let file = std::fs::File::options().write(true).open(&absolute).expect("it is there");
                file.set_modified(modified).expect("times can be set");
                format!("same size and time {path}")
            }
            21 => {
                let inside = format!("{path}/{}", path.rsplit('/').next().unwrap_or(&path));
                let absolute = self.tree.root().join(&path);
                std::fs::remove_file(&absolute).expect("it was there");
                self.files.remove(&path);
                self.write(inside.clone(), bytes);
                format!("file to folder {inside}")
            }
            22 => {
                let Some((folder, _)) = path.rsplit_once('/').filter(|(folder, _)| folder.contains('.')) else {
                    return String::new();
                };
                let folder = folder.to_owned();
                std::fs::remove_dir_all(self.tree.root().join(&folder)).expect("it was there");
                let below = format!("{folder}/");
                self.files.retain(|path, _| !path.starts_with(&below));
                self.write(folder.clone(), bytes);
                format!("folder to file {folder}")
            }
            23 => {
                chmod(&self.tree.root().join(&path), *self.dice.pick(&[0o644, 0o600, 0o755, 0o000]));
                format!("chmod {path}")
            }
            10 => {
                let other = self.dice.below(self.pool.len());
                let bytes = self.pool[other].clone();
                self.write(path.clone(), bytes);
                format!("replace {path}")
            }
            _ => {
                let other = self.other(&bytes);
                self.write(path.clone(), other);
                format!("edit {path}")
            }
        }
    }

    /// A name, two words and a question, from what is or was somewhere in the tree.
    pub(crate) fn queries(&mut self) -> Vec<String> {
        let mut word = || {
            let from = self.of_queries.below(self.pool.len());
            let text = String::from_utf8_lossy(&self.pool[from]).into_owned();
            let words: Vec<&str> =
                text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| w.len() > 1).collect();
            if words.is_empty() { "value".to_owned() } else { (*self.of_queries.pick(&words)).to_owned() }
        };
        vec![word(), format!("{} {}", word(), word()), format!("where is {} used by the {}", word(), word())]
    }
}

/// Sets the permissions of a file, where there are any.
fn chmod(path: &Path, mode: u32) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("it is there");
    }
    #[cfg(not(unix))]
    let _ = (path, mode);
}

/// An edit that can be taken back: files with what they contain then, none for one that is removed.
pub(crate) struct SmallEdit {
    pub(crate) what: String,
    pub(crate) files: Vec<(String, Option<Vec<u8>>)>,
}

/// Every edit of one file, one name or one line that a tree allows: the file is removed, emptied or renamed, a line is removed.
pub(crate) fn small_edits(files: &Files) -> Vec<SmallEdit> {
    let mut edits = Vec::new();
    for (path, bytes) in files {
        let mut edit = |what: String, files: Vec<(String, Option<Vec<u8>>)>| edits.push(SmallEdit { what, files });
        if files.len() > 1 {
            edit(format!("remove {path}"), vec![(path.clone(), None)]);
        }
        edit(format!("empty {path}"), vec![(path.clone(), Some(b"\n".to_vec()))]);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        for other in [format!("{folder}/other_{name}"), format!("other/{folder}/{name}")] {
            let other = other.trim_start_matches('/').to_owned();
            edit(format!("rename {path} to {other}"), vec![(path.clone(), None), (other, Some(bytes.clone()))]);
        }
        let text = String::from_utf8_lossy(bytes).into_owned();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for at in (0..lines.len()).filter(|at| !lines[*at].trim().is_empty()) {
            let others = [&lines[..at], &lines[at + 1..]].concat().concat();
            edit(format!("remove line {} of {path}", at + 1), vec![(path.clone(), Some(others.into_bytes()))]);
        }
    }
    edits
}

/// The trees of all cases apart, by language and number.
pub(crate) fn each_case() -> BTreeMap<String, Files> {
    let mut cases_by_name: BTreeMap<String, Files> = BTreeMap::new();
    for (path, bytes) in cases() {
        let mut parts = path.splitn(3, '/');
        if let (Some(language), Some(number), Some(inside)) = (parts.next(), parts.next(), parts.next()) {
            cases_by_name.entry(format!("{language} {number}")).or_default().insert(inside.to_owned(), bytes);
        }
    }
    cases_by_name
}
