//! From a folder to a generation. [`run`] takes the writer's lock, walks, extracts in parallel, writes in order, publishes.

mod cache;
mod early;
mod effort;
mod entries;
mod freshness;
mod generation;
mod links;
mod lock;
mod look;
mod meaning;
mod ordered;
mod part;
mod place;
mod plan;
mod prepare;
mod rounds;
mod rules;
mod space;
mod stamps;
mod walk;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use cds_encode::{Dense, Models};
use cds_lang::{EXTRACTOR_VERSION, Registry};
use cds_model::ProblemKind;
use serde::{Deserialize, Serialize};

use crate::disk::{ProjectRoot, Stamp};
use crate::index_dir::is_generation;
use crate::store::manifest::SkippedFile;
use crate::store::space::VectorSpace;
use crate::store::{FORMAT_VERSION, Manifest, WRITTEN};
use crate::{Error, IndexDir, Result, Snapshot, private_fs};
use generation::GenerationWriter;
use meaning::{Encoding, ModelIds};
use plan::Plan;
use prepare::Outcome;
use stamps::Stamps;

pub use effort::{Effort, TreeSize};
pub use entries::entries;
pub use freshness::{Freshness, check as check_freshness};
pub(crate) use lock::is_lock;
pub use lock::{Owner, prepare_home, remove_unused};
pub use rules::{GitFolders, RuleFile, RuleState};
pub use stamps::Seen;
pub use walk::is_never_entered;

/// What decides the content of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildOptions {
    /// Larger files are listed, not indexed.
    pub max_file_size: u64,
    /// Whether words of comments and doc comments can be found.
    pub comments: bool,
    /// Stands for language data of the user's own; empty when there is none.
    pub languages: String,
    /// Whether somebody asked for it in so many words, rather than in a file of settings: then it holds until the next such wish.
    #[serde(default)]
    pub by_wish: bool,
}

impl Default for BuildOptions {
    fn default() -> Self {
        BuildOptions { max_file_size: 1_000_000, comments: true, languages: String::new(), by_wish: false }
    }
}

impl BuildOptions {
    /// Equal for equal content: another one means that nothing of the old index can be kept.
    fn fingerprint(&self, registry: &Registry) -> String {
        let mut hasher = blake3::Hasher::new();
        for data in registry.data() {
            hasher.update(data.as_bytes()).update(&[0]);
        }
        let languages = &hasher.finalize().to_hex()[..16];
        format!("{}; {languages}", self.settings_fingerprint())
    }

    /// The part that can be told without reading built-in language data.
    pub(crate) fn settings_fingerprint(&self) -> String {
        let BuildOptions { max_file_size, comments, languages, by_wish: _ } = self;
        format!(
            "extractor {EXTRACTOR_VERSION}; max_file_size {max_file_size}; comments {comments}; languages [{languages}]"
        )
    }
}

/// One run of the indexer.
pub struct Build<'a> {
    /// The folder to index.
    pub root: &'a Path,
    /// Where the index lives.
    pub home: &'a Path,
    /// The languages.
    pub registry: &'a Registry,
    /// What decides the content.
    pub options: BuildOptions,
    /// What makes vectors and weighted terms.
    pub models: &'a Models,
    /// The most that a request to a model that is a service may take; `None`: as long as its own settings allow.
    pub model_limit: Option<Duration>,
    /// Whether to read everything anew.
    pub force: bool,
    /// Whether folders that did not change are taken to hold what they held, and the index to be whole: far faster where little changed.
    pub quick: bool,
    /// What the caller saw of the disk a moment ago: then nobody looks again, if the index is still that one.
    pub seen: Option<&'a Seen>,
    /// Whether some of a large tree can be asked before all of it is in its first index, and who is told of each step.
    pub early: Option<&'a (dyn Fn() + Sync)>,
    /// Whether a tree without readable files is indexed too; otherwise it is an [`Error::Empty`].
    pub empty: bool,
    /// What it may cost.
    pub effort: Effort<'a>,
    /// Set from outside to stop.
    pub cancel: &'a AtomicBool,
    /// Told now and then how far it is.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

/// How far a build is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub phase: &'static str,
    /// Files done.
    pub done: usize,
    /// Files in all; 0 while they are being counted.
    pub total: usize,
}

/// What a build did.
#[derive(Clone, Debug)]
pub struct BuildReport {
    /// Files in the index.
    pub files: usize,
    /// Files whose facts were computed.
    pub parsed: usize,
    /// Files whose facts were kept.
    pub reused: usize,
    /// Files whose names were looked up: those that changed, and those that asked for what changed.
    pub linked: usize,
    /// Files that are gone.
    pub removed: usize,
    /// Files left out or read badly.
    pub problems: usize,
    /// Whether a new generation was written.
    pub changed: bool,
    /// Chunks that a model failed on.
    pub not_encoded: usize,
    /// Wall time in seconds.
    pub seconds: f64,
    /// How much of it went into linking names across files.
    pub link_seconds: f64,
}

/// A file left out, or read badly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemRow {
    /// Relative to the root.
    pub path: String,
    /// The reason, as [`cds_model::ProblemKind::name`] has it.
    pub reason: String,
    /// In words.
    pub detail: String,
    /// Whether the file is missing from the index.
    pub skipped: bool,
    /// Size and times of a skipped file: another one is looked at again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<Stamp>,
}

impl ProblemRow {
    pub(crate) fn new(path: impl Into<String>, kind: ProblemKind, detail: String) -> ProblemRow {
        let (path, reason) = (path.into(), kind.name().to_owned());
        ProblemRow { path, reason, detail, skipped: kind.skips_file(), stamp: None }
    }

    /// Whether it is about a file of rules, not about its text.
    pub(crate) fn is_of_rules(&self) -> bool {
        self.reason == ProblemKind::RulesRejected.name()
    }

    /// Whether it was met by walking rather than by reading.
    pub(crate) fn is_of_walk(&self) -> bool {
        self.stamp.is_none() && (self.skipped || self.is_of_rules())
    }

    /// What to look at again, if it was left out and could be read one day.
    fn skipped_file(&self) -> Option<SkippedFile> {
        let refused = self.reason == ProblemKind::Unreadable.name();
        let again = self.skipped && (refused || self.stamp.is_some());
        again.then(|| SkippedFile { path: self.path.clone(), stamp: self.stamp, refused })
    }
}

/// Where a root's index lives unless told otherwise.
pub fn index_home(root: &Path) -> PathBuf {
    root.join(".cds-index")
}

/// Brings the index up to date. On any error, and when it is interrupted, the old generation stays current.
pub fn run(build: &Build) -> Result<BuildReport> {
    let started = Instant::now();
    let root_meta = std::fs::metadata(build.root).map_err(Error::io(build.root))?;
    if !root_meta.is_dir() {
        let source = std::io::Error::new(std::io::ErrorKind::NotADirectory, "not a folder");
        return Err(Error::Io { path: build.root.to_owned(), source });
    }
    let Effort { wait, waiting, .. } = build.effort;
    let patience = lock::Patience { wait, waiting, cancel: build.cancel };
    let lock = lock::Lock::take(IndexDir::new(build.root, build.home), patience)?;
    let report = run_locked(build, &lock, started);
    if report.is_err() {
        lock.discard();
    }
    report
}

fn run_locked(build: &Build, lock: &lock::Lock, started: Instant) -> Result<BuildReport> {
    let fingerprint = build.options.fingerprint(build.registry);
    let models = ModelIds::of(build.models)?;
    let seen = build.seen.filter(|seen| seen.snapshot.manifest().is_current(build.home));
    let published = if seen.is_some() { None } else { Manifest::read(build.home).ok() };
    let old_manifest = seen.map(|seen| seen.snapshot.manifest()).or(published.as_ref());
    let old = match seen {
        Some(seen) => Some(Arc::clone(&seen.snapshot)),
        None => Snapshot::open(build.home).ok().filter(|old| old.verify_tables().is_ok()).map(Arc::new),
    };
    let old = old.filter(|old| !build.force && old.manifest().fingerprint == fingerprint);

    (build.progress)(Progress { phase: "walking", done: 0, total: 0 });
    let root = ProjectRoot::at(build.root);
    let is_whole = |old: &&Arc<Snapshot>| build.quick && old.manifest().left == 0;
    let mut found = match (old.as_ref().filter(is_whole), seen) {
        (Some(old), Some(seen)) => look::look(old, &seen.stamps, &root, build.home),
        (Some(old), None) => look::look(old, &Stamps::read(old, &root, &|_| {}), &root, build.home),
        (None, _) => walk::walk(&root, build.home),
    };
    if let Some(old) = &old {
        found.recognise(old);
    }
    if found.files.is_empty() && !build.empty {
        return Err(Error::Empty(build.root.to_owned()));
    }
    if old_manifest.is_none() {
        let taken = found.files.iter().map(|f| f.stamp.size).filter(|&s| s <= build.options.max_file_size);
        let size = TreeSize { files: found.files.len() as u64, bytes: taken.sum() };
        if size.exceeds(build.effort.large) && !(build.effort.approve)(size) {
            return Err(Error::TooLarge { root: build.root.to_owned(), size, most: build.effort.large });
        }
    }
    // Nothing changed on disk, and nothing in the index: a damaged one is written anew, from what is still good.
    let is_sound = build.quick || old.as_ref().is_some_and(|old| old.verify().is_ok());
    if let Some(old) = &old
        && old.manifest().left == 0
        && freshness::same(old, &root, &found)
        && is_encoded(old, &models)
        && is_sound
    {
        // What is not indexed came or went: the folders' times are all there is to write.
        let was = old.manifest();
        if was.directories != found.directories
            || was.rules != found.rules
            || was.racy_directories != found.racy_directories
        {
            let mut manifest = was.clone();
            manifest.directories.clone_from(&found.directories);
            manifest.racy_directories.clone_from(&found.racy_directories);
            manifest.rules.clone_from(&found.rules);
            lock.check()?;
            manifest.publish(build.home)?;
        }
        // A writer that was killed may have left something.
        sweep(build.home, old.manifest());
        let counts = old.manifest().counts;
        return Ok(BuildReport {
            files: counts.files as usize,
            parsed: 0,
            reused: counts.files as usize,
            linked: 0,
            removed: 0,
            problems: counts.problems as usize,
            changed: false,
            not_encoded: 0,
            seconds: started.elapsed().as_secs_f64(),
            link_seconds: 0.0,
        });
    }

    let still_there = found.files.iter().filter(|file| file.known.is_some()).count();
    let removed = old.as_ref().map_or(0, |old| old.file_count()) - still_there;
    let writer = Writer { build, root: &root, lock, fingerprint, models };
    let mut known = Known { old, is_sound, manifest: old_manifest.cloned() };
    let parsed = match build.early {
        Some(tell) => writer.publish_early(&mut found, &mut known, tell)?,
        None => 0,
    };
    let (manifest, counted) = writer.publish(&found, &known)?;
    write_config(build)?;
    Ok(BuildReport {
        files: manifest.counts.files as usize,
        parsed: parsed + counted.parsed,
        reused: counted.reused - parsed.min(counted.reused),
        linked: counted.linked,
        removed,
        problems: manifest.counts.problems as usize,
        changed: true,
        not_encoded: manifest.counts.not_encoded as usize,
        seconds: started.elapsed().as_secs_f64(),
        link_seconds: counted.link_seconds,
    })
}

/// Who holds the lock and writes.
struct Writer<'a> {
    build: &'a Build<'a>,
    root: &'a ProjectRoot,
    lock: &'a lock::Lock,
    fingerprint: String,
    models: ModelIds,
}

impl Writer<'_> {
    /// Makes the next generation the current one.
    fn publish(&self, found: &walk::Walked, known: &Known) -> Result<(Manifest, Counted)> {
        let Writer { build, lock, fingerprint, models, .. } = self;
        let (mut manifest, counted) = write(self, found, known, fingerprint.clone(), models.clone())?;
        if let Err(e) = lock.check().and_then(|()| manifest.publish(build.home)) {
            clear(build.home, &manifest.generation);
            return Err(e);
        }
        sweep(build.home, &manifest);
        Ok((manifest, counted))
    }

    /// Publishes some of a large tree where nothing whole is there to be asked yet, and says how many files were parsed for that. Then
    /// that is what is known.
    fn publish_early(&self, found: &mut walk::Walked, known: &mut Known, tell: &dyn Fn()) -> Result<usize> {
        let left = known.manifest.as_ref().map_or(found.files.len(), |manifest| manifest.left as usize);
        let mut indexed = found.files.len().saturating_sub(left);
        let mut parsed = 0;
        while left > 0
            && let Some(step) = early::step(found, indexed, self.build.registry)
        {
            indexed = step.files.len();
            let (manifest, counted) = match self.publish(&step, known) {
                // Its files are all left out: binary, too large, not to be read.
                Err(Error::Empty(_)) => continue,
                published => published?,
            };
            tell();
            parsed += counted.parsed;
            let snapshot = Snapshot::open(self.build.home)?;
            found.recognise(&snapshot);
            *known = Known { old: Some(Arc::new(snapshot)), is_sound: true, manifest: Some(manifest) };
        }
        Ok(parsed)
    }
}

/// Whether every chunk has what these models say of it.
fn is_encoded(old: &Snapshot, models: &ModelIds) -> bool {
    has_models(old, models) && old.manifest().counts.not_encoded == 0
}

/// Whether these models made its vectors and weighted terms. Where an encoder failed on everything there is no space either.
fn has_models(old: &Snapshot, models: &ModelIds) -> bool {
    let manifest = old.manifest();
    manifest.model == models.dense
        && manifest.sparse_model == models.sparse
        && manifest.space.is_some() == models.is_encoder
}

/// The space in which vectors of the model are already stored.
fn known_space(manifest: Option<&Manifest>, models: &ModelIds) -> Option<VectorSpace> {
    let manifest = manifest.filter(|manifest| manifest.model == models.dense)?;
    let dimensions = models.dense.as_ref()?.dimensions as usize;
    manifest.space.clone().filter(|space| space.dimensions() == dimensions)
}

#[derive(Default)]
struct Counted {
    parsed: usize,
    reused: usize,
    linked: usize,
    link_seconds: f64,
}

/// What there is of an index already.
struct Known {
    old: Option<Arc<Snapshot>>,
    /// Whether its parts can be kept as they are; if not, still what of them can be read.
    is_sound: bool,
    manifest: Option<Manifest>,
}

fn write(
    writer: &Writer,
    found: &walk::Walked,
    known: &Known,
    fingerprint: String,
    models: ModelIds,
) -> Result<(Manifest, Counted)> {
    let build = writer.build;
    let old_manifest = known.manifest.as_ref();
    let number =
        old_manifest.and_then(|m| m.generation.strip_prefix('g')?.parse::<u32>().ok()).unwrap_or(0) % 999_999 + 1;
    let generation = format!("g{number:06}");
    clear(build.home, &generation);
    let result = fill(build, writer.root, number, found, known);
    let (tables, counted) = match result {
        Ok(done) => done,
        Err(e) => {
            clear(build.home, &generation);
            return Err(e);
        }
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let project = blake3::hash(build.root.to_string_lossy().as_bytes()).to_hex()[..16].to_owned();
    let mut manifest = Manifest {
        format: FORMAT_VERSION,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        generation,
        index_id: writer.lock.id().to_owned(),
        born_ms: old_manifest.filter(|m| m.project == project).map_or(now.as_millis() as u64, |m| m.born_ms),
        project,
        built: now.as_secs() as i64,
        fingerprint,
        options: build.options.clone(),
        model: models.dense,
        space: tables.space,
        sparse_model: models.sparse,
        languages: tables.languages,
        counts: tables.counts,
        left: found.left as u64,
        directories: found.directories.clone(),
        racy_directories: found.racy_directories.clone(),
        rules: found.rules.clone(),
        raw_paths: found.raw_paths.clone(),
        skipped: tables.skipped,
        parts: tables.parts,
        files: tables.files,
        checksum: String::new(),
    };
    if let Err(e) = choose_scan(build.home, &mut manifest) {
        clear(build.home, &manifest.generation);
        return Err(e);
    }
    Ok((manifest, counted))
}

/// Searches of a new generation compare the codes of all vectors if sketches miss too much.
fn choose_scan(home: &Path, manifest: &mut Manifest) -> Result<()> {
    let Some(space) = manifest.space.take() else { return Ok(()) };
    let space = space.scanning_codes(false);
    manifest.space = Some(space.clone());
    let snapshot = Snapshot::open_generation(home, manifest.clone())?;
    let suffice = snapshot.vectors()?.is_none_or(|vectors| space::sketches_suffice(&vectors, &space));
    manifest.space = Some(space.scanning_codes(!suffice));
    Ok(())
}

/// Extracts on every core and writes in order on this thread.
fn fill(
    build: &Build,
    root: &ProjectRoot,
    number: u32,
    found: &walk::Walked,
    known: &Known,
) -> Result<(generation::Tables, Counted)> {
    let old = known.old.as_deref();
    let total = found.files.len() + found.left;
    let done = AtomicUsize::new(0);
    let max_file_size = build.options.max_file_size;
    let problems_before = old.map_or(Ok(Vec::new()), Snapshot::problems)?;
    let models = ModelIds::of(build.models)?;
    let plan = match old.filter(|_| known.is_sound) {
        Some(old) if has_models(old, &models) => Plan::new(old, &problems_before, found, max_file_size),
        _ => Plan::whole(found, max_file_size),
    };
    let busy = || (build.progress)(Progress { phase: "encoding", done: done.load(Ordering::Relaxed), total });
    let space = known_space(known.manifest.as_ref(), &models);
    let encoding = Encoding { is_whole: plan.parts == 0, space, busy: &busy };
    let mut writer = GenerationWriter::create(build, number, old, &plan, encoding)?;
    let mut counted = Counted::default();
    let mut problems = found.problems.clone();
    let table = match build.models.dense()? {
        Some(Dense::Table(model)) => Some(model.id()),
        Some(Dense::Encoder(_)) | None => None,
    };
    let preparer =
        prepare::Preparer { root, registry: build.registry, options: &build.options, old, plan: &plan, table };
    let kept: Vec<Option<prepare::Kept>> = found.files.iter().map(|file| preparer.kept(file)).collect();
    // Stretches of files that are kept are one piece of work, and so is every other file.
    let pieces: Vec<std::ops::Range<usize>> = kept
        .chunk_by(|a, b| a.is_some() && b.is_some())
        .scan(0, |next, piece| {
            let first = std::mem::replace(next, *next + piece.len());
            Some(first..*next)
        })
        .collect();
    let weight = |piece: &std::ops::Range<usize>| match &kept[piece.start] {
        Some(_) => 0,
        None => found.files[piece.start].stamp.size,
    };
    ordered::in_order(
        &pieces,
        build.effort.window(),
        weight,
        || build.cancel.load(Ordering::Relaxed),
        |piece| {
            let outcome = kept[piece.start].is_none().then(|| preparer.prepare(&found.files[piece.start]));
            let done = done.fetch_add(piece.len(), Ordering::Relaxed) + piece.len();
            (build.progress)(Progress { phase: "indexing", done, total });
            (piece.clone(), outcome)
        },
        |(piece, outcome)| {
            let mut keep = |kept: &prepare::Kept| {
                counted.reused += 1;
                writer.keep(kept)
            };
            match outcome {
                None => kept[piece].iter().flatten().try_for_each(keep)?,
                Some(Outcome::Kept(kept)) => keep(&kept)?,
                Some(Outcome::Skipped(row)) => problems.push(row),
                Some(Outcome::Ready(file)) => {
                    *if file.reused.is_some() { &mut counted.reused } else { &mut counted.parsed } += 1;
                    writer.add(&file)?;
                }
            }
            Ok::<(), Error>(())
        },
    )?;
    if build.cancel.load(Ordering::Relaxed) {
        return Err(Error::Cancelled);
    }
    // Steps of a first index are skipped where they have no file.
    if counted.parsed + counted.reused == 0 && (!build.empty || found.left > 0) {
        return Err(Error::Empty(build.root.to_owned()));
    }
    (build.progress)(Progress { phase: "writing", done: total, total });
    let tables = writer.finish(problems, &problems_before)?;
    counted.link_seconds = tables.link_seconds;
    counted.linked = tables.linked;
    Ok((tables, counted))
}

/// The settings an index was built with, for people to read; questions keep to them, so half a file must not be seen.
fn write_config(build: &Build) -> Result<()> {
    let BuildOptions { max_file_size, comments, .. } = build.options;
    let path = build.home.join("config.toml");
    let text = format!(
        "# Settings this index was built with. Change them in .cds.toml.\n\
         [index]\nmax_file_size = {max_file_size}\ncomments = {comments}\n"
    );
    if private_fs::read(&path).is_ok_and(|known| known == text.as_bytes()) {
        return Ok(());
    }
    private_fs::replace(&path, text.as_bytes()).map_err(Error::io(&path))
}

/// Removes a generation that was not published, and the part of its number.
fn clear(home: &Path, generation: &str) {
    for folder in [generation.to_owned(), generation.replacen('g', "p", 1)] {
        let _ = std::fs::remove_dir_all(home.join(folder));
    }
}

/// Removes generations and parts that are no longer current. Readers that still map them keep them until they finish.
fn sweep(home: &Path, current: &Manifest) {
    let Ok(entries) = std::fs::read_dir(home) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_current = name == current.generation || current.parts.iter().any(|part| name == part.name);
        if is_generation(&name) && !is_current && has_only_ours(&entry.path()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a folder holds nothing but what we write there: an index may be put where other things are.
fn has_only_ours(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().all(|entry| WRITTEN.contains(&entry.file_name().to_string_lossy().as_ref()))
}
