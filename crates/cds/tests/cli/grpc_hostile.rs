//! No request of HTTP/2 or gRPC harms a service: written by hand, because clients send none that are wrong.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::doors_hostile::{certified, damaged};
use crate::fixture::{Dice, Project, asked};
use crate::service::{PATIENCE, Service};

const TREE: &str = "//- src/a.py\ndef visible():\n    return 'here'\n";

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Kinds and flags of frames.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

fn frame(kind: u8, flags: u8, stream: u32, body: &[u8]) -> Vec<u8> {
    let mut frame = (body.len() as u32).to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(body);
    frame
}

/// Headers as literals, which need no table.
fn headers(stream: u32, path: &str) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", "localhost"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ] {
        block.extend([0, name.len() as u8]);
        block.extend(name.bytes());
        block.push(value.len() as u8);
        block.extend(value.bytes());
    }
    frame(HEADERS, END_HEADERS, stream, &block)
}

fn message(bytes: &[u8]) -> Vec<u8> {
    [&[0][..], &(bytes.len() as u32).to_be_bytes(), bytes].concat()
}

/// A search for what is there, as protobuf: field 1, a string.
fn visible() -> Vec<u8> {
    [&[0x0A, 7][..], b"visible"].concat()
}

/// A connection with one request.
fn request(path: &str, body: &[u8]) -> Vec<u8> {
    [PREFACE, &frame(SETTINGS, 0, 0, &[]), &headers(1, path), &frame(DATA, END_STREAM, 1, body)].concat()
}

/// A frame that came back.
#[derive(Debug)]
struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    body: Vec<u8>,
}

fn frames(bytes: &[u8]) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut rest = bytes;
    while rest.len() >= 9 {
        let length = u32::from_be_bytes([0, rest[0], rest[1], rest[2]]) as usize;
        let stream = u32::from_be_bytes([rest[5], rest[6], rest[7], rest[8]]);
        let Some(body) = rest.get(9..9 + length) else { break };
        frames.push(Frame { kind: rest[3], flags: rest[4], stream, body: body.to_vec() });
        rest = &rest[9 + length..];
    }
    frames
}

/// What comes until the first request is answered, the other side closes, or nothing more is said for so long.
fn heard(mut stream: impl Read) -> Vec<Frame> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(read) = stream.read(&mut buffer)
        && read > 0
    {
        bytes.extend(&buffer[..read]);
        let is_end = |f: &Frame| f.stream == 1 && (f.kind == RESET || f.kind <= HEADERS && f.flags & END_STREAM != 0);
        if frames(&bytes).iter().any(|frame| frame.kind == GOAWAY || is_end(frame)) {
            break;
        }
    }
    frames(&bytes)
}

fn exchange(service: &Service, bytes: &[u8], patience: Duration) -> Vec<Frame> {
    let mut stream = service.connect();
    stream.set_read_timeout(Some(patience)).expect("a time limit");
    // One that has heard enough closes before all is sent.
    let _ = stream.write_all(bytes);
    heard(stream)
}

/// Whether a message came, and not only why not.
fn is_answered(frames: &[Frame]) -> bool {
    frames.iter().any(|frame| (frame.kind, frame.stream) == (DATA, 1) && frame.body.len() > 5)
}

#[test]
fn what_is_no_message_is_refused_and_what_is_too_large_is_not_read() {
    let project = Project::new(TREE);
    let service = Service::start(&project, &[]);
    let search = |body: &[u8]| exchange(&service, &request("/cds.v1.Cds/Search", body), PATIENCE);
    let whole = message(&visible());
    assert!(is_answered(&search(&whole)));
    let is_refused = |body: &[u8]| {
        let frames = search(body);
        let is_said = |frame: &Frame| frame.stream == 1 && (frame.kind == HEADERS || frame.kind == RESET);
        assert!(frames.iter().any(is_said), "{frames:?}");
        !is_answered(&frames)
    };
    // No message, half a message, one that is compressed, one that is none, and one that says it is larger than it is.
    assert!(is_refused(b""));
    assert!(is_refused(&whole[..3]));
    assert!(is_refused(&whole[..9]));
    assert!(is_refused(&[&[1], &whole[1..]].concat()));
    assert!(is_refused(&message(b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF")));
    assert!(is_refused(&message(&[0x0A, 3, 0xFF, 0xFE, 0xFD])));
    assert!(is_refused(&[0, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3]));
    // Wrong types and fields that are not known, nested deep.
    assert!(is_refused(&message(&[0x08, 1])));
    assert!(is_refused(&message(&[0x0B; 4_000])));
    // More than a body may have, in frames that are as large as they may be.
    let large = message(&[[0x0A, 0x80, 0x80, 0x80, 1].as_slice(), &vec![b'a'; 2 << 20]].concat());
    let mut bytes = [PREFACE, &frame(SETTINGS, 0, 0, &[]), &headers(1, "/cds.v1.Cds/Search")].concat();
    large.chunks(16 << 10).for_each(|chunk| bytes.extend(frame(DATA, 0, 1, chunk)));
    assert!(!is_answered(&exchange(&service, &bytes, PATIENCE)));
    // Paths that are none.
    for path in ["/cds.v1.Cds/No", "/cds.v1.Cds/", "/cds.v1.Cds", "/no.Such/Thing", "/"] {
        assert!(!is_answered(&exchange(&service, &request(path, &whole), PATIENCE)), "{path}");
    }
    assert!(is_answered(&search(&whole)));
    assert!(service.is_alive());
}

/// The long form sends a thousand: `CDS_MALFORMED=1000`.
#[test]
fn damaged_frames_and_messages_harm_nobody() {
    let count = asked("CDS_MALFORMED").unwrap_or(200);
    let project = Project::new(TREE);
    let service = Service::start(&project, &[]);
    let mut dice = Dice(17);
    let whole = request("/cds.v1.Cds/Search", &message(&visible()));
    for i in 0..count {
        let bytes = match i % 3 {
            // The whole connection, all after the preface, or the message alone.
            0 => damaged(&mut dice, &whole),
            1 => [PREFACE, &damaged(&mut dice, &whole[PREFACE.len()..])].concat(),
            _ => request("/cds.v1.Cds/Search", &message(&damaged(&mut dice, &visible()))),
        };
        // Some are waited for: the rest of them never comes.
        exchange(&service, &bytes, Duration::from_millis(50));
    }
    assert!(is_answered(&exchange(&service, &whole, PATIENCE)));
    assert!(service.is_alive());
    assert!(service.rpc("search", &json!({ "query": "visible" })).is_ok());
}

#[test]
fn who_begins_and_does_not_end_is_cut_off() {
    let project = Project::new(TREE);
    let service = Service::start(&project, &[]);
    let half = &headers(1, "/cds.v1.Cds/Search")[..20];
    let started = Instant::now();
    let open: Vec<_> = [b"".as_slice(), b"PRI", PREFACE, &[PREFACE, &frame(SETTINGS, 0, 0, &[]), half].concat()]
        .into_iter()
        .map(|begun| {
            let mut stream = service.connect();
            stream.write_all(begun).expect("it listens");
            stream
        })
        .collect();
    let mut without_body = service.connect();
    let bytes = [PREFACE, &frame(SETTINGS, 0, 0, &[]), &headers(1, "/cds.v1.Cds/Search")].concat();
    without_body.write_all(&bytes).expect("it listens");
    for mut stream in open {
        let _ = stream.read_to_end(&mut Vec::new());
    }
    // A request whose body never comes is answered, and not waited for.
    let told = heard(without_body);
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    assert!(told.iter().any(|frame| (frame.kind, frame.stream) == (HEADERS, 1)), "it is cut off without a word");
    // Requests that are taken back as soon as they are made, again and again, end the connection and nothing else.
    let mut bytes = [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat();
    for i in 0..5_000 {
        let stream = 2 * i + 1;
        bytes.extend(headers(stream, "/cds.v1.Cds/Search"));
        bytes.extend(frame(RESET, 0, stream, &8_u32.to_be_bytes()));
    }
    let started = Instant::now();
    exchange(&service, &bytes, PATIENCE);
    assert!(started.elapsed() < PATIENCE / 2, "{:?}", started.elapsed());
    assert!(service.is_alive());
}

#[test]
fn nobody_on_the_way_can_read_along_here_either() {
    let project = Project::new(TREE);
    let (mut child, address, mut config) = certified(&project);
    config.alpn_protocols = vec![b"h2".to_vec()];
    let name = rustls::pki_types::ServerName::try_from("localhost").unwrap();
    let tls = rustls::ClientConnection::new(std::sync::Arc::new(config), name).unwrap();
    let stream = std::net::TcpStream::connect(&address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut stream = rustls::StreamOwned::new(tls, stream);
    stream.write_all(&request("/grpc.health.v1.Health/Check", &message(&[]))).unwrap();
    let told = heard(&mut stream);
    let agreed = stream.conn.alpn_protocol().map(<[u8]>::to_vec);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(agreed.as_deref(), Some(b"h2".as_slice()));
    assert!(is_answered(&told));
}
