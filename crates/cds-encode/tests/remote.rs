//! The embeddings protocol, against a server on the loopback that answers what such services answer.

#![cfg(feature = "remote")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use cds_encode::{DenseEncoder, RemoteEncoder, RemoteSettings};
use serde_json::Value;

/// A request as the server saw it.
#[derive(Clone, Debug)]
struct Seen {
    line: String,
    headers: Vec<String>,
    body: Value,
}

struct Server {
    url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Answers each request with what `answer` says: status, further headers, body.
    fn start(answer: impl Fn(usize, &Seen) -> (u16, &'static str, String) + Send + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1/", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        // The thread ends with the process: it holds nothing but its socket.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                let request = read(&stream);
                let number = log.lock().unwrap().len();
                let (status, headers, body) = answer(number, &request);
                log.lock().unwrap().push(request);
                let length = body.len();
                let head =
                    format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n");
                let _ = (&stream).write_all(format!("{head}connection: close\r\n{headers}\r\n{body}").as_bytes());
            }
        });
        Server { url, seen }
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    fn settings(&self) -> RemoteSettings {
        RemoteSettings {
            first_pause: Duration::from_millis(1),
            longest_pause: Duration::from_millis(5),
            batch: 2,
            ..RemoteSettings::new(&self.url, "tiny")
        }
    }
}

fn read(stream: &TcpStream) -> Seen {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let length = lines.iter().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    let line = lines.remove(0);
    Seen { line, headers: lines, body: serde_json::from_slice(&body).unwrap_or_default() }
}

/// A vector for each text, last text first, as the protocol allows: (its length, 4).
fn vectors(request: &Seen) -> (u16, &'static str, String) {
    let texts = request.body["input"].as_array().unwrap();
    let entry = |(index, text): (usize, &Value)| {
        let length = text.as_str().unwrap().len();
        format!(r#"{{"object":"embedding","index":{index},"embedding":[{length}.0,4.0]}}"#)
    };
    let data: Vec<String> = texts.iter().enumerate().rev().map(entry).collect();
    let usage = r#"{"prompt_tokens":1,"total_tokens":1}"#;
    (200, "", format!(r#"{{"object":"list","data":[{}],"model":"tiny","usage":{usage}}}"#, data.join(",")))
}

fn refusal(status: u16, message: &str) -> (u16, &'static str, String) {
    (status, "", format!(r#"{{"error":{{"message":"{message}","type":"x"}}}}"#))
}

#[test]
fn texts_go_in_batches_and_vectors_come_in_order() {
    let server = Server::start(|_, request| vectors(request));
    let encoder = RemoteEncoder::connect(RemoteSettings { key: Some("secret".into()), ..server.settings() }).unwrap();
    assert_eq!((encoder.id().name.as_str(), encoder.id().dimensions), ("tiny", 2));
    let found = encoder.encode(&["abc", "", "four"]).unwrap();
    let half = 0.5_f32.sqrt();
    let space = 17_f32.sqrt().recip();
    for (found, expected) in found.entries.iter().flatten().zip([0.6, 0.8, space, 4.0 * space, half, half]) {
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }
    assert_eq!((found.entries.len(), found.truncated), (3, 0));

    let seen = server.seen();
    let inputs: Vec<String> = seen.iter().map(|request| request.body["input"].to_string()).collect();
    assert_eq!(inputs, [r#"["code"]"#, r#"["abc"," "]"#, r#"["four"]"#]);
    for request in seen {
        assert_eq!(request.line, "POST /v1/embeddings HTTP/1.1");
        assert_eq!(request.body["model"], "tiny");
        let bearer = |line: &String| line.eq_ignore_ascii_case("authorization: Bearer secret");
        assert!(request.headers.iter().any(bearer), "{:?}", request.headers);
    }
}

#[test]
fn without_a_key_none_is_sent() {
    let server = Server::start(|_, request| vectors(request));
    RemoteEncoder::connect(server.settings()).unwrap();
    let named = |line: &String| line.to_lowercase().starts_with("authorization");
    assert!(!server.seen()[0].headers.iter().any(named));
}

#[test]
fn a_busy_service_is_asked_again() {
    let server = Server::start(|number, request| match number {
        // A long wait that is asked for is cut at the longest pause.
        0 => (429, "retry-after: 3600\r\n", String::new()),
        1 => refusal(503, "loading"),
        _ => vectors(request),
    });
    RemoteEncoder::connect(server.settings()).unwrap();
    assert_eq!(server.seen().len(), 3);
}

#[test]
fn attempts_are_bounded() {
    let server = Server::start(|_, _| refusal(500, "out of memory"));
    let error = RemoteEncoder::connect(server.settings()).unwrap_err().to_string();
    assert_eq!(server.seen().len(), 4);
    let expected = "(model tiny) answered 500 \"out of memory\" (4 attempts): try again later";
    assert!(error.ends_with(expected), "{error}");
}

#[test]
fn a_refusal_is_final_and_hides_the_key() {
    let server = Server::start(|_, _| refusal(401, "bad key"));
    let settings = RemoteSettings { key: Some("secret".into()), ..server.settings() };
    assert!(!format!("{settings:?}").contains("secret"));
    let error = RemoteEncoder::connect(settings).unwrap_err().to_string();
    assert_eq!(server.seen().len(), 1);
    assert!(error.ends_with("answered 401 \"bad key\": check the key"), "{error}");
    assert!(!error.contains("secret"));
}

#[test]
fn a_failed_batch_leaves_the_others() {
    let server = Server::start(|_, request| {
        let poisoned = request.body["input"].to_string().contains("poison");
        if poisoned { refusal(400, "too long") } else { vectors(request) }
    });
    let encoder = RemoteEncoder::connect(server.settings()).unwrap();
    let texts = ["a", "b", "c", "poison", "e"];
    let (found, failed) = encoder.encode_batches(&texts);
    let made: Vec<bool> = found.iter().map(Option::is_some).collect();
    assert_eq!(made, [true, true, false, false, true]);
    assert_eq!((failed.len(), failed[0].texts.clone()), (1, 2..4));
    assert!(failed[0].error.to_string().ends_with("answered 400 \"too long\""), "{}", failed[0].error);

    let error = encoder.encode(&texts).unwrap_err().to_string();
    assert!(error.starts_with("2 of 5 texts were not encoded: embeddings service"), "{error}");
}

#[test]
fn answers_are_checked() {
    let check = |data: &'static str, said: &str| {
        let server = Server::start(move |number, request| match number {
            0 => vectors(request),
            _ => (200, "", data.to_owned()),
        });
        let encoder = RemoteEncoder::connect(server.settings()).unwrap();
        let error = encoder.encode(&["a", "b"]).unwrap_err().to_string();
        assert!(error.contains(said), "{error:?} says nothing of {said:?}");
        assert_eq!(server.seen().len(), 2, "what was understood is not asked again");
    };
    check(r#"{"data":[{"index":0,"embedding":[1,2]}]}"#, "1 vectors for 2 texts");
    check(r#"{"data":[{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]}"#, "answered twice");
    check(r#"{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1]}]}"#, "1 numbers instead of 2");
    check("<html>", "something else");
}

#[test]
fn nobody_there() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let settings = RemoteSettings {
        attempts: 2,
        first_pause: Duration::from_millis(1),
        ..RemoteSettings::new(format!("http://127.0.0.1:{port}/v1"), "tiny")
    };
    let error = RemoteEncoder::connect(settings).unwrap_err().to_string();
    assert!(error.contains("cannot be reached") && error.contains("2 attempts"), "{error}");
}
