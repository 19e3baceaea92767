//! `cds watch`

use std::sync::atomic::Ordering;
use std::time::Duration;

use cds_engine::{BuildReport, Engine, Error, ErrorKind, Hooks, WatchEnd, WatchEvent, WatchOptions, counted};
use serde_json::{Value, json};

use super::{Context, Done, Stop, index, print};
use crate::args::{Common, Format, WatchArgs};
use crate::{exit, output, progress, render};

pub(crate) fn run(context: &Context, common: &Common, args: &WatchArgs) -> Done {
    let is_json = matches!(context.format, Format::Json | Format::Jsonl);
    let mut closed = None;
    let mut tell = |engine: &Engine, event: WatchEvent| {
        if let Err(stop) = say(engine, &event, is_json) {
            // Nobody listens any more.
            closed = Some(stop);
            progress::interrupted().store(true, Ordering::Relaxed);
        }
    };
    let mut reopened: Option<Engine> = None;
    loop {
        let engine = reopened.as_ref().unwrap_or(&context.engine);
        match first_look(engine) {
            Ok(Some(report)) if !is_json => output::say(&index::summary(&report)),
            Ok(_) => {}
            Err(e) if e.kind == ErrorKind::Cancelled => return Ok(exit::FOUND),
            // There may be something to index later.
            Err(e) if e.kind == ErrorKind::NotReady => tell(engine, WatchEvent::Failed(&e)),
            Err(e) => return Err(e.into()),
        }
        // Who started it has answered once; nobody may be there to answer again.
        let hooks = Hooks {
            cancel: progress::interrupted(),
            approve: &|_| progress::approves_all(),
            early: true,
            ..Hooks::default()
        };
        match engine.watch(&options(engine, args), &hooks, &mut |event| tell(engine, event)) {
            WatchEnd::Stopped => break,
            WatchEnd::Settings => match super::open(common, engine.root(), None, Some(&args.effort)) {
                Ok(engine) => reopened = Some(engine),
                // Half-written settings: those in force hold until they are whole.
                Err(e) => {
                    tell(engine, WatchEvent::Failed(&e));
                    std::thread::sleep(Duration::from_millis(500));
                }
            },
        }
    }
    match closed {
        Some(stop) => Err(stop),
        None => Ok(exit::FOUND),
    }
}

fn first_look(engine: &Engine) -> Result<Option<BuildReport>, Error> {
    progress::with_bar(engine, |engine, hooks| engine.update(false, &Hooks { early: true, ..*hooks }))
}

fn options(engine: &Engine, args: &WatchArgs) -> WatchOptions {
    let config = engine.config();
    let quiet = Duration::from_millis(config.number("watch.debounce_ms"));
    let poll = args.poll.unwrap_or_else(|| config.number("watch.poll"));
    WatchOptions { quiet, at_most: quiet * 4, poll: (poll > 0).then(|| Duration::from_secs(poll)) }
}

fn say(engine: &Engine, event: &WatchEvent, is_json: bool) -> Result<(), Stop> {
    if is_json {
        return object(engine, event).map_or(Ok(()), |object| print(&render::json::line(&object)));
    }
    if let Some(sentence) = sentence(engine, event) {
        output::say(&sentence);
    }
    Ok(())
}

fn sentence(engine: &Engine, event: &WatchEvent) -> Option<String> {
    let root = engine.root().display();
    Some(match event {
        WatchEvent::Watching { files, folders } => {
            format!("watching {root}: {} in {}", counted(*files, "file"), counted(*folders, "folder"))
        }
        WatchEvent::Polling { reason, every } => {
            format!("cds: {reason}: looking for changes every {} s instead", every.as_secs())
        }
        WatchEvent::Unchanged => return None,
        WatchEvent::Updated(BuildReport { parsed, removed, seconds, .. }) => match (parsed, removed) {
            (0, removed) => format!("removed {} in {seconds:.2} s", counted(*removed, "file")),
            (parsed, 0) => format!("updated {} in {seconds:.2} s", counted(*parsed, "file")),
            (parsed, removed) => {
                format!("updated {}, removed {removed} in {seconds:.2} s", counted(*parsed, "file"))
            }
        },
        WatchEvent::Failed(error) => format!("cds: {error} (the next change, or a moment, brings another attempt)"),
        WatchEvent::RootGone => format!("cds: {root} is gone: waiting until it comes back"),
        WatchEvent::RootBack => format!("{root} is back"),
    })
}

fn object(engine: &Engine, event: &WatchEvent) -> Option<Value> {
    let root = engine.root().display().to_string();
    Some(match event {
        WatchEvent::Unchanged => return None,
        WatchEvent::Watching { files, folders } => {
            json!({"event": "watching", "root": root, "files": files, "folders": folders})
        }
        WatchEvent::Polling { reason, every } => {
            json!({"event": "polling", "reason": reason, "seconds": every.as_secs()})
        }
        WatchEvent::Updated(report) => json!({
            "event": "updated", "files": report.files, "parsed": report.parsed, "reused": report.reused,
            "removed": report.removed, "problems": report.problems, "seconds": report.seconds,
        }),
        WatchEvent::Failed(error) => json!({"event": "failed", "message": error.message}),
        WatchEvent::RootGone => json!({"event": "root_gone", "root": root}),
        WatchEvent::RootBack => json!({"event": "root_back", "root": root}),
    })
}
