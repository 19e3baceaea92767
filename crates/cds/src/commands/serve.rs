//! `cds serve` and `cds mcp`

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cds_engine::{Error, ErrorKind, find_root};
use cds_service::{Doors, Fault, FaultKind, Guard, Keeping, Limits, Listen, Registry, ToolSet};

use super::{Done, note, print};
use crate::args::{Common, McpArgs, ServeArgs, Tools};
use crate::output::Printable;
use crate::{exit, progress, render};

/// The word that other machines must show.
const TOKEN: &str = "CDS_TOKEN";

fn stopped(fault: Fault) -> Error {
    let kind = match fault.kind {
        FaultKind::Invalid => ErrorKind::Invalid,
        FaultKind::Busy => ErrorKind::Busy,
        FaultKind::Io => ErrorKind::Io,
        _ => ErrorKind::Internal,
    };
    Error { kind, message: fault.message }
}

/// The folders that were named, or the one that a search would look at.
fn roots(common: &Common, named: &[PathBuf]) -> Vec<PathBuf> {
    match (named, &common.root) {
        ([], None) => vec![find_root(Path::new("."))],
        ([], Some(root)) => vec![root.clone()],
        (named, _) => named.to_vec(),
    }
}

fn open(common: &Common, roots: &[PathBuf], keeping: Keeping, tools: Tools, log: bool) -> Result<Arc<Doors>, Error> {
    if common.index_dir.is_some() && roots.len() > 1 {
        let message =
            "--index-dir is for one project: leave it out, and each keeps its index in its own .cds-index".to_owned();
        return Err(Error { kind: ErrorKind::Invalid, message });
    }
    let index_dir = common.index_dir.as_ref().map(|dir| std::path::absolute(dir).unwrap_or_else(|_| dir.clone()));
    let log = log.then(|| -> cds_service::Log { Box::new(crate::output::log) });
    crate::memory::give_back();
    let tools = match tools {
        Tools::Default => ToolSet::Default,
        Tools::All => ToolSet::All,
    };
    let doors = Doors::new(Keeping { index_dir, approves: common.yes, ..keeping }, Limits::default(), tools, log);
    for root in roots {
        if let Err(fault) = doors.projects.open(root) {
            doors.close();
            return Err(stopped(fault));
        }
    }
    Ok(doors)
}

fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    let built = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    built.map_err(|e| Error { kind: ErrorKind::Internal, message: format!("threads could not be started: {e}") })
}

/// Ends when Ctrl-C comes, or the system asks.
async fn interrupted() {
    let cancel = progress::interrupted();
    #[cfg(unix)]
    let mut asked = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).ok();
    loop {
        let tick = tokio::time::sleep(std::time::Duration::from_millis(50));
        #[cfg(unix)]
        if let Some(asked) = &mut asked {
            tokio::select! {
                _ = asked.recv() => return,
                () = tick => {}
            }
        } else {
            tick.await;
        }
        #[cfg(not(unix))]
        tick.await;
        if cancel.load(std::sync::atomic::Ordering::Relaxed) {
            return;
        }
    }
}

fn listening(place: &str) -> Printable {
    render::plain(|out| out.line(format_args!("listening on {place}")))
}

pub(crate) fn run(common: &Common, args: &ServeArgs) -> Done {
    let roots = roots(common, &args.paths);
    let allowed = if args.allow_root.is_empty() { &roots } else { &args.allow_root };
    let mut allowed_roots = allowed.clone();
    allowed_roots.extend(roots.iter().cloned());
    let guard = Guard {
        token: std::env::var(TOKEN).ok().filter(|token| !token.trim().is_empty()),
        hosts: args.allow_host.clone(),
        origins: args.allow_origin.clone(),
    };
    let address = (!args.no_tcp).then(|| SocketAddr::new(args.address, args.port));
    let tls = args.tls_cert.clone().zip(args.tls_key.clone());
    let scheme = if tls.is_some() { "https" } else { "http" };
    let listen = Listen { address, socket: args.socket.clone(), tls };
    listen.check(&guard).map_err(stopped)?;
    let keeping = Keeping { allowed_roots, no_watch: args.no_watch, checks_index_dir: true, ..Keeping::default() };
    let doors = open(common, &roots, keeping, args.tools, args.log)?;
    if let Some(registry) = Registry::of_user(|name| std::env::var(name).ok()) {
        doors.projects.restore(registry, Box::new(note));
    }
    let told = |address: Option<SocketAddr>| {
        // On standard output, so that a program that starts us can read where to ask.
        if let Some(address) = address {
            let _ = print(&listening(&format!("{scheme}://{address}")));
        }
        if let Some(socket) = &args.socket {
            let _ = print(&listening(&socket.display().to_string()));
        }
        for root in &roots {
            note(&format!("serving {}", root.display()));
        }
    };
    runtime()?.block_on(cds_service::serve(doors, guard, &listen, told, interrupted())).map_err(stopped)?;
    Ok(exit::FOUND)
}

pub(crate) fn mcp(common: &Common, args: &McpArgs) -> Done {
    let takes_roots = args.paths.is_empty() && common.root.is_none();
    let roots = roots(common, &args.paths);
    let doors = open(common, &roots, Keeping { no_watch: args.no_watch, ..Keeping::default() }, args.tools, false)?;
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        tokio::select! {
            ended = cds_service::over_stdio(Arc::clone(&doors), takes_roots) => ended,
            () = interrupted() => Ok(()),
        }
    });
    // Whoever still reads standard input would keep us.
    runtime.shutdown_background();
    doors.close();
    ended.map_err(stopped)?;
    Ok(exit::FOUND)
}
