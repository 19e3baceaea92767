//! Who may ask: a token where one is set, no other host's name, no other site's page.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};

use crate::http::text;

/// What a request must show.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    /// The word that must be shown as `Authorization: Bearer`; none: nothing is asked for.
    pub token: Option<String>,
    /// Names that the service may be called by, beside those of this machine.
    pub hosts: Vec<String>,
    /// Sites whose pages may ask; empty: none but our own.
    pub origins: Vec<String>,
}

const OWN: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// What is answered without the word: whether the process lives.
const OPEN: [&str; 2] = ["/health", "/grpc.health.v1.Health/Check"];

/// Maximum size of a request's head in bytes: its target, names and values.
pub(crate) const MAX_HEAD: usize = 64 << 10;

/// Refuses a head that is malformed or too large, and a body that says that it will be.
pub(crate) fn check_head(request: &Request, max_body: usize) -> Result<(), (StatusCode, String)> {
    let headers = request.headers();
    // RFC 9112, 3.2
    if headers.get_all(header::HOST).iter().count() > 1 {
        return Err((StatusCode::BAD_REQUEST, "a request has one Host header, not several".to_owned()));
    }
    let fields: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    if fields + target > MAX_HEAD {
        let message = format!("the head of the request is larger than {MAX_HEAD} bytes: send shorter headers");
        return Err((StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, message));
    }
    let length = text(headers, header::CONTENT_LENGTH.as_str()).and_then(|length| length.parse::<u64>().ok());
    if length.is_some_and(|length| length > max_body as u64) {
        let message = format!("the body is larger than {max_body} bytes: send a smaller request");
        return Err((StatusCode::PAYLOAD_TOO_LARGE, message));
    }
    Ok(())
}

impl Guard {
    /// Whether a request is let in; if not, why.
    pub fn admit(&self, request: &Request) -> Result<(), (StatusCode, String)> {
        let headers = request.headers();
        // HTTP/2 has the name in the address; whoever gives two must be right with both.
        let named = request.uri().authority().map(|a| a.as_str());
        let host = text(headers, "host").or(named).unwrap_or_default();
        if let Some(host) = [Some(host), named].into_iter().flatten().find(|host| !self.is_known(host)) {
            let message = format!("this service is not called {host:?}: allow the name with --allow-host");
            return Err((StatusCode::MISDIRECTED_REQUEST, message));
        }
        if let Some(origin) = text(headers, "origin")
            && !self.is_shared(origin)
            && !is_same(origin, host)
        {
            return Err((
                StatusCode::FORBIDDEN,
                format!("pages of {origin} may not ask: allow them with --allow-origin"),
            ));
        }
        // Who looks after a machine may ask whether it lives without the word.
        let is_open = OPEN.contains(&request.uri().path()) || request.method() == Method::OPTIONS;
        match &self.token {
            Some(token) if !is_open && !shows(headers, token) => {
                Err((StatusCode::UNAUTHORIZED, "a token is needed: send it as `Authorization: Bearer`".to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn is_known(&self, host: &str) -> bool {
        let name =
            host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit())).map_or(host, |h| h.0);
        OWN.contains(&name) || self.hosts.iter().any(|known| known == name || known == host)
    }

    fn is_shared(&self, origin: &str) -> bool {
        self.origins.iter().any(|known| known == origin)
    }

    /// The site whose page asks, where it may read the answer.
    pub(crate) fn shared_with(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = headers.get(header::ORIGIN)?;
        origin.to_str().is_ok_and(|origin| self.is_shared(origin)).then(|| origin.clone())
    }

    /// All names the service may be called by.
    pub(crate) fn hosts(&self) -> Vec<String> {
        OWN.iter().map(|own| (*own).to_owned()).chain(["::1".to_owned()]).chain(self.hosts.clone()).collect()
    }
}

/// Whether a page is one of ours.
fn is_same(origin: &str, host: &str) -> bool {
    origin.parse::<Uri>().is_ok_and(|uri| uri.authority().is_some_and(|a| a.as_str() == host))
}

/// Whether the right word is shown. It takes as long for a word that is nearly right.
fn shows(headers: &HeaderMap, token: &str) -> bool {
    let shown = text(headers, "authorization").and_then(|value| value.split_once(' '));
    let shown = shown.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map_or("", |(_, word)| word);
    let differs = shown.bytes().zip(token.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    shown.len() == token.len() && std::hint::black_box(differs) == 0
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::extract::Request;

    use super::Guard;

    #[test]
    fn only_those_are_let_in_who_may() {
        let check = |headers: &[(&str, &str)], expect: u16| {
            let guard = Guard {
                token: Some("secret".to_owned()),
                hosts: vec!["code.example".to_owned()],
                origins: vec!["https://ide.example".to_owned()],
            };
            let mut request = Request::builder().uri("/rpc");
            for (name, value) in headers {
                request = match *name {
                    "uri" => request.uri(*value),
                    name => request.header(name, *value),
                };
            }
            let found =
                guard.admit(&request.body(Body::empty()).unwrap()).map_or_else(|(status, _)| status.as_u16(), |()| 200);
            assert_eq!(found, expect, "{headers:?}");
        };
        let word = ("authorization", "Bearer secret");
        check(&[("host", "127.0.0.1:9876"), word], 200);
        check(&[("host", "localhost"), word], 200);
        check(&[("host", "[::1]:9876"), word], 200);
        check(&[("host", "code.example"), word], 200);
        check(&[("host", "evil.example"), word], 421);
        check(&[("host", "127.0.0.1.evil.example:9876"), word], 421);
        check(&[word], 421);
        check(&[("uri", "http://localhost:1/rpc"), word], 200);
        check(&[("uri", "http://evil.example/rpc"), word], 421);
        check(&[("uri", "http://evil.example/rpc"), ("host", "localhost"), word], 421);
        check(&[("uri", "http://localhost/rpc"), ("host", "evil.example"), word], 421);
        check(&[("uri", "http://localhost/health")], 200);
        check(&[("uri", "http://localhost/grpc.health.v1.Health/Check")], 200);
        check(&[("uri", "http://localhost/grpc.health.v1.Health/Watch")], 401);
        check(&[("host", "localhost"), ("authorization", "bearer secret")], 200);
        check(&[("host", "localhost"), ("authorization", "Basic secret")], 401);
        check(&[("host", "localhost"), ("authorization", "Bearer secres")], 401);
        check(&[("host", "localhost"), ("authorization", "Bearer secret2")], 401);
        check(&[("host", "localhost")], 401);
        check(&[("host", "localhost:1"), ("origin", "http://localhost:1"), word], 200);
        check(&[("host", "localhost:1"), ("origin", "http://localhost:2"), word], 403);
        check(&[("host", "localhost:1"), ("origin", "null"), word], 403);
        check(&[("host", "localhost:1"), ("origin", "https://ide.example"), word], 200);
        check(&[("host", "localhost:1"), ("origin", "https://evil.example"), word], 403);
    }
}
