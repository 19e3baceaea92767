//! Limits of a server that hold under load: hostile requests end, and others are answered meanwhile.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fixture::Project;
use crate::service::{PATIENCE, Service, read};

/// Time limit of an answer in these tests.
const LIMIT: Duration = Duration::from_secs(1);

/// Sources in which every byte begins another state of [`SLOW`]'s automaton, as long lines and as short ones.
fn project() -> Project {
    let project = Project::new("//- src/shop.py\ndef checkout(cart):\n    return total(cart)\n");
    let mut seed = 7u32;
    let mut coin = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if seed >> 16 & 1 == 0 { b'a' } else { b'b' }
    };
    for i in 0..6 {
        let text: Vec<u8> = (0..400_000).map(|at| if i % 2 == 0 && at % 100 == 99 { b'\n' } else { coin() }).collect();
        project.write(&format!("data/noise{i}.txt"), text);
    }
    project
}

/// Passes every limit on patterns and takes minutes for the project.
const SLOW: &str = "a[ab]{4000}c";

fn grep(pattern: &str) -> Value {
    json!({ "pattern": pattern })
}

fn status_field(service: &mut Service, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", service.child().id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_matches([':', '\t', ' ']).split_whitespace().next().unwrap().parse().unwrap()
}

/// Seconds of processor time so far.
fn processor_time(service: &mut Service) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", service.child().id())).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

/// Waits until the server has used less than a tenth of a core for half a second.
fn wait_idle(service: &mut Service, at_most: Duration) {
    let until = Instant::now() + at_most;
    loop {
        let before = processor_time(service);
        std::thread::sleep(Duration::from_millis(500));
        if processor_time(service) - before < 0.05 {
            return;
        }
        assert!(Instant::now() < until, "the server still works on requests that have ended");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn hostile_requests_end_and_do_not_starve_others() {
    let project = project();
    let limit = LIMIT.as_millis().to_string();
    let mut service = Service::start_with(&project, &[], &[("CDS_TIME_LIMIT_MS", &limit)]);
    let search = || service.post("/api/v1/search", &json!({ "query": "checkout cart", "limit": 3 }));
    assert_eq!(search().status, 200);
    let (slow, times) = std::thread::scope(|scope| {
        let hostile: Vec<_> = (0..8).map(|_| scope.spawn(|| service.post("/api/v1/grep", &grep(SLOW)))).collect();
        // These leave before they are answered.
        for _ in 0..8 {
            let body = grep(SLOW).to_string();
            let mut stream = service.connect();
            let head = format!(
                "POST /api/v1/grep HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                service.address,
                body.len()
            );
            stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        }
        let mut times: Vec<Duration> = Vec::new();
        while hostile.iter().any(|one| !one.is_finished()) && times.len() < 200 {
            let started = Instant::now();
            let answer = search();
            assert_eq!(answer.status, 200, "{}", answer.body);
            assert_eq!(answer.json()["hits"][0]["path"], "src/shop.py");
            times.push(started.elapsed());
        }
        (hostile.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>(), times)
    });
    for answer in &slow {
        // Each had its time, or was told to come back.
        let timed_out = answer.status == 200 && answer.json()["timed_out"] == true;
        let is_busy = answer.status == 503 && answer.head.contains("retry-after: 1");
        assert!(timed_out || is_busy, "{} {}", answer.status, answer.body);
    }
    let mut times = times;
    times.sort();
    let p95 = times[times.len() * 95 / 100];
    eprintln!("{} searches beside 16 hostile requests: p50 {:?}, p95 {p95:?}", times.len(), times[times.len() / 2]);
    assert!(p95 < Duration::from_secs(3), "{p95:?}");
    wait_idle(&mut service, 4 * LIMIT + Duration::from_secs(10));
    let peak = status_field(&mut service, "VmHWM") / 1024;
    eprintln!("peak memory {peak} MB");
    assert!(peak < 600, "{peak} MB");
}

#[cfg(target_os = "linux")]
#[test]
fn patterns_that_are_too_large_are_refused_at_once() {
    let project = Project::new("//- a.py\ndef a():\n    pass\n");
    let service = Service::start(&project, &[]);
    let check = |operation: &str, parameters: &Value, says: &str| {
        let started = Instant::now();
        let answer = service.post(&format!("/api/v1/{operation}"), parameters);
        assert_eq!(answer.status, 400, "{}", answer.body);
        assert!(answer.body.contains(says), "{}", answer.body);
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    };
    check("grep", &grep("a{1,1000}{1,1000}"), "expands to 1000000 states, the limit is 10000");
    check("grep", &grep(r"\p{L}{1000}"), "expands to 20000 states, the limit is 10000");
    let named = |name: &str| json!({ "query": "a", name: "/(a{100}){1000}/" });
    check("search", &named("node_name"), "expands to 100000 states, the limit is 10000");
    check("search", &named("parent_context"), "expands to 100000 states, the limit is 10000");
    check("search", &json!({ "query": "a", "path": "a".repeat(5_000) }), "at most 4096 bytes, not 5000");
    let many: Vec<String> = (0..900).map(|i| format!("{i:0>100}")).collect();
    check("search", &json!({ "query": "a", "exclude": many }), "all patterns together have at most 65536 bytes");
    let projects: Vec<String> = (0..300).map(|i| i.to_string()).collect();
    check("search", &json!({ "query": "a", "project": projects }), "expected at most 256 projects, received 300");
    let names: Vec<String> = (0..1_200).map(|i| i.to_string()).collect();
    check("traverse", &json!({ "from": names }), "the number of names must be between 1 and 1000, not 1200");
}

#[test]
fn malformed_and_oversized_heads_are_refused_at_once() {
    let project = Project::new("//- a.py\ndef a():\n    pass\n");
    let service = Service::start(&project, &[]);
    let check = |head: &str, expect: u16| {
        let mut stream = service.connect();
        let started = Instant::now();
        let _ = stream.write_all(head.as_bytes());
        let answer = read(stream);
        let shown: String = head.chars().take(80).collect();
        assert_eq!(answer.status, expect, "{shown:?}: {}", answer.body);
        assert!(started.elapsed() < Duration::from_secs(5), "{shown:?} took {:?}", started.elapsed());
    };
    let host = format!("Host: {}\r\nConnection: close\r\n", service.address);
    check(&format!("GET /health HTTP/1.1\r\n{host}\r\n"), 200);
    check(&format!("GET /health HTTP/1.1\r\n{host}{host}\r\n"), 400);
    check(&format!("GET /health HTTP/1.1\r\n{host}Host: localhost\r\n\r\n"), 400);
    check(&format!("GET /health HTTP/1.1\r\n{host}X-Long: {}\r\n\r\n", "x".repeat(70_000)), 431);
    let many: String = (0..70).map(|i| format!("X-{i}: {}\r\n", "x".repeat(1_000))).collect();
    check(&format!("GET /health HTTP/1.1\r\n{host}{many}\r\n"), 431);
    for path in ["/rpc", "/api/v1/search", "/mcp", "/health"] {
        let large = "Content-Type: application/json\r\nContent-Length: 99000000000\r\n";
        check(&format!("POST {path} HTTP/1.1\r\n{host}{large}\r\n{{"), 413);
    }
}

/// Held by tests that open many connections: together they would need more descriptors than a process has.
static MANY_CONNECTIONS: Mutex<()> = Mutex::new(());

/// Whether a new connection to the socket is answered.
fn answers_on(socket: &std::path::Path) -> bool {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let sent = stream.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    sent.is_ok() && read(stream).status == 200
}

/// A complete head and the first byte of the body that it announces.
fn half_sent_body(path: &str) -> String {
    let kind = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    format!("POST {path} HTTP/1.1\r\nHost: localhost\r\n{kind}Content-Length: 1000000\r\n\r\n{{")
}

#[test]
fn half_sent_bodies_lock_nobody_out() {
    let _alone = MANY_CONNECTIONS.lock();
    let project = Project::new("//- a.py\ndef a():\n    pass\n");
    let socket = project.home().join("cds.sock");
    let service = Service::start(&project, &["--socket", socket.to_str().unwrap()]);
    let paths = ["/rpc", "/api/v1/search", "/mcp"];
    let mut by_tcp = Vec::new();
    let mut by_socket = Vec::new();
    for i in 0..600 {
        let mut stream = service.connect();
        let _ = stream.write_all(half_sent_body(paths[i % 3]).as_bytes());
        by_tcp.push(stream);
    }
    for i in 0..200 {
        let mut stream = UnixStream::connect(&socket).unwrap();
        let _ = stream.write_all(half_sent_body(paths[i % 3]).as_bytes());
        by_socket.push(stream);
    }
    // All heads have been read.
    std::thread::sleep(Duration::from_secs(1));
    let started = Instant::now();
    for i in 0..20 {
        assert!(service.is_alive(), "{i}");
        assert!(answers_on(&socket), "{i}");
    }
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
}

/// Bytes that keep coming do not extend the time of a body.
#[test]
fn a_body_must_arrive_in_time_on_every_path() {
    let project = Project::new("//- a.py\ndef a():\n    pass\n");
    let service = Service::start(&project, &[]);
    std::thread::scope(|scope| {
        for path in ["/rpc", "/api/v1/search", "/mcp"] {
            let service = &service;
            scope.spawn(move || {
                let mut stream = service.connect();
                stream.write_all(half_sent_body(path).as_bytes()).unwrap();
                stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
                let (started, mut answer) = (Instant::now(), [0; 12]);
                let got = loop {
                    let _ = stream.write_all(b" ");
                    match stream.read(&mut answer) {
                        Err(_) if started.elapsed() < Duration::from_secs(30) => {}
                        got => break got,
                    }
                };
                let status = String::from_utf8_lossy(&answer);
                assert!(got.is_ok() && status == "HTTP/1.1 408", "{path}: {got:?} {status:?}");
            });
        }
    });
}

/// Passes every limit on patterns and takes long to compile.
const COSTLY: &str = "(?:a?){4000}a{4000}z|(?:[xy]?){900}zq";

/// Sends a grep and does not wait for the answer.
fn begin_grep(service: &Service, pattern: &str) -> TcpStream {
    let body = grep(pattern).to_string();
    let head = "POST /api/v1/grep HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length";
    let mut stream = service.connect();
    let _ = stream.write_all(format!("{head}: {}\r\n\r\n{body}", body.len()).as_bytes());
    stream
}

/// How long a cheap grep takes.
fn cheap_grep(service: &Service) -> Duration {
    let started = Instant::now();
    let answer = service.post("/api/v1/grep", &grep("def checkout"));
    assert_eq!((answer.status, &answer.json()["total"]), (200, &json!(1)), "{}", answer.body);
    started.elapsed()
}

#[test]
fn costly_patterns_do_not_delay_cheap_ones() {
    let project = project();
    let service = Service::start(&project, &[]);
    cheap_grep(&service);
    for patterns in [[COSTLY, COSTLY], [COSTLY, SLOW]] {
        let _costly: Vec<TcpStream> = (0..40).map(|i| begin_grep(&service, patterns[i % 2])).collect();
        std::thread::sleep(Duration::from_millis(500));
        let times: Vec<Duration> = (0..5).map(|_| cheap_grep(&service)).collect();
        eprintln!("cheap greps beside 40 costly ones: {times:?}");
        assert!(times.iter().all(|time| *time < Duration::from_secs(3)), "{times:?}");
    }
}

/// Requests that wait do not keep all connections busy.
#[test]
fn a_flood_of_costly_requests_locks_nobody_out() {
    let _alone = MANY_CONNECTIONS.lock();
    let project = project();
    let service = Service::start(&project, &[]);
    let open: Vec<TcpStream> = (0..600).map(|_| begin_grep(&service, SLOW)).collect();
    for _ in 0..5 {
        let time = cheap_grep(&service);
        assert!(time < Duration::from_secs(3), "{time:?}");
    }
    // Those that could not wait were told so.
    let mut last = open.last().unwrap();
    let mut answer = [0; 4_096];
    let length = last.read(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer[..length]);
    assert!(
        answer.starts_with("HTTP/1.1 503") && answer.contains("too many requests with costly patterns"),
        "{answer}"
    );
}

#[test]
fn half_open_connections_lock_nobody_out() {
    let _alone = MANY_CONNECTIONS.lock();
    let project = Project::new("//- a.py\ndef a():\n    pass\n");
    let socket = project.home().join("cds.sock");
    let service = Service::start(&project, &["--socket", socket.to_str().unwrap()]);
    // More than may be open at once, which is 512; fewer than the descriptors a test has.
    let open: Vec<TcpStream> = (0..700)
        .map(|i| {
            let mut stream = service.connect();
            if i % 2 == 0 {
                let _ = stream.write_all(b"GET /health HTTP/1.1\r\nHost: loc");
            }
            stream
        })
        .collect();
    let started = Instant::now();
    for _ in 0..20 {
        assert!(service.is_alive());
        assert!(answers_on(&socket));
    }
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    // Those that were idle longest have made room.
    let mut closed = 0;
    for mut stream in open {
        stream.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        closed += usize::from(matches!(stream.read(&mut [0; 64]), Ok(0)));
    }
    assert!(closed >= 150, "{closed} of 700 were closed");
}

#[test]
fn a_client_does_not_learn_which_folders_exist() {
    let project = Project::new("//- a.py\ndef a():\n    pass\n");
    let service = Service::start(&project, &[]);
    let open = |path: &str| {
        let answer = service.post("/api/v1/projects", &json!({ "root": path }));
        (answer.status, answer.body.replace(path, "PATH"))
    };
    let exists = project.home().display().to_string();
    let file = project.home().join("file");
    std::fs::write(&file, "").unwrap();
    let refused = open(&exists);
    assert_eq!(refused.0, 400, "{}", refused.1);
    assert_eq!(open(&format!("{exists}/none")), refused);
    assert_eq!(open(&file.display().to_string()), refused);
    assert_eq!(open(&format!("{}/none", project.root().display())), refused);
}

#[test]
fn paths_with_dot_components_are_refused_without_being_looked_up() {
    let project = Project::new("//- src/a.py\ndef a():\n    pass\n");
    std::fs::create_dir_all(project.home().join("exists")).unwrap();
    let service = Service::start(&project, &[]);
    let root = project.root().canonicalize().unwrap().display().to_string();
    let home = project.home().canonicalize().unwrap().display().to_string();
    let name = project.home().file_name().unwrap().to_string_lossy().into_owned();
    let up = "/..".repeat(home.matches('/').count() + 1);
    let paths = |folder: &str| {
        [
            format!("{home}/{folder}{up}{root}/src"),
            format!("{root}/../{name}/{folder}{up}{root}"),
            format!("{root}/./src/{folder}/.."),
            format!("src/../../{name}/{folder}/../.."),
        ]
    };
    for (exists, missing) in paths("exists").into_iter().zip(paths("missing")) {
        let open = |path: &str| {
            let answer = service.post("/api/v1/projects", &json!({ "root": path }));
            (answer.status, answer.body.replace(path, "PATH"))
        };
        assert_eq!(open(&exists), open(&missing), "{exists}");
        assert_eq!(open(&exists).0, 400, "{exists}");
        let ask = |path: &str| {
            let answer = service.post("/api/v1/status", &json!({ "project": path }));
            (answer.status, answer.body.replace(path, "PATH"))
        };
        assert_eq!(ask(&exists), ask(&missing), "{exists}");
        assert_eq!(ask(&exists).0, 404, "{exists}");
    }
    // Relative paths depend on where the service was started.
    assert_eq!(service.post("/api/v1/projects", &json!({ "root": "src" })).status, 400);
    // A path in a project names it, whether or not there is such a file: clients do not learn of files that are not indexed.
    for path in ["src", "src/a.py", "missing"] {
        let answer = service.post("/api/v1/status", &json!({ "project": format!("{root}/{path}") }));
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    }
    assert_eq!(service.post("/api/v1/projects", &json!({ "root": format!("{root}/src") })).status, 201);
}

#[test]
fn a_project_that_a_client_opens_does_not_change_the_default() {
    let project = Project::new("//- src/a.py\ndef a():\n    pass\n//- b.py\ndef b():\n    pass\n");
    let service = Service::start(&project, &[]);
    let root = project.root().canonicalize().unwrap().display().to_string();
    let files = || service.post("/api/v1/status", &json!({})).json()["files"].clone();
    assert_eq!(files(), 2);
    assert_eq!(service.post("/api/v1/projects", &json!({ "root": format!("{root}/src") })).status, 201);
    assert_eq!(files(), 2, "the project that the service was started with");
    assert_eq!(service.send("DELETE", "/api/v1/projects/project", &[], b"").status, 204);
    let until = Instant::now() + PATIENCE;
    while files() != 1 {
        assert!(Instant::now() < until, "the only one that is left: {}", files());
        std::thread::sleep(Duration::from_millis(50));
    }
}
