//! A daemon in a process of its own, and the least of clients that can ask it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fixture::Project;

/// Longer than any machine needs.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// `cds serve` on a free port.
pub(crate) struct Service {
    child: Child,
    pub(crate) address: String,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

impl Service {
    /// Starts it and waits until every project can be asked.
    pub(crate) fn start(project: &Project, args: &[&str]) -> Service {
        Service::start_with(project, args, &[])
    }

    pub(crate) fn start_with(project: &Project, args: &[&str], env: &[(&str, &str)]) -> Service {
        let mut command = project.command(&[&["serve", "--port", "0"], args].concat());
        command.envs(env.iter().copied());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the binary starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("it says where it listens");
        let address = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| panic!("{line:?}")).to_owned();
        let service = Service { child, address };
        let until = Instant::now() + PATIENCE;
        let headers: Vec<(&str, String)> = env
            .iter()
            .filter(|(n, _)| *n == "CDS_TOKEN")
            .map(|(_, v)| ("Authorization", format!("Bearer {v}")))
            .collect();
        let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
        while service.send("GET", "/ready", &headers, b"").status != 200 {
            assert!(Instant::now() < until, "it is not ready");
            std::thread::sleep(Duration::from_millis(20));
        }
        service
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        stream
    }

    /// One request on a connection of its own.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = self.connect();
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        // What is too large is refused before it is read.
        let _ = stream.write_all(format!("{head}\r\n").as_bytes()).and_then(|()| stream.write_all(body));
        read(stream)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, &[("Content-Type", "application/json")], body.to_string().as_bytes())
    }

    /// The result of a method, or its error.
    pub(crate) fn rpc(&self, method: &str, params: &Value) -> Result<Value, Value> {
        let answer =
            self.post("/rpc", &json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })).json();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)));
        match answer.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(answer["result"].clone()),
        }
    }

    pub(crate) fn is_alive(&self) -> bool {
        self.get("/health").status == 200
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }
}

/// All that comes until the other side closes.
pub(crate) fn read(mut stream: impl Read) -> Answer {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `cds mcp`, one message a line.
pub(crate) struct Mcp {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    next: u64,
    /// How long `initialize` took.
    pub(crate) greeting: Duration,
}

impl Mcp {
    pub(crate) fn start(project: &Project, args: &[&str]) -> Mcp {
        let mut command = project.command(&[&["mcp"], args].concat());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let (send, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = send
                    .send(serde_json::from_str(&line).unwrap_or_else(|e| json!({ "broken": format!("{e}: {line}") })));
            }
        });
        let stdin = child.stdin.take();
        let mut mcp = Mcp { child, stdin, lines, next: 0, greeting: Duration::ZERO };
        let started = Instant::now();
        let info = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "a test", "version": "1" },
        });
        let hello = mcp.ask("initialize", &info);
        assert_eq!(hello["result"]["serverInfo"]["name"], "cds", "{hello}");
        mcp.greeting = started.elapsed();
        mcp.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        mcp
    }

    fn say(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().expect("it is open").write_all(bytes).expect("it listens");
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let answer = self.lines.recv_timeout(PATIENCE).expect("it answers");
            assert!(answer.get("broken").is_none(), "{answer}");
            if answer["id"] == id {
                return answer;
            }
        }
    }

    /// What a tool answers.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        answer.get("result").cloned().unwrap_or_else(|| panic!("{answer}"))
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        self.stdin = None;
        let until = Instant::now() + Duration::from_secs(5);
        while Instant::now() < until {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
