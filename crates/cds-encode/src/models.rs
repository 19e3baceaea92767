//! Which model does what. Nothing is loaded before it is asked for, and then once.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::{
    DenseEncoder, Encoded, ModelError, ModelId, Related, Reranker, SparseEncoder, StaticModel, builtin, related,
};

/// Where a model comes from.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Source {
    /// It is switched off.
    None,
    /// The one inside the binary.
    #[default]
    Builtin,
    /// A folder.
    Folder(PathBuf),
    /// Named in the settings, but not to be had; the text says why.
    Missing(String),
    /// A service: its address and the model's name there.
    Service {
        /// The address before `/embeddings`.
        url: String,
        /// The model's name.
        model: String,
        /// Sent as a bearer token.
        key: Option<String>,
    },
}

/// What makes vectors.
pub enum Dense {
    /// A table of words: composes a chunk's vector from its parts.
    Table(&'static StaticModel),
    /// A model that reads a text as a whole.
    Encoder(Box<dyn DenseEncoder>),
}

impl Dense {
    /// Which model it is.
    pub fn id(&self) -> &ModelId {
        match self {
            Dense::Table(model) => model.id(),
            Dense::Encoder(encoder) => encoder.id(),
        }
    }
}

/// What makes weighted terms.
pub enum Sparse {
    /// A table of related words: widens the query.
    Related(&'static Related),
    /// A model that reads a text as a whole: widens the chunks too, when they are indexed.
    Encoder(Box<dyn SparseEncoder>),
}

/// How long a failure of a service is remembered: requests in this time fail at once.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// A model that is loaded on first use. A failure is final, except that a service is tried again after [`RETRY_AFTER`].
struct Loaded<T> {
    model: OnceLock<Option<T>>,
    failure: Mutex<Option<(Instant, ModelError)>>,
}

impl<T> Default for Loaded<T> {
    fn default() -> Loaded<T> {
        Loaded { model: OnceLock::new(), failure: Mutex::new(None) }
    }
}

impl<T> Loaded<T> {
    fn known(model: Option<T>) -> Loaded<T> {
        Loaded { model: OnceLock::from(model), failure: Mutex::new(None) }
    }

    fn get(&self, load: impl FnOnce() -> Result<Option<T>, ModelError>) -> Result<Option<&T>, ModelError> {
        if let Some(model) = self.model.get() {
            return Ok(model.as_ref());
        }
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, error)) = &*failure
            && (!matches!(error, ModelError::Unavailable(_)) || at.elapsed() < RETRY_AFTER)
        {
            return Err(error.clone());
        }
        match load() {
            Ok(model) => {
                *failure = None;
                Ok(self.model.get_or_init(|| model).as_ref())
            }
            Err(error) => {
                *failure = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }
}

/// The models that an index is made and asked with.
#[derive(Default)]
pub struct Models {
    sources: [Source; 3],
    dense: Loaded<Dense>,
    sparse: Loaded<Sparse>,
    reranker: Loaded<Arc<dyn Reranker>>,
}

impl Models {
    /// Models from these sources.
    pub fn new(dense: Source, sparse: Source, reranker: Source) -> Models {
        Models { sources: [dense, sparse, reranker], ..Models::default() }
    }

    /// With these in place of what a source would give.
    pub fn with(dense: Option<Dense>, sparse: Option<Sparse>, reranker: Option<Arc<dyn Reranker>>) -> Models {
        Models {
            sources: Default::default(),
            dense: Loaded::known(dense),
            sparse: Loaded::known(sparse),
            reranker: Loaded::known(reranker),
        }
    }

    /// The models that an index was made with, for an update that must not encode it again: the tables inside the binary, else models that fail
    /// for every text, so that new chunks get no vectors.
    pub fn of_index(dense: Option<&ModelId>, sparse: Option<&ModelId>, why: &str) -> Models {
        let absent = |id: &ModelId| Absent { id: id.clone(), error: ModelError::Unavailable(why.to_owned()) };
        let dense = dense.map(|id| {
            let table = builtin();
            if id == table.id() { Dense::Table(table) } else { Dense::Encoder(Box::new(absent(id))) }
        });
        let sparse = sparse.map(|id| Sparse::Encoder(Box::new(absent(id)) as Box<dyn SparseEncoder>));
        Models::with(dense, sparse, None)
    }

    /// The same sources with models that cannot be used replaced: by one that fails for every text where an index has its vectors or terms
    /// (`known`), so that these stay valid, and by none elsewhere. `None` if all can be used, or only fail for a reason that `tolerates`
    /// rejects; the reasons are pushed to `why`.
    ///
    /// # Errors
    ///
    /// The first failure that `tolerates` rejects.
    pub fn with_substitutes(
        &self,
        known: (Option<&ModelId>, Option<&ModelId>),
        limit: Option<Duration>,
        tolerates: impl Fn(&ModelError) -> bool,
        why: &mut Vec<String>,
    ) -> Result<Option<Models>, ModelError> {
        let dense = self.dense_within(limit).err();
        let sparse = self.sparse().err();
        if let Some(error) = [&dense, &sparse].into_iter().flatten().find(|error| !tolerates(error)) {
            return Err(error.clone());
        }
        if dense.is_none() && sparse.is_none() {
            return Ok(None);
        }
        let mut models = Models { sources: self.sources.clone(), ..Models::default() };
        if let Some(error) = dense {
            why.push(error.to_string());
            let absent = known.0.map(|id| Absent { id: id.clone(), error });
            models.dense = Loaded::known(absent.map(|absent| Dense::Encoder(Box::new(absent))));
        }
        if let Some(error) = sparse {
            why.push(error.to_string());
            let absent = known.1.map(|id| Absent { id: id.clone(), error });
            models.sparse = Loaded::known(absent.map(|absent| Sparse::Encoder(Box::new(absent))));
        }
        Ok(Some(models))
    }

    /// Whether one of them reads texts as a whole, which may take long: a table is asked in no time.
    pub fn is_slow(&self) -> bool {
        let reads = |source: &Source| matches!(source, Source::Folder(_) | Source::Service { .. });
        self.sources[..2].iter().any(reads)
            || matches!(self.dense.model.get(), Some(Some(Dense::Encoder(_))))
            || matches!(self.sparse.model.get(), Some(Some(Sparse::Encoder(_))))
    }

    /// What makes vectors, unless that is switched off.
    pub fn dense(&self) -> Result<Option<&Dense>, ModelError> {
        self.dense_within(None)
    }

    /// The same, with a limit for the first request to a service.
    pub fn dense_within(&self, limit: Option<Duration>) -> Result<Option<&Dense>, ModelError> {
        let load = || match &self.sources[0] {
            Source::None => Ok(None),
            Source::Missing(why) => Err(ModelError::Unusable(why.clone())),
            Source::Builtin => Ok(Some(Dense::Table(builtin()))),
            Source::Folder(path) => match open(path)? {
                Model::Dense(encoder) => Ok(Some(Dense::Encoder(encoder))),
                other => Err(unfit(path, &other, "dense")),
            },
            Source::Service { url, model, key } => {
                service(url, model, key.clone(), limit).map(|e| Some(Dense::Encoder(e)))
            }
        };
        self.dense.get(load)
    }

    /// What makes weighted terms, unless that is switched off.
    pub fn sparse(&self) -> Result<Option<&Sparse>, ModelError> {
        let load = || match &self.sources[1] {
            Source::None | Source::Service { .. } => Ok(None),
            Source::Missing(why) => Err(ModelError::Unusable(why.clone())),
            Source::Builtin => Ok(Some(Sparse::Related(related()))),
            Source::Folder(path) => match open(path)? {
                Model::Sparse(encoder) => Ok(Some(Sparse::Encoder(encoder))),
                other => Err(unfit(path, &other, "sparse")),
            },
        };
        self.sparse.get(load)
    }

    /// What reads query and passage together, if there is one.
    pub fn reranker(&self) -> Result<Option<Arc<dyn Reranker>>, ModelError> {
        let load = || match &self.sources[2] {
            Source::None | Source::Builtin | Source::Service { .. } => Ok(None),
            Source::Missing(why) => Err(ModelError::Unusable(why.clone())),
            Source::Folder(path) => match open(path)? {
                Model::Reranker(reranker) => Ok(Some(Arc::from(reranker))),
                other => Err(unfit(path, &other, "reranker")),
            },
        };
        Ok(self.reranker.get(load)?.cloned())
    }
}

/// A model that cannot be used now, in place of the one that made an index.
struct Absent {
    id: ModelId,
    error: ModelError,
}

impl DenseEncoder for Absent {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn encode(&self, _texts: &[&str]) -> Result<Encoded<Vec<f32>>, ModelError> {
        Err(self.error.clone())
    }
}

impl SparseEncoder for Absent {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn encode(&self, _texts: &[&str]) -> Result<Encoded<Vec<(u32, f32)>>, ModelError> {
        Err(self.error.clone())
    }

    fn term(&self, _term: u32) -> Option<&str> {
        None
    }
}

fn unfit(path: &std::path::Path, model: &Model, wanted: &str) -> ModelError {
    let what = model.kind();
    ModelError::Unusable(format!("{} is a {what} model and cannot be used as the {wanted} one", path.display()))
}

/// What a folder turned out to hold.
pub enum Model {
    /// A sentence encoder.
    Dense(Box<dyn DenseEncoder>),
    /// A SPLADE model.
    Sparse(Box<dyn SparseEncoder>),
    /// A cross-encoder.
    Reranker(Box<dyn Reranker>),
}

impl Model {
    /// Which model it is.
    pub fn id(&self) -> &ModelId {
        match self {
            Model::Dense(model) => model.id(),
            Model::Sparse(model) => model.id(),
            Model::Reranker(model) => model.id(),
        }
    }

    /// What it is for: `dense`, `sparse` or `reranker`, as in the settings.
    pub fn kind(&self) -> &'static str {
        match self {
            Model::Dense(_) => "dense",
            Model::Sparse(_) => "sparse",
            Model::Reranker(_) => "reranker",
        }
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple(self.kind()).field(self.id()).finish()
    }
}

/// Loads the model of a folder. Nothing is downloaded: an error names the file that is missing and how to get it.
#[cfg(feature = "transformer")]
pub fn open(path: &std::path::Path) -> Result<Model, ModelError> {
    crate::transformer::open(path)
}

/// A build without transformers says so.
#[cfg(not(feature = "transformer"))]
pub fn open(path: &std::path::Path) -> Result<Model, ModelError> {
    let path = path.display();
    Err(ModelError::Unusable(format!(
        "{path}: this build of cds has no models from folders; `cargo install --path crates/cds --features transformer` makes one that has"
    )))
}

/// Asks a service how long its vectors are.
#[cfg(feature = "remote")]
pub fn service(
    url: &str,
    model: &str,
    key: Option<String>,
    limit: Option<Duration>,
) -> Result<Box<dyn DenseEncoder>, ModelError> {
    let settings = crate::RemoteSettings { key, ..crate::RemoteSettings::new(url, model) };
    Ok(Box::new(match limit {
        Some(limit) => crate::RemoteEncoder::connect_within(settings, limit)?,
        None => crate::RemoteEncoder::connect(settings)?,
    }))
}

/// A build without services says so.
#[cfg(not(feature = "remote"))]
pub fn service(
    url: &str,
    _model: &str,
    _key: Option<String>,
    _limit: Option<Duration>,
) -> Result<Box<dyn DenseEncoder>, ModelError> {
    Err(ModelError::Unusable(format!(
        "{url}: this build of cds asks no services; `cargo install --path crates/cds --features remote` makes one that does"
    )))
}

#[cfg(test)]
mod tests {
    use super::{Models, Source};

    #[test]
    fn what_is_inside_the_binary_is_the_default() {
        let models = Models::default();
        assert_eq!(models.dense().unwrap().unwrap().id().name, "cds-static");
        assert!(models.sparse().unwrap().is_some());
        assert!(models.reranker().unwrap().is_none());
        let none = Models::new(Source::None, Source::None, Source::None);
        assert!(none.dense().unwrap().is_none() && none.sparse().unwrap().is_none());
    }

    #[test]
    fn a_folder_that_cannot_be_loaded_is_told_each_time() {
        let models = Models::new(Source::Folder("nowhere".into()), Source::Builtin, Source::None);
        for _ in 0..2 {
            assert!(models.dense().err().unwrap().to_string().contains("nowhere"));
        }
    }
}
