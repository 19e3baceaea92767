//! The health service. The process as a whole is the service without a name, and lives; ours by name is ready when every project can
//! be asked.

use std::sync::Arc;
use std::time::Duration;

use tokio_stream::wrappers::ReceiverStream;
use tonic::server::NamedService;
use tonic::{Request, Response, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server::Health;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

use super::Door;
use super::messages::cds_server::CdsServer;
use crate::doors::Doors;

/// How often it is looked for whoever watches.
const PACE: Duration = Duration::from_millis(500);

pub(super) struct Ready(pub(super) Arc<Doors>);

fn state(doors: &Doors, service: &str) -> Option<HealthCheckResponse> {
    let is_waiting = || doors.projects.all().iter().any(|project| project.state().state == "indexing");
    let status = match service {
        "" => ServingStatus::Serving,
        CdsServer::<Door>::NAME if is_waiting() => ServingStatus::NotServing,
        CdsServer::<Door>::NAME => ServingStatus::Serving,
        _ => return None,
    };
    Some(HealthCheckResponse { status: status.into() })
}

#[tonic::async_trait]
impl Health for Ready {
    async fn check(&self, request: Request<HealthCheckRequest>) -> Result<Response<HealthCheckResponse>, Status> {
        let name = &request.get_ref().service;
        let unknown = || Status::not_found(format!("service {name:?} is not here"));
        state(&self.0, name).map(Response::new).ok_or_else(unknown)
    }

    type WatchStream = ReceiverStream<Result<HealthCheckResponse, Status>>;

    async fn watch(&self, request: Request<HealthCheckRequest>) -> Result<Response<Self::WatchStream>, Status> {
        let name = request.into_inner().service;
        let doors = Arc::downgrade(&self.0);
        let (send, changes) = tokio::sync::mpsc::channel(1);
        tokio::spawn(async move {
            let mut told = None;
            while let Some(doors) = doors.upgrade() {
                let unknown = HealthCheckResponse { status: ServingStatus::ServiceUnknown.into() };
                let now = state(&doors, &name).unwrap_or(unknown);
                drop(doors);
                if told != Some(now) && send.send(Ok(now)).await.is_err() {
                    return;
                }
                told = Some(now);
                tokio::select! {
                    () = tokio::time::sleep(PACE) => {}
                    () = send.closed() => return,
                }
            }
        });
        Ok(Response::new(ReceiverStream::new(changes)))
    }
}
