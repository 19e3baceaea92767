//! Vectors from a service that speaks OpenAI's embeddings protocol: `POST {url}/embeddings` with a model's name and a list of texts.
//!
//! What passes is tried again with growing pauses; what will not pass (a wrong key, an unknown model) fails at once. A batch that failed
//! does not take the others with it.

use std::{
    fmt,
    ops::Range,
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use ureq::Agent;

use crate::{DenseEncoder, Encoded, ModelError, ModelId, normalise};

/// The most bytes of an answer that are read: 64 texts of 4096 numbers are about 6 MB.
const ANSWER_BYTES: u64 = 64 << 20;

/// Where the service is and how to ask it.
#[derive(Clone)]
pub struct RemoteSettings {
    /// The address before `/embeddings`, such as `http://localhost:11434/v1`.
    pub url: String,
    /// The model's name, as the service knows it.
    pub model: String,
    /// Sent as a bearer token, if any; never part of a message.
    pub key: Option<String>,
    /// Texts of a request.
    pub batch: usize,
    /// How often a request is made before its batch fails.
    pub attempts: u32,
    /// The pause after the first failure; each further one is twice as long, up to `longest_pause`.
    pub first_pause: Duration,
    /// The longest pause, also when the service asks for a longer one.
    pub longest_pause: Duration,
    /// How long one request may take.
    pub timeout: Duration,
}

impl RemoteSettings {
    /// Settings for a service without a key: 64 texts a request, four attempts within about seven seconds of pauses.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> RemoteSettings {
        RemoteSettings {
            url: url.into(),
            model: model.into(),
            key: None,
            batch: 64,
            attempts: 4,
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(20),
            timeout: Duration::from_mins(1),
        }
    }
}

impl fmt::Debug for RemoteSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key.as_ref().map(|_| "(hidden)");
        f.debug_struct("RemoteSettings")
            .field("url", &self.url)
            .field("model", &self.model)
            .field("key", &key)
            .field("batch", &self.batch)
            .field("attempts", &self.attempts)
            .finish_non_exhaustive()
    }
}

/// A model behind an address.
#[derive(Debug)]
pub struct RemoteEncoder {
    settings: RemoteSettings,
    agent: Agent,
    id: ModelId,
}

/// Texts that the service did not encode, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedBatch {
    /// Which of the texts.
    pub texts: Range<usize>,
    /// What the last attempt met.
    pub error: ModelError,
}

#[derive(Serialize)]
struct Question<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    #[serde(default)]
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// Why an attempt failed.
struct Failure {
    what: String,
    /// Whether another attempt may help.
    passes: bool,
    /// The pause that the service asked for.
    asked: Option<Duration>,
}

impl RemoteEncoder {
    /// Encodes one word to learn how long the service's vectors are. A service cannot prove its weights, so that its model is known by
    /// name only.
    pub fn connect(settings: RemoteSettings) -> Result<RemoteEncoder, ModelError> {
        RemoteEncoder::connect_with(settings, |encoder| encoder.request(&["code"]))
    }

    /// The same in one attempt that takes at most `limit`.
    pub fn connect_within(settings: RemoteSettings, limit: Duration) -> Result<RemoteEncoder, ModelError> {
        RemoteEncoder::connect_with(settings, |encoder| encoder.request_once(&["code"], limit))
    }

    fn connect_with(
        settings: RemoteSettings,
        probe: impl Fn(&RemoteEncoder) -> Result<Vec<Vec<f32>>, ModelError>,
    ) -> Result<RemoteEncoder, ModelError> {
        let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(settings.timeout));
        let agent = Agent::new_with_config(config.build());
        let weights = blake3::hash(format!("remote {}", settings.model).as_bytes()).to_hex()[..16].to_owned();
        let id = ModelId { name: settings.model.clone(), dimensions: 0, weights };
        let mut encoder = RemoteEncoder { settings, agent, id };
        let probe = probe(&encoder)?;
        encoder.id.dimensions = probe.first().map_or(0, Vec::len) as u32;
        if encoder.id.dimensions == 0 {
            return Err(encoder.unusable("answered with an empty vector: check that the model makes embeddings"));
        }
        Ok(encoder)
    }

    /// Encodes batch by batch. A text whose batch failed has no vector, and the failures say which they are.
    pub fn encode_batches(&self, texts: &[&str]) -> (Vec<Option<Vec<f32>>>, Vec<FailedBatch>) {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut failed = Vec::new();
        for batch in texts.chunks(self.settings.batch.max(1)) {
            let texts = vectors.len()..vectors.len() + batch.len();
            match self.request(batch) {
                Ok(made) => vectors.extend(made.into_iter().map(Some)),
                Err(error) => {
                    vectors.resize(texts.end, None);
                    failed.push(FailedBatch { texts, error });
                }
            }
        }
        (vectors, failed)
    }

    /// One batch, as often as the settings allow.
    fn request(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let attempts = self.settings.attempts.max(1);
        let mut pause = self.settings.first_pause;
        for attempt in 1.. {
            let failure = match self.attempt(texts, None) {
                Ok(vectors) => return Ok(vectors),
                Err(failure) => failure,
            };
            if !failure.passes {
                return Err(self.unusable(&failure.what));
            }
            if attempt >= attempts {
                let what = format!("{} ({attempt} attempts): try again later", failure.what);
                return Err(ModelError::Unavailable(self.said(&what)));
            }
            thread::sleep(failure.asked.unwrap_or(pause).min(self.settings.longest_pause));
            pause = (pause * 2).min(self.settings.longest_pause);
        }
        unreachable!("the last attempt returns")
    }

    /// One batch in one attempt.
    fn request_once(&self, texts: &[&str], limit: Duration) -> Result<Vec<Vec<f32>>, ModelError> {
        self.attempt(texts, Some(limit)).map_err(|failure| {
            let what = self.said(&failure.what);
            if failure.passes { ModelError::Unavailable(what) } else { ModelError::Unusable(what) }
        })
    }

    fn attempt(&self, texts: &[&str], limit: Option<Duration>) -> Result<Vec<Vec<f32>>, Failure> {
        // Services refuse a text of nothing.
        let input: Vec<&str> = texts.iter().map(|text| if text.is_empty() { " " } else { text }).collect();
        let question = Question { model: &self.settings.model, input: &input, encoding_format: "float" };
        let mut request = self.agent.post(format!("{}/embeddings", self.settings.url.trim_end_matches('/')));
        if let Some(key) = &self.settings.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        if let Some(limit) = limit {
            request = request.config().timeout_global(Some(limit)).build();
        }
        let started = Instant::now();
        let mut response = request.send_json(&question).map_err(|error| Failure::transport(&error, started))?;
        let (status, asked) = (response.status().as_u16(), retry_after(&response));
        let body = response.body_mut().with_config().limit(ANSWER_BYTES).read_to_vec();
        let body = body.map_err(|error| Failure::transport(&error, started))?;
        if status != 200 {
            return Err(Failure::status(status, asked, &body));
        }
        let answer: Answer = serde_json::from_slice(&body)
            .map_err(|error| Failure::last(format!("answered with something else ({error})")))?;
        self.vectors(answer, texts.len()).map_err(Failure::last)
    }

    /// Vectors in the order of the texts, each of the length that the first had.
    fn vectors(&self, answer: Answer, count: usize) -> Result<Vec<Vec<f32>>, String> {
        if answer.data.len() != count {
            return Err(format!("answered with {} vectors for {count} texts", answer.data.len()));
        }
        let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); count];
        for (place, embedding) in answer.data.into_iter().enumerate() {
            let mut vector = embedding.embedding;
            let length = if self.id.dimensions == 0 { vector.len() } else { self.id.dimensions as usize };
            if vector.len() != length {
                return Err(format!("answered with a vector of {} numbers instead of {length}", vector.len()));
            }
            normalise(&mut vector);
            if !vector.iter().all(|x| x.is_finite()) {
                return Err("answered with numbers that are not finite".to_owned());
            }
            let index = embedding.index.unwrap_or(place);
            match vectors.get_mut(index) {
                Some(slot) if slot.is_empty() => *slot = vector,
                _ => return Err(format!("answered twice or out of range for text {index}")),
            }
        }
        Ok(vectors)
    }

    fn said(&self, what: &str) -> String {
        format!("embeddings service {} (model {}) {what}", self.settings.url, self.settings.model)
    }

    fn unusable(&self, what: &str) -> ModelError {
        ModelError::Unusable(self.said(what))
    }
}

impl DenseEncoder for RemoteEncoder {
    fn id(&self) -> &ModelId {
        &self.id
    }

    /// All or nothing; [`RemoteEncoder::encode_batches`] keeps the batches that passed. How many texts the service cut it does not say.
    fn encode(&self, texts: &[&str]) -> Result<Encoded<Vec<f32>>, ModelError> {
        let (vectors, failed) = self.encode_batches(texts);
        if let Some(first) = failed.first() {
            let count: usize = failed.iter().map(|batch| batch.texts.len()).sum();
            let what = format!("{count} of {} texts were not encoded: {}", texts.len(), first.error);
            let passes = failed.iter().all(|batch| matches!(batch.error, ModelError::Unavailable(_)));
            return Err(if passes { ModelError::Unavailable(what) } else { ModelError::Unusable(what) });
        }
        Ok(Encoded { entries: vectors.into_iter().flatten().collect(), truncated: 0 })
    }

    fn encode_within(&self, texts: &[&str], limit: Duration) -> Result<Encoded<Vec<f32>>, ModelError> {
        Ok(Encoded { entries: self.request_once(texts, limit)?, truncated: 0 })
    }
}

impl Failure {
    /// One that another attempt would meet again.
    fn last(what: String) -> Failure {
        Failure { what, passes: false, asked: None }
    }

    fn transport(error: &ureq::Error, started: Instant) -> Failure {
        let lasting = matches!(
            error,
            ureq::Error::BadUri(_)
                | ureq::Error::Http(_)
                | ureq::Error::BodyExceedsLimit(_)
                | ureq::Error::TooManyRedirects
        );
        let what =
            format!("cannot be reached ({error}, after {:.1} s): check the address", started.elapsed().as_secs_f32());
        Failure { what, passes: !lasting, asked: None }
    }

    fn status(status: u16, asked: Option<Duration>, body: &[u8]) -> Failure {
        let remedy = match status {
            401 | 403 => ": check the key",
            404 => ": check the address and the model's name",
            _ => "",
        };
        let passes = matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504);
        Failure { what: format!("answered {status}{}{remedy}", reason(body)), passes, asked }
    }
}

/// The pause that a busy service asks for, in whole seconds.
fn retry_after(response: &ureq::http::Response<ureq::Body>) -> Option<Duration> {
    let seconds = response.headers().get("retry-after")?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// What the service says of its refusal, in brief.
fn reason(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let json: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    let message = json.as_ref().and_then(|json| json["error"]["message"].as_str().or_else(|| json["error"].as_str()));
    let brief: String = message.unwrap_or(&text).trim().chars().take(200).collect();
    if brief.is_empty() { brief } else { format!(" \"{brief}\"") }
}
