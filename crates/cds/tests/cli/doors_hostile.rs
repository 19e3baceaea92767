//! What is promised to whoever runs a service: who may ask, what they may see, and that no request harms it.

use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fixture::{Dice, Project, Run, asked};
use crate::service::{Mcp, PATIENCE, Service, read};

const TREE: &str = "//- src/a.py\ndef visible():\n    return 'here'\n";

fn json_type() -> (&'static str, &'static str) {
    ("Content-Type", "application/json")
}

#[test]
fn other_names_and_other_pages_are_turned_away() {
    let project = Project::new(TREE);
    let service = Service::start(&project, &["--allow-origin", "https://ide.example", "--allow-host", "code.example"]);
    let body = json!({ "query": "visible" }).to_string();
    let check = |headers: &[(&str, &str)], expect: u16| {
        let headers = [headers, &[json_type()]].concat();
        for path in ["/api/v1/search", "/rpc", "/mcp"] {
            let answer = service.send("POST", path, &headers, body.as_bytes());
            let is_refused = matches!(answer.status, 401 | 403 | 421);
            assert_eq!(if is_refused { answer.status } else { 200 }, expect, "{path} {headers:?}: {}", answer.body);
        }
    };
    check(&[], 200);
    check(&[("Host", "localhost")], 200);
    check(&[("Host", "code.example")], 200);
    check(&[("Host", "attacker.example")], 421);
    check(&[("Host", "")], 421);
    check(&[("Origin", "https://attacker.example")], 403);
    check(&[("Origin", "null")], 403);
    let shared =
        service.send("POST", "/api/v1/search", &[json_type(), ("Origin", "https://ide.example")], body.as_bytes());
    assert!(shared.head.contains("access-control-allow-origin: https://ide.example"), "{}", shared.head);
    assert!(!service.get("/health").head.contains("access-control"));
    // What a form of another site can send without asking is not taken.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let answer = service.send("POST", "/rpc", &[("Content-Type", kind)], body.as_bytes());
        assert_eq!(answer.status, 415, "{kind}");
    }
}

#[test]
fn a_token_is_asked_for_where_one_is_set_and_needed_for_other_machines() {
    let project = Project::new(TREE);
    let open = project.run(&Run { args: &["serve", "--port", "0", "--address", "0.0.0.0"], ..Run::default() });
    assert_eq!(open.code, 2, "{}", open.stderr);
    assert!(open.stderr.contains("CDS_TOKEN"), "{}", open.stderr);
    assert!(!project.path(".cds-index").exists(), "a server that does not start begins no index");
    let service = Service::start_with(&project, &[], &[("CDS_TOKEN", "a secret word")]);
    let status = |word: &str| {
        let headers = [json_type(), ("Authorization", word)];
        service.send("POST", "/api/v1/status", &headers, b"{}").status
    };
    assert_eq!(status("Bearer a secret word"), 200);
    assert_eq!(status("Bearer a secret wore"), 401);
    assert_eq!(status("Bearer "), 401);
    assert_eq!(status("a secret word"), 401);
    for path in ["/rpc", "/mcp", "/api/v1/search"] {
        assert_eq!(service.post(path, &json!({})).status, 401, "{path}");
    }
    for path in ["/metrics", "/api/openapi.json", "/api/docs", "/api/v1/projects"] {
        assert_eq!(service.get(path).status, 401, "{path}");
    }
    assert_eq!(service.get("/health").status, 200);
}

#[test]
fn nothing_outside_a_project_is_shown() {
    let project = Project::new(TREE);
    std::fs::write(project.home().join("secret.py"), "def secret_word():\n    return 'hidden'\n").unwrap();
    symlink(project.home(), project.path("src/link")).unwrap();
    symlink(project.home().join("secret.py"), project.path("src/linked.py")).unwrap();
    let service = Service::start(&project, &[]);
    let outside = project.home().join("secret.py").display().to_string();
    for id in [
        "../home/secret.py",
        "src/link/secret.py",
        "src/linked.py",
        "src/../../home/secret.py",
        outside.as_str(),
        "/etc/passwd",
    ] {
        for (operation, parameters) in [("retrieve", json!({ "ids": [id] })), ("outline", json!({ "path": id }))] {
            let answer = service.post(&format!("/api/v1/{operation}"), &parameters);
            assert!(
                !answer.body.contains("hidden") && !answer.body.contains("root:"),
                "{operation} {id}: {}",
                answer.body
            );
        }
    }
    let found = service.rpc("grep", &json!({ "pattern": "hidden" })).expect("it is answered");
    assert_eq!(found["total"], 0);
    // Only folders that are served, and what lies in them, can be opened.
    let open = |root: &str| service.post("/api/v1/projects", &json!({ "root": root })).status;
    assert_eq!(open(&project.home().display().to_string()), 400);
    assert_eq!(open("/etc"), 400);
    assert_eq!(open(&project.path("src/link").display().to_string()), 400);
    assert_eq!(open(&project.path("src").display().to_string()), 201);
    assert_eq!(service.post("/api/v1/search", &json!({ "query": "visible", "project": "/etc" })).status, 404);
}

#[test]
fn a_socket_is_for_its_owner_and_goes_with_the_service() {
    let project = Project::new(TREE);
    let path = project.home().join("cds.sock");
    let socket = path.display().to_string();
    let mut service = Service::start(&project, &["--socket", &socket]);
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let mut stream = UnixStream::connect(&path).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    assert_eq!(read(stream).status, 200);
    let second = project.cds(&["serve", "--port", "0", "--socket", &socket]);
    assert_eq!(second.code, 4, "{}", second.stderr);
    assert!(second.stderr.contains("in use"), "{}", second.stderr);
    // Asked to stop, it ends well.
    let id = service.child().id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let until = Instant::now() + PATIENCE;
    let status = loop {
        if let Some(status) = service.child().try_wait().unwrap() {
            break status;
        }
        assert!(Instant::now() < until, "it does not stop");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(status.success(), "{status}");
    assert!(!path.exists());
}

#[test]
fn what_is_too_large_or_too_slow_is_turned_away() {
    let project = Project::new(TREE);
    let service = Service::start(&project, &[]);
    let large = vec![b' '; 3 << 20];
    assert_eq!(service.send("POST", "/rpc", &[json_type()], &large).status, 413);
    let answer = service.send("GET", "/health", &[("X-Long", &"x".repeat(200_000))], b"");
    assert!(matches!(answer.status, 400 | 431 | 0), "{}", answer.status);
    // Half a request, and nothing more.
    let mut stream = service.connect();
    stream.write_all(b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{").unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let _ = stream.read_to_end(&mut Vec::new());
    // A head that never ends, and bodies that do not.
    let head = "Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
    let begun = ["GET /health HT", "POST /rpc HTTP/1.1\r\n", "POST /api/v1/search HTTP/1.1\r\n"];
    let mut slow = begun.map(|first| {
        let mut stream = service.connect();
        stream.write_all(first.as_bytes()).unwrap();
        stream.write_all(if first.ends_with('\n') { head.as_bytes() } else { b"" }).unwrap();
        stream
    });
    let started = Instant::now();
    for (stream, expect) in slow.iter_mut().zip(["", "HTTP/1.1 408", "HTTP/1.1 408"]) {
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.starts_with(expect.as_bytes()), "{}", String::from_utf8_lossy(&answer));
    }
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    assert!(service.is_alive());
}

/// A request that is nearly one.
pub(crate) fn damaged(dice: &mut Dice, whole: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len());
        match dice.below(6) {
            0 => bytes[at] = dice.below(256) as u8,
            1 => bytes.truncate(at),
            2 => bytes.insert(at, [b'{', b'[', b'"', 0xC3, 0xFF, 0, b'\\'][dice.below(7)]),
            3 => drop(bytes.drain(at..(at + dice.below(9)).min(bytes.len()))),
            4 => {
                let again = bytes[at..(at + 12).min(bytes.len())].to_vec();
                bytes.splice(at..at, again);
            }
            _ => bytes.splice(at..at, "[".repeat(200).into_bytes()).for_each(drop),
        }
        if bytes.is_empty() {
            bytes.push(b' ');
        }
    }
    bytes
}

/// The long form asks a thousand of each door: `CDS_MALFORMED=1000`.
#[test]
fn malformed_requests_get_clear_errors() {
    let count = asked("CDS_MALFORMED").unwrap_or(120);
    let project = Project::new(TREE);
    let service = Service::start(&project, &[]);
    let mut mcp = Mcp::start(&project, &[]);
    let mut dice = Dice(11);
    let whole = json!({
        "jsonrpc": "2.0", "id": 1, "method": "search",
        "params": { "query": "visible", "limit": 3, "path": ["src/**"], "lang": "python", "set": { "alpha": 0.5 } },
    });
    let parameters = whole["params"].to_string();
    for i in 0..count {
        let body = damaged(&mut dice, whole.to_string().as_bytes());
        let answer = service.send("POST", "/rpc", &[json_type()], &body);
        assert!(matches!(answer.status, 200 | 204), "{i}: {} {body:?}", answer.status);
        let body = damaged(&mut dice, parameters.as_bytes());
        let answer = service.send("POST", "/api/v1/search", &[json_type()], &body);
        assert!(matches!(answer.status, 200 | 400), "{i}: {} {} {body:?}", answer.status, answer.body);
        if answer.status == 400 {
            assert!(answer.json()["error"]["message"].as_str().is_some_and(|m| !m.is_empty()), "{}", answer.body);
        }
        let answer =
            service.send("POST", "/mcp", &[json_type(), ("Accept", "application/json, text/event-stream")], &body);
        assert!((400..500).contains(&answer.status), "{i}: {} {body:?}", answer.status);
        let mut line = damaged(&mut dice, whole.to_string().as_bytes());
        line.retain(|byte| *byte != b'\n');
        line.push(b'\n');
        mcp.write(&line);
    }
    assert!(service.is_alive());
    let told: Value = mcp.call("search_code", &json!({ "query": "visible" }));
    assert!(told["structuredContent"]["total"].as_u64() > Some(0), "{told}");
}

/// A service with a certificate of its own, where it listens, and what a client must know to trust it.
pub(crate) fn certified(project: &Project) -> (std::process::Child, String, rustls::ClientConfig) {
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (certificate, key) = (project.home().join("cert.pem"), project.home().join("key.pem"));
    std::fs::write(&certificate, cert.pem()).unwrap();
    std::fs::write(&key, signing_key.serialize_pem()).unwrap();
    let files = [certificate.display().to_string(), key.display().to_string()];
    let mut command = project.command(&["serve", "--port", "0", "--tls-cert", &files[0], "--tls-key", &files[1]]);
    let mut child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line).unwrap();
    let address = line.trim().strip_prefix("listening on https://").unwrap_or_else(|| panic!("{line}")).to_owned();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(rustls::pki_types::CertificateDer::from(cert.der().to_vec())).unwrap();
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    (child, address, config.with_root_certificates(roots).with_no_client_auth())
}

#[test]
fn nobody_on_the_way_can_read_along() {
    let project = Project::new(TREE);
    let (mut child, address, config) = certified(&project);
    let name = rustls::pki_types::ServerName::try_from("localhost").unwrap();
    let tls = rustls::ClientConnection::new(std::sync::Arc::new(config), name).unwrap();
    let stream = std::net::TcpStream::connect(&address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut stream = rustls::StreamOwned::new(tls, stream);
    stream.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let answer = read(stream);
    // In the clear nothing is told.
    let mut plain = std::net::TcpStream::connect(&address).unwrap();
    plain.set_read_timeout(Some(PATIENCE)).unwrap();
    plain.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let clear = read(plain);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(clear.status, 0, "{clear:?}");
    let [certificate, key] = ["cert.pem", "key.pem"].map(|file| project.home().join(file).display().to_string());
    let broken = project.cds(&["serve", "--port", "0", "--tls-cert", &key, "--tls-key", &certificate]);
    assert_eq!(broken.code, 2, "{}", broken.stderr);
}
