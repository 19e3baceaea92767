//! The command line's side of a service that keeps the same index: it is asked to bring it up to date, which it does faster, being warm.

use std::path::Path;
use std::time::Duration;

/// Longer than an update of a few files takes; whoever waits longer does it themselves.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether a service keeps the index in this folder and has just brought it up to date.
#[cfg(unix)]
pub fn refresh(home: &Path, root: &Path) -> bool {
    use std::io::{Read, Write};
    use std::os::unix::fs::FileTypeExt;
    let socket = home.join(crate::serve::SOCKET);
    // A link may lead to the socket of another program.
    if !std::fs::symlink_metadata(&socket).is_ok_and(|meta| meta.file_type().is_socket()) {
        return false;
    }
    let Ok(mut stream) = std::os::unix::net::UnixStream::connect(socket) else { return false };
    let body = serde_json::json!({ "project": root }).to_string();
    let token =
        std::env::var("CDS_TOKEN").map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let head = format!(
        "POST /api/v1/refresh HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{token}\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut answer = [0; 12];
    let asked = stream
        .set_read_timeout(Some(PATIENCE))
        .and_then(|()| stream.set_write_timeout(Some(PATIENCE)))
        .and_then(|()| stream.write_all(head.as_bytes()))
        .and_then(|()| stream.write_all(body.as_bytes()))
        .and_then(|()| stream.read_exact(&mut answer));
    asked.is_ok() && answer.ends_with(b" 200")
}

/// Elsewhere there are no such sockets.
#[cfg(not(unix))]
pub fn refresh(_: &Path, _: &Path) -> bool {
    false
}
