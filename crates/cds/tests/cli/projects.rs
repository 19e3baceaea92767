//! Projects of a service: empty ones, and those that clients open.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fixture::Project;
use crate::service::{PATIENCE, Service};

const TWO: &str = "//- src/a.py\ndef retry_src():\n    pass\n//- lib/b.py\ndef retry_lib():\n    pass\n";

/// Asks until the answer is as expected.
fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(30));
    }
}

/// Name, folder below the root of the first project, and state of each.
fn listed(service: &Service, project: &Project) -> Vec<(String, String, String)> {
    let root = project.root().canonicalize().unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let row = |one: &Value| {
        let folder = text(&one["root"]).replace(&*root.to_string_lossy(), "");
        (text(&one["name"]), folder, text(&one["index"]["error"]))
    };
    service.get("/api/v1/projects").json().as_array().expect("a list").iter().map(row).collect()
}

fn open(service: &Service, project: &Project, folder: &str) {
    let root = project.root().canonicalize().unwrap().join(folder);
    let answer = service.post("/api/v1/projects", &json!({ "root": root }));
    assert_eq!(answer.status, 201, "{}", answer.body);
}

#[test]
fn an_empty_project_is_ready_and_has_no_files() {
    let project = Project::new("");
    let service = Service::start(&project, &[]);
    let count = || service.post("/api/v1/status", &json!({})).json()["files"].clone();
    let search = |query: &str| service.post("/api/v1/search", &json!({ "query": query })).json();
    assert_eq!(count(), 0);
    for preset in ["default", "dense", "rice", "breeze", "cds-index", "swiftindex"] {
        let answer = service.post("/api/v1/search", &json!({ "query": "retry", "preset": preset }));
        assert_eq!((answer.status, &answer.json()["hits"]), (200, &json!([])), "{preset}: {}", answer.body);
    }
    assert_eq!(service.post("/api/v1/symbol", &json!({ "name": "retry" })).json()["total"], 0);
    let task = service.post("/api/v1/tasks", &json!({ "force": true })).json();
    let events = service.get(&format!("/api/v1/tasks/{}/events", task["id"].as_str().expect("an id")));
    assert!(events.body.contains(r#""state":"completed""#), "{}", events.body);
    // It fills and becomes empty again.
    project.write("a.py", "def retry():\n    pass\n");
    wait_for("the new file is found", || search("retry")["total"] == 1);
    project.remove("a.py");
    wait_for("the removed file is not found any more", || search("retry")["total"] == 0 && count() == 0);
    assert_eq!(service.get("/ready").status, 200);
    // A first index of a folder without files is still a mistake of who types it.
    assert_eq!(Project::new("").cds(&["index"]).code, 3);
}

#[test]
fn a_project_that_cannot_be_indexed_stays_failed_and_does_not_block_readiness() {
    let project = Project::new(TWO);
    let service = Service::start_with(&project, &[], &[("CDS_MAX_FILES", "1")]);
    let until = Instant::now() + Duration::from_secs(3);
    while Instant::now() < until {
        let ready = service.get("/ready");
        assert_eq!((ready.status, &ready.json()["projects"][0]["index"]["state"]), (200, &json!("failed")));
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn projects_that_clients_open_survive_a_restart() {
    let project = Project::new(TWO);
    let row = |name: &str, folder: &str, error: &str| (name.to_owned(), folder.to_owned(), error.to_owned());
    let own = || row("project", "", "");
    let service = Service::start(&project, &[]);
    open(&service, &project, "src");
    open(&service, &project, "lib");
    drop(service);
    let file = project.home().join(".local/state/cds/projects.json");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let service = Service::start(&project, &[]);
    assert_eq!(listed(&service, &project), [row("lib", "/lib", ""), own(), row("src", "/src", "")]);
    let found = service.post("/api/v1/search", &json!({ "query": "retry", "project": "src" })).json();
    assert_eq!(found["hits"][0]["name"], "retry_src", "{found}");
    // The default is the project that the service was started with.
    assert_eq!(service.post("/api/v1/status", &json!({})).json()["files"], 2);
    assert_eq!(service.send("DELETE", "/api/v1/projects/src", &[], b"").status, 204);
    drop(service);

    // A folder that is gone is listed with the reason.
    std::fs::rename(project.path("lib"), project.path("moved")).unwrap();
    let service = Service::start(&project, &[]);
    assert_eq!(listed(&service, &project), [row("lib", "/lib", "its folder is gone"), own()]);
    assert_eq!(service.get("/ready").status, 200);
    let refused = service.post("/api/v1/search", &json!({ "query": "retry", "project": "lib" }));
    assert!(refused.status == 409 && refused.body.contains("its folder is gone"), "{}", refused.body);
    assert_eq!(service.get("/api/v1/projects/lib").json()["index"]["state"], "failed");
    assert_eq!(service.send("DELETE", "/api/v1/projects/lib", &[], b"").status, 204);
    assert_eq!(service.send("DELETE", "/api/v1/projects/lib", &[], b"").status, 404);
    drop(service);
    assert_eq!(listed(&Service::start(&project, &[]), &project), [own()]);
}

#[test]
fn a_restart_opens_only_folders_that_clients_may_open() {
    let (one, two) = (Project::new(TWO), Project::new(TWO));
    let state = one.home().display().to_string();
    let env = [("XDG_STATE_HOME", state.as_str())];
    let service = Service::start_with(&one, &[], &env);
    open(&service, &one, "src");
    drop(service);
    let names =
        |service: &Service| -> Vec<String> { listed(service, &one).into_iter().map(|(name, ..)| name).collect() };
    // Another service of the same user serves another folder: neither opens nor forgets it.
    assert_eq!(names(&Service::start_with(&two, &[], &env)), ["project"]);
    assert_eq!(names(&Service::start_with(&one, &[], &env)), ["project", "src"]);
    // A folder that was replaced by a link to elsewhere is elsewhere.
    #[cfg(unix)]
    {
        std::fs::rename(one.path("src"), one.path("kept")).unwrap();
        std::os::unix::fs::symlink(two.path("src"), one.path("src")).unwrap();
        assert_eq!(names(&Service::start_with(&one, &[], &env)), ["project"]);
    }
}

#[test]
fn a_damaged_list_of_projects_does_not_prevent_a_start() {
    let project = Project::new(TWO);
    let folder = project.home().join(".local/state/cds");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("projects.json"), "{ broken").unwrap();
    let service = Service::start(&project, &[]);
    open(&service, &project, "src");
    assert_eq!(listed(&service, &project).len(), 2);
    // It is not lost.
    assert_eq!(std::fs::read_to_string(folder.join("projects.json")).unwrap(), "{ broken");
}

#[test]
fn deleting_a_project_cancels_its_task() {
    let project = Project::new(TWO);
    for i in 0..600 {
        project.write(&format!("src/m{i}.py"), format!("def f{i}(x):\n    return g{i}(x)\n").repeat(60));
    }
    let service = Service::start(&project, &["--no-watch"]);
    open(&service, &project, "src");
    let task = service.post("/api/v1/tasks", &json!({ "project": "src" })).json();
    let state =
        || service.get(&format!("/api/v1/tasks/{}", task["id"].as_str().expect("an id"))).json()["state"].clone();
    wait_for("it is running", || state() == "running");
    assert_eq!(service.send("DELETE", "/api/v1/projects/src", &[], b"").status, 204);
    wait_for("it ends", || state() != "running");
    assert_eq!(state(), "cancelled");
}
