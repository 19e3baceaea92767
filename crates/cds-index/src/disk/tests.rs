//! Decoys in a temporary folder: each answer comes at once, whatever stands at a path.

use std::path::Path;

use super::{OpenError, ProjectRoot, open_owner_file};

fn shown(result: Result<Vec<u8>, OpenError>) -> String {
    match result {
        Ok(bytes) => format!("read {}", bytes.len()),
        Err(error) => format!("{error}"),
    }
}

#[test]
fn regular_files_within_the_limit_are_read() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("a")).unwrap();
    std::fs::write(dir.path().join("a/ten"), "0123456789").unwrap();
    let root = ProjectRoot::at(dir.path());
    let check = |path: &str, limit: u64, expect: &str| {
        assert_eq!(shown(root.read(Path::new(path), limit)), expect, "{path}");
    };
    check("a/ten", 10, "read 10");
    check("a/ten", u64::MAX, "read 10");
    check("a/ten", 9, "10 bytes, more than the limit of 9");
    check("a/none", 9, "no such file");
    check("a", 9, "a folder, not a regular file");
    check("a/ten/more", 9, "no such file");
    assert_eq!(shown(ProjectRoot::at(&dir.path().join("none")).read(Path::new("a"), 9)), "no such file");
}

#[test]
fn a_file_that_grows_while_it_is_read_does_not_exceed_the_limit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    std::fs::write(&path, "0123456789").unwrap();
    let open = ProjectRoot::at(dir.path()).open(Path::new("log"), 20).unwrap();
    std::fs::write(&path, "0123456789".repeat(1_000)).unwrap();
    assert_eq!(shown(open.read()), "21 bytes, more than the limit of 20");
}

#[cfg(unix)]
#[test]
fn links_pipes_devices_and_huge_files_are_refused_at_once() {
    use std::os::unix::fs::symlink;

    let dir = tempfile::tempdir().unwrap();
    let (inside, outside) = (dir.path().join("project"), dir.path().join("outside"));
    std::fs::create_dir_all(inside.join("folder")).unwrap();
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("secret"), "secret").unwrap();
    std::fs::write(inside.join("folder/file"), "text").unwrap();
    symlink(outside.join("secret"), inside.join("link")).unwrap();
    symlink("folder/file", inside.join("link_inside")).unwrap();
    symlink(&outside, inside.join("linked_folder")).unwrap();
    symlink("folder", inside.join("linked_inside")).unwrap();
    symlink("/dev/zero", inside.join("zero")).unwrap();
    symlink("nowhere", inside.join("dangling")).unwrap();
    std::fs::File::create(inside.join("sparse")).unwrap().set_len(10_000_000_000).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        inside.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o644),
        0,
    )
    .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(inside.join("socket")).unwrap();
    let root = ProjectRoot::at(&inside);
    let link = "a symbolic link, not followed";
    for (path, of_project, of_owner) in [
        ("link", link, "read 6"),
        ("link_inside", link, "read 4"),
        ("linked_folder/secret", link, "read 6"),
        ("linked_inside/file", link, "read 4"),
        ("../outside/secret", link, "read 6"),
        ("zero", link, "a device, not a regular file"),
        ("dangling", link, "no such file"),
        ("pipe", "a pipe, not a regular file", "a pipe, not a regular file"),
        ("socket", "a socket or device, not a regular file", "a socket, not a regular file"),
        ("sparse", "10000000000 bytes, more than the limit of 1000", "10000000000 bytes, more than the limit of 1000"),
        ("folder/file", "read 4", "read 4"),
    ] {
        assert_eq!(shown(root.read(Path::new(path), 1_000)), of_project, "{path}");
        let of_it = open_owner_file(&inside.join(path), 1_000).and_then(super::OpenFile::read);
        assert_eq!(shown(of_it), of_owner, "{path}, as the owner's");
    }
}
