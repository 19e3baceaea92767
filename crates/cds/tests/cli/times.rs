//! Clocks that jump and times that lie: an edit is seen by its size or its time, whichever way the time went.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::fixture::Project;

const START: &str = "//- a.py\ndef first():\n    return 1\n//- b.py\ndef beside():\n    return 1\n";

fn set_time(project: &Project, path: &str, time: SystemTime) {
    let file = fs::File::options().write(true).open(project.path(path)).expect("it is there");
    file.set_modified(time).expect("it may be set");
}

/// The same size each time.
fn function(name: &str) -> String {
    assert_eq!(name.len(), 5);
    format!("def {name}():\n    return 1\n")
}

fn found(project: &Project, name: &str) -> bool {
    project.cds(&["symbol", name]).code == 0
}

fn freshness(project: &Project) -> Value {
    project.json(&["status"])["freshness"].clone()
}

#[test]
fn edits_are_seen_whichever_way_their_time_jumps() {
    let project = Project::new(START);
    let now = SystemTime::now();
    let day = Duration::from_hours(24);
    assert!(found(&project, "first"));
    let jumps = [
        ("tomor", now + day),
        ("yeste", now - day),
        ("origi", UNIX_EPOCH),
        ("later", UNIX_EPOCH + Duration::from_nanos(1)),
        ("befor", UNIX_EPOCH - day),
        ("earli", UNIX_EPOCH - 2 * day),
        ("faraw", now + 36_500 * day),
        ("today", now),
    ];
    for (name, time) in jumps {
        project.write("a.py", function(name));
        set_time(&project, "a.py", time);
        assert!(found(&project, name), "{name}");
        assert_eq!(freshness(&project), "fresh", "{name}");
        let generation = project.generation();
        assert_eq!(project.cds(&["index"]).code, 0);
        assert_eq!(project.generation(), generation, "{name}: nothing is stale for ever");
    }
    assert!(!found(&project, "first"));
}

#[test]
fn an_edit_in_the_moment_of_indexing_is_seen_by_its_bytes() {
    // A time in the future, or of this very second, says nothing about what comes after it.
    let this_second = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    for time in [SystemTime::now() + Duration::from_hours(1), UNIX_EPOCH + Duration::from_secs(this_second + 2)] {
        let project = Project::new(START);
        set_time(&project, "a.py", time);
        assert!(found(&project, "first"));
        for name in ["again", "twice", "three"] {
            project.write("a.py", function(name));
            set_time(&project, "a.py", time);
            assert_eq!(freshness(&project), "stale", "{name}");
            assert!(found(&project, name), "{name}");
        }
        // And `cds index` sees it too.
        project.write("a.py", function("index"));
        set_time(&project, "a.py", time);
        assert_eq!(project.cds(&["index"]).code, 0);
        assert!(project.cds(&["symbol", "index", "--no-update"]).code == 0);
    }
}

/// The time of the content can be set back; the change time cannot, where the system has one.
#[test]
fn an_edit_that_keeps_size_and_time_is_seen() {
    let project = Project::new(START);
    let long_ago = SystemTime::now() - Duration::from_hours(1);
    set_time(&project, "a.py", long_ago);
    assert!(found(&project, "first"));
    project.write("a.py", function("again"));
    set_time(&project, "a.py", long_ago);
    assert_eq!(found(&project, "again"), cfg!(unix));
    assert_eq!(project.cds(&["index", "--force"]).code, 0);
    assert!(!found(&project, "first") && found(&project, "again"));
}
