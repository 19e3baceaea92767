//! Which model does what. Nothing is loaded before it is asked for, and then once.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use crate::{DenseEncoder, ModelError, ModelId, Related, Reranker, SparseEncoder, StaticModel, builtin, related};

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

type Loaded<T> = OnceLock<Result<Option<T>, ModelError>>;

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
            dense: OnceLock::from(Ok(dense)),
            sparse: OnceLock::from(Ok(sparse)),
            reranker: OnceLock::from(Ok(reranker)),
        }
    }

    /// Whether one of them reads texts as a whole, which may take long: a table is asked in no time.
    pub fn is_slow(&self) -> bool {
        let reads = |source: &Source| matches!(source, Source::Folder(_) | Source::Service { .. });
        self.sources[..2].iter().any(reads)
            || matches!(self.dense.get(), Some(Ok(Some(Dense::Encoder(_)))))
            || matches!(self.sparse.get(), Some(Ok(Some(Sparse::Encoder(_)))))
    }

    /// What makes vectors, unless that is switched off.
    pub fn dense(&self) -> Result<Option<&Dense>, ModelError> {
        let load = || match &self.sources[0] {
            Source::None => Ok(None),
            Source::Missing(why) => Err(ModelError::Unusable(why.clone())),
            Source::Builtin => Ok(Some(Dense::Table(builtin()))),
            Source::Folder(path) => match open(path)? {
                Model::Dense(encoder) => Ok(Some(Dense::Encoder(encoder))),
                other => Err(unfit(path, &other, "dense")),
            },
            Source::Service { url, model, key } => service(url, model, key.clone()).map(|e| Some(Dense::Encoder(e))),
        };
        self.dense.get_or_init(load).as_ref().map(Option::as_ref).map_err(Clone::clone)
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
        self.sparse.get_or_init(load).as_ref().map(Option::as_ref).map_err(Clone::clone)
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
        self.reranker.get_or_init(load).clone()
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
pub fn service(url: &str, model: &str, key: Option<String>) -> Result<Box<dyn DenseEncoder>, ModelError> {
    let settings = crate::RemoteSettings { key, ..crate::RemoteSettings::new(url, model) };
    Ok(Box::new(crate::RemoteEncoder::connect(settings)?))
}

/// A build without services says so.
#[cfg(not(feature = "remote"))]
pub fn service(url: &str, _model: &str, _key: Option<String>) -> Result<Box<dyn DenseEncoder>, ModelError> {
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
