//! Folders that a client says it works on: they are opened, and asked where a question names no project.
//!
//! The protocol will drop the question one day; clients of today still answer it. Until 2025 the server asks once the client has
//! introduced itself; since 2026 it may only answer a first call with the question, and is called again with the answer.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rmcp::RoleServer;
#[allow(deprecated)]
use rmcp::model::ListRootsRequest;
use rmcp::model::{CallToolRequestParams, InputRequest, InputRequiredResult, ProtocolVersion};
use rmcp::service::{NotificationContext, RequestContext};
use tokio::sync::RwLock;

use crate::doors::{Doors, blocking};

/// How long questions wait for a client that does not say where it works.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the question is called.
const ROOTS: &str = "roots";

/// The folders of one client.
#[derive(Default)]
pub(crate) struct Roots {
    /// Names of their projects; none: the client was not asked yet. Held while it is, so that questions wait for its answer.
    projects: RwLock<Option<Vec<String>>>,
    /// Whether the client was asked, whatever it said.
    asked: AtomicBool,
}

impl Roots {
    /// The project that is meant where none is named. The first question of a client that says where it works may overtake the
    /// introduction after which it is asked: then it waits.
    pub(crate) async fn only(&self, context: &RequestContext<RoleServer>) -> Option<String> {
        let says = context.client_capabilities().is_some_and(|can| can.roots.is_some());
        let until = Instant::now() + PATIENCE;
        while says && !self.asked.load(Ordering::Acquire) && self.projects.read().await.is_none() {
            if Instant::now() > until {
                self.asked.store(true, Ordering::Release);
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        match self.projects.read().await.as_deref() {
            Some([one]) => Some(one.clone()),
            _ => None,
        }
    }

    /// Asks a client that takes questions.
    #[allow(deprecated)]
    pub(crate) async fn ask(&self, doors: &Arc<Doors>, context: &NotificationContext<RoleServer>) {
        if context.peer.peer_info().is_none_or(|info| info.capabilities.roots.is_none()) {
            return;
        }
        let mut projects = self.projects.write().await;
        if let Ok(Ok(listed)) = tokio::time::timeout(PATIENCE, context.peer.list_roots()).await {
            *projects = Some(opened(doors, listed.roots.into_iter().map(|root| root.uri).collect()).await);
        }
        self.asked.store(true, Ordering::Release);
    }

    /// The question for a client that takes it only as an answer, and opens what it says when it calls again.
    #[allow(deprecated)]
    pub(crate) async fn answer(
        &self,
        doors: &Arc<Doors>,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Option<InputRequiredResult> {
        let is_asked_so = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        if !is_asked_so || context.client_capabilities().is_none_or(|can| can.roots.is_none()) {
            return None;
        }
        let mut projects = self.projects.write().await;
        if let Some(said) = &request.input_responses {
            let roots = said.get(ROOTS).and_then(|said| said["roots"].as_array()).into_iter().flatten();
            let uris = roots.filter_map(|root| root["uri"].as_str().map(str::to_owned)).collect();
            *projects = Some(opened(doors, uris).await);
        }
        let question = InputRequest::ListRoots(ListRootsRequest::default());
        projects.is_none().then(|| InputRequiredResult::from_input_requests([(ROOTS.to_owned(), question)].into()))
    }
}

/// Opens folders; the names of those that could be.
async fn opened(doors: &Arc<Doors>, uris: Vec<String>) -> Vec<String> {
    let doors = Arc::clone(doors);
    let open = move || {
        let paths = uris.iter().filter_map(|uri| uri.strip_prefix("file://").map(unescaped));
        let mut names: Vec<String> =
            paths.filter_map(|path| Some(doors.projects.open_around(&path).ok()?.name.clone())).collect();
        names.dedup();
        Ok(names)
    };
    blocking(open).await.unwrap_or_default()
}

/// A path as a URI writes it.
pub(crate) fn unescaped(text: &str) -> PathBuf {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let hex = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16));
        let mut ahead = rest.clone();
        match (byte, hex(ahead.next()), hex(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}
