//! Listens: on an address of this machine, on a Unix socket, with limits on who may linger.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tower::ServiceExt;

use crate::connections::{Connection, Connections};
use crate::doors::{Doors, Limits};
use crate::fault::{Fault, FaultKind};
use crate::guard::{Guard, MAX_HEAD};
use crate::http;
use crate::stall::StallLimit;

/// Where to listen.
#[derive(Clone, Debug, Default)]
pub struct Listen {
    /// An address; none: only the socket.
    pub address: Option<SocketAddr>,
    /// A Unix socket.
    pub socket: Option<PathBuf>,
    /// The certificate and the key that the address is served with, as PEM files; none: in the clear.
    pub tls: Option<(PathBuf, PathBuf)>,
}

impl Listen {
    /// Refuses an address that other machines can reach if no token is asked for. Callers check before they open projects: a
    /// server that will not start must not begin an index.
    pub fn check(&self, guard: &Guard) -> Result<(), Fault> {
        match self.address.filter(|a| !a.ip().is_loopback() && guard.token.is_none()) {
            None => Ok(()),
            Some(address) => Err(Fault::new(
                FaultKind::Invalid,
                format!(
                    "{address} can be reached from other machines: set a token in CDS_TOKEN, or listen on 127.0.0.1"
                ),
            )),
        }
    }
}

/// The socket beside an index.
pub(crate) const SOCKET: &str = "daemon.sock";

/// How long answers under way may take once the service is asked to stop.
const LAST_ANSWERS: Duration = Duration::from_secs(5);

/// Serves until `stop` comes. `told` learns where it listens.
pub async fn serve(
    doors: Arc<Doors>,
    guard: Guard,
    listen: &Listen,
    told: impl FnOnce(Option<SocketAddr>),
    stop: impl Future<Output = ()>,
) -> Result<(), Fault> {
    listen.check(&guard)?;
    let tcp = match listen.address {
        Some(address) => Some(TcpListener::bind(address).await.map_err(|e| {
            let hint = if e.kind() == std::io::ErrorKind::AddrInUse {
                ": choose another --port; 0 takes a free one"
            } else {
                ""
            };
            Fault::new(FaultKind::Io, format!("{address}: {e}{hint}"))
        })?),
        None => None,
    };
    let tls = match &listen.tls {
        Some((certificate, key)) => Some(acceptor_of(certificate, key)?),
        None => None,
    };
    let router = http::router(&doors, guard);
    let acceptor = Arc::new(Acceptor::new(router, doors.limits));
    let tcp_connections = Connections::new(doors.limits.connections);
    #[cfg(unix)]
    let unix_connections = acceptor.socket_connections();
    #[cfg(unix)]
    let unix = match &listen.socket {
        Some(path) => Some((unix_listener(path).await?, Socket(path.clone()))),
        None => None,
    };
    #[cfg(unix)]
    let (send, mut homes) = tokio::sync::mpsc::unbounded_channel::<Home>();
    #[cfg(unix)]
    let mut beside: Vec<(tokio::task::JoinHandle<()>, Home, Socket)> = Vec::new();
    #[cfg(unix)]
    doors.projects.tell(Box::new(move |project| {
        let home = Home { root: project.engine.root().to_owned(), path: project.engine.home().to_owned() };
        drop(send.send(home));
    }));
    told(tcp.as_ref().and_then(|tcp| tcp.local_addr().ok()));
    tokio::pin!(stop);
    loop {
        let by_tcp = async {
            match &tcp {
                Some(tcp) => tcp.accept().await.map(|(stream, _)| stream),
                None => std::future::pending().await,
            }
        };
        #[cfg(unix)]
        let by_socket = async {
            match &unix {
                Some((unix, _)) => unix.accept().await.map(|(stream, _)| stream),
                None => std::future::pending().await,
            }
        };
        #[cfg(not(unix))]
        let by_socket = std::future::pending::<std::io::Result<tokio::net::TcpStream>>();
        #[cfg(unix)]
        let new_home = homes.recv();
        #[cfg(not(unix))]
        let new_home = std::future::pending::<Option<Home>>();
        tokio::select! {
            () = &mut stop => break,
            home = new_home => {
                #[cfg(unix)]
                if let Some(home) = home {
                    beside.extend(listen_beside(home, &acceptor).await);
                }
                #[cfg(not(unix))]
                drop(home);
            },
            stream = by_tcp => match stream {
                Ok(stream) => {
                    let _ = stream.set_nodelay(true);
                    match &tls {
                        Some(tls) => acceptor.take_encrypted(stream, tls, &tcp_connections),
                        #[cfg(feature = "grpc")]
                        None => acceptor.take(stream, &tcp_connections),
                        #[cfg(not(feature = "grpc"))]
                        None => acceptor.take_http1(stream, &tcp_connections),
                    }
                }
                Err(_) => pause().await,
            },
            stream = by_socket => match stream {
                #[cfg(unix)]
                Ok(stream) => acceptor.take(stream, &unix_connections),
                #[cfg(not(unix))]
                Ok(stream) => acceptor.take(stream, &tcp_connections),
                Err(_) => pause().await,
            },
        }
    }
    drop(tcp);
    #[cfg(unix)]
    for (listening, _home, _socket) in beside {
        listening.abort();
        let _ = listening.await;
    }
    let acceptor = Arc::into_inner(acceptor).map(|acceptor| acceptor.graceful);
    if let Some(graceful) = acceptor {
        let _ = tokio::time::timeout(LAST_ANSWERS, graceful.shutdown()).await;
    }
    let _ = tokio::task::spawn_blocking(move || doors.close()).await;
    Ok(())
}

/// No descriptors are left, or the like: it passes.
async fn pause() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// Bytes of a head.
const HEAD: u32 = MAX_HEAD as u32;

struct Acceptor {
    router: Router,
    builder: auto::Builder<TokioExecutor>,
    graceful: GracefulShutdown,
    limits: Limits,
}

/// Connections of either version of HTTP, told apart by their first bytes: gRPC is on the same port.
#[cfg(feature = "grpc")]
fn builder(limits: Limits) -> auto::Builder<TokioExecutor> {
    /// Requests at once on one connection; a client that has more waits.
    const STREAMS: u32 = 128;
    /// How often a connection is asked whether somebody is there, and how long that may take: an open stream says nothing by itself.
    const PING: Duration = Duration::from_secs(30);
    let mut builder = http1(limits);
    let mut http2 = builder.http2();
    http2.timer(TokioTimer::new()).max_concurrent_streams(STREAMS).max_header_list_size(HEAD);
    http2.keep_alive_interval(PING).keep_alive_timeout(PING);
    builder
}

#[cfg(not(feature = "grpc"))]
fn builder(limits: Limits) -> auto::Builder<TokioExecutor> {
    http1(limits).http1_only()
}

fn http1(limits: Limits) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(HEAD as usize);
    builder
}

impl Acceptor {
    fn new(router: Router, limits: Limits) -> Acceptor {
        Acceptor { router, builder: builder(limits), graceful: GracefulShutdown::new(), limits }
    }

    /// Connections of one more socket.
    fn socket_connections(&self) -> Arc<Connections> {
        Connections::new(self.limits.socket_connections)
    }

    /// Answers on a connection of a listener; one too many is closed.
    fn take(&self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, all: &Arc<Connections>) {
        let Some(connection) = all.open() else { return };
        tokio::spawn(self.answer(stream, connection));
    }

    /// The same for a build without HTTP/2, which answers clients that speak it.
    #[cfg(not(feature = "grpc"))]
    fn take_http1(self: &Arc<Self>, mut stream: tokio::net::TcpStream, all: &Arc<Connections>) {
        let Some(connection) = all.open() else { return };
        let own = Arc::downgrade(self);
        let head = self.limits.head;
        tokio::spawn(async move {
            let refused = tokio::select! {
                refused = tokio::time::timeout(head, crate::http1_only::refused(&mut stream)) => refused,
                () = connection.closed() => return,
            };
            let (Ok(false), Some(own)) = (refused, own.upgrade()) else { return };
            let answered = own.answer(stream, connection);
            drop(own);
            answered.await;
        });
    }

    /// The same once both sides have agreed on keys, which must not take long either.
    fn take_encrypted(
        self: &Arc<Self>,
        stream: tokio::net::TcpStream,
        tls: &tokio_rustls::TlsAcceptor,
        all: &Arc<Connections>,
    ) {
        let Some(connection) = all.open() else { return };
        let (tls, own) = (tls.clone(), Arc::downgrade(self));
        tokio::spawn(async move {
            let agreed = tokio::select! {
                agreed = tokio::time::timeout(LAST_ANSWERS, tls.accept(stream)) => agreed,
                () = connection.closed() => return,
            };
            let (Ok(Ok(stream)), Some(own)) = (agreed, own.upgrade()) else { return };
            let answered = own.answer(stream, connection);
            drop(own);
            answered.await;
        });
    }

    /// Answers until the connection ends or must make room for another. Whoever has asked nothing within the time of a head is cut off:
    /// only HTTP/1 looks at that by itself, and not before its first byte.
    fn answer<I>(&self, stream: I, connection: Arc<Connection>) -> impl Future<Output = ()> + Send + use<I>
    where
        I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let asked = Arc::new(AtomicBool::new(false));
        let (seen, own, router) = (Arc::clone(&asked), Arc::clone(&connection), self.router.clone());
        let service = tower::service_fn(move |request: Request<Incoming>| {
            seen.store(true, Ordering::Relaxed);
            let (mut head, body) = request.into_parts();
            head.extensions.insert(own.client());
            let (received, body) = own.begin(body);
            let answer = router.clone().oneshot(Request::from_parts(head, body));
            async move {
                let answer = answer.await;
                drop(received);
                answer
            }
        });
        let served = self.builder.serve_connection(
            TokioIo::new(StallLimit::new(stream, self.limits.time)),
            TowerToHyperService::new(service),
        );
        let watched = self.graceful.watch(served.into_owned());
        let head = self.limits.head;
        async move {
            let answered = async {
                tokio::pin!(watched);
                let first = tokio::time::timeout(head, &mut watched).await;
                if first.is_err() && asked.load(Ordering::Relaxed) {
                    let _ = watched.await;
                }
            };
            tokio::select! {
                () = answered => {}
                () = connection.closed() => {}
            }
        }
    }
}

/// What a certificate and its key are served with.
fn acceptor_of(certificate: &Path, key: &Path) -> Result<tokio_rustls::TlsAcceptor, Fault> {
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::pem::PemObject;
    use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
    let unusable =
        |path: &Path, e: &dyn std::fmt::Display| Fault::new(FaultKind::Invalid, format!("{}: {e}", path.display()));
    let chain: Vec<CertificateDer> = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(|e| unusable(certificate, &e))?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|e| unusable(key, &e))?;
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    #[cfg_attr(not(feature = "grpc"), expect(unused_mut, reason = "nothing to agree on"))]
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(chain, secret))
        .map_err(|e| unusable(certificate, &e))?;
    // Clients of gRPC insist on agreeing on the version beforehand.
    #[cfg(feature = "grpc")]
    config.alpn_protocols.extend([b"h2".to_vec(), b"http/1.1".to_vec()]);
    Ok(Arc::new(config).into())
}

/// The index directory of a project. One in which nothing was ever published goes with the service.
struct Home {
    root: PathBuf,
    path: PathBuf,
}

impl Drop for Home {
    fn drop(&mut self) {
        cds_engine::remove_unused(&self.root, &self.path);
    }
}

/// A socket's file goes with its service.
struct Socket(PathBuf);

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Listens beside an index, where the command line looks for a service that keeps it. A folder that cannot hold a socket goes without.
#[cfg(unix)]
async fn listen_beside(home: Home, acceptor: &Arc<Acceptor>) -> Option<(tokio::task::JoinHandle<()>, Home, Socket)> {
    let (root, path) = (home.root.clone(), home.path.clone());
    tokio::task::spawn_blocking(move || cds_engine::prepare_home(&root, &path)).await.ok()?.ok()?;
    let path = home.path.join(SOCKET);
    let listener = unix_listener(&path).await.ok()?;
    let acceptor = Arc::clone(acceptor);
    let listening = tokio::spawn(async move {
        let connections = acceptor.socket_connections();
        loop {
            match listener.accept().await {
                Ok((stream, _)) => acceptor.take(stream, &connections),
                Err(_) => pause().await,
            }
        }
    });
    Some((listening, home, Socket(path)))
}

/// A socket that only its owner can use. One that nobody listens on any more is replaced.
#[cfg(unix)]
async fn unix_listener(path: &Path) -> Result<tokio::net::UnixListener, Fault> {
    use std::os::fd::AsFd;
    use std::os::unix::fs::PermissionsExt;
    /// Connections that wait to be taken.
    const BACKLOG: u32 = 1024;
    let io = |e: std::io::Error| Fault::new(FaultKind::Io, format!("{}: {e}", path.display()));
    if tokio::net::UnixStream::connect(path).await.is_ok() {
        let message = format!("{} is in use by another service", path.display());
        return Err(Fault::new(FaultKind::Busy, message));
    }
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|meta| {
        use std::os::unix::fs::FileTypeExt;
        meta.file_type().is_socket()
    });
    if is_socket {
        std::fs::remove_file(path).map_err(io)?;
    }
    let socket = tokio::net::UnixSocket::new_stream().map_err(io)?;
    let private = std::fs::Permissions::from_mode(0o600);
    // On Linux the file gets the permissions of the socket: others cannot connect in the moment before they are set.
    if let Ok(descriptor) = socket.as_fd().try_clone_to_owned() {
        let _ = std::fs::File::from(descriptor).set_permissions(private.clone());
    }
    socket.bind(path).map_err(io)?;
    std::fs::set_permissions(path, private).map_err(io)?;
    socket.listen(BACKLOG).map_err(io)
}
