//! What a build without gRPC tells a client that speaks HTTP/2: an HTTP/1 response, which gRPC libraries report as such. Without it the
//! connection would be closed without a word.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The first bytes of a connection over HTTP/2.
const PREFACE: &[u8] = b"PRI * HTTP/2.0";

const MESSAGE: &str = "this build of cds has no gRPC: build it with the feature grpc, or use JSON-RPC, HTTP or MCP\n";

/// How long the rest of what a client sends is read: data that is unread when a connection is closed may cost the client the answer.
const LINGER: Duration = Duration::from_millis(500);

/// How often a client that has sent a part of the preface is looked at again.
const PAUSE: Duration = Duration::from_millis(10);

/// Waits for the first bytes and answers if they are HTTP/2. `false`: they are not, and are still to be read.
pub(crate) async fn refused(stream: &mut TcpStream) -> bool {
    let mut start = [0; PREFACE.len()];
    loop {
        let Ok(count) = stream.peek(&mut start).await else { return false };
        if count == 0 || !PREFACE.starts_with(&start[..count]) {
            return false;
        }
        if count == PREFACE.len() {
            let length = MESSAGE.len();
            let head = "HTTP/1.1 505 HTTP Version Not Supported\r\ncontent-type: text/plain\r\nconnection: close\r\n";
            let answer = format!("{head}content-length: {length}\r\n\r\n{MESSAGE}");
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.shutdown().await;
            let rest = async { while stream.read(&mut [0; 1024]).await.is_ok_and(|count| count > 0) {} };
            let _ = tokio::time::timeout(LINGER, rest).await;
            return true;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::refused;

    #[test]
    fn clients_that_speak_http2_get_a_response() {
        let check = |parts: &'static [&str], expect: Option<&str>| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let answer = runtime.block_on(async {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                let address = listener.local_addr().unwrap();
                let client = std::thread::spawn(move || {
                    let mut client = std::net::TcpStream::connect(address).unwrap();
                    for part in parts {
                        client.write_all(part.as_bytes()).unwrap();
                        std::thread::sleep(std::time::Duration::from_millis(30));
                    }
                    // The server may have closed it.
                    let _ = client.shutdown(std::net::Shutdown::Write);
                    let mut answer = Vec::new();
                    let _ = client.read_to_end(&mut answer);
                    String::from_utf8_lossy(&answer).into_owned()
                });
                let (mut stream, _) = listener.accept().await.unwrap();
                let is_refused = refused(&mut stream).await;
                drop(stream);
                (is_refused, client.join().unwrap())
            });
            assert_eq!(answer.0, expect.is_some(), "{parts:?}");
            assert!(answer.1.starts_with(expect.unwrap_or_default()), "{parts:?}: {}", answer.1);
        };
        check(&["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], Some("HTTP/1.1 505 HTTP Version Not Supported\r\n"));
        check(&["PRI *", " HTTP/2.0\r\n\r\n"], Some("HTTP/1.1 505 "));
        check(&["POST /rpc HTTP/1.1\r\n"], None);
        check(&["PRINT / HTTP/1.1\r\n"], None);
        check(&[], None);
    }
}
