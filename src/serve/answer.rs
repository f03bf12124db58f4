//! Answers requests from the site in memory.

use super::Shown;
use crate::guide;
use crate::site::{UrlPath, headers::CSP};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::watch::Receiver;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::WatchStream;

const SCRIPT: &str = include_str!("reload.js");
const STYLE: &str = include_str!("reload.css");
/// What is added to each page.
const ADDED: &str =
    "<link rel=\"stylesheet\" href=\"/__clientbook/reload.css\"><script src=\"/__clientbook/reload.js\" defer></script>";
const HTML: &str = "text/html; charset=utf-8";

/// Serves until the process is told to end.
pub(super) async fn serve(
    listener: std::net::TcpListener,
    shown: Receiver<Arc<Shown>>,
    host: IpAddr,
) -> Result<(), std::io::Error> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let router = Router::new()
        .route("/__clientbook/events", get(events))
        .route("/__clientbook/reload.js", get(|| async { plain("text/javascript; charset=utf-8", SCRIPT) }))
        .route("/__clientbook/reload.css", get(|| async { plain("text/css; charset=utf-8", STYLE) }))
        .fallback(page)
        .with_state(shown)
        .layer(axum::middleware::from_fn(move |request: Request, next: axum::middleware::Next| async move {
            if is_known_host(&request, host) { next.run(request).await } else { refuse() }
        }));
    tokio::select! {
        ended = axum::serve(listener, router).into_future() => ended,
        () = told_to_end() => Ok(()),
    }
}

/// Ctrl-C, or the signal that ends services.
async fn told_to_end() {
    #[cfg(unix)]
    if let Ok(mut terminate) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
        return;
    }
    // Without a handler the signal ends the process by itself.
    let _ = tokio::signal::ctrl_c().await;
}

/// A foreign page can point a name of its own at this machine; only names that nobody can point elsewhere are answered.
fn is_known_host(request: &Request, listening: IpAddr) -> bool {
    let Some(host) = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()) else { return false };
    let host = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit())).map_or(host, |(name, _)| name);
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback() || !listening.is_loopback())
}

fn refuse() -> Response {
    let why = "This server answers to localhost, 127.0.0.1 and [::1] only.\n";
    (StatusCode::MISDIRECTED_REQUEST, plain("text/plain; charset=utf-8", why)).into_response()
}

fn plain(kind: &'static str, text: &'static str) -> Response {
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")];
    (headers, text).into_response()
}

/// The state now, and again whenever it changes.
async fn events(State(shown): State<Receiver<Arc<Shown>>>) -> impl IntoResponse {
    let stream = WatchStream::new(shown).map(|shown| {
        // Numbers of this size are not exact in a browser.
        let state = serde_json::json!({ "version": shown.version.to_string(), "errors": shown.errors });
        Ok::<_, Infallible>(Event::default().data(state.to_string()))
    });
    Sse::new(stream).keep_alive(KeepAlive::default())
}

/// A file of the site.
async fn page(State(shown): State<Receiver<Arc<Shown>>>, request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET, HEAD")]).into_response();
    }
    let shown = Arc::clone(&shown.borrow());
    let path = request.uri().path();
    if let Some((path, bytes)) = UrlPath::new(path).and_then(|path| shown.file(&path).map(|bytes| (path, bytes))) {
        return file(StatusCode::OK, &path.file(), &bytes);
    }
    let folder = UrlPath::new(format!("{path}/")).filter(|folder| !path.ends_with('/') && shown.file(folder).is_some());
    if let Some(location) = folder.and_then(|folder| HeaderValue::from_str(folder.as_str()).ok()) {
        return (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, location)]).into_response();
    }
    match UrlPath::new("/404.html").and_then(|path| shown.file(&path)) {
        Some(bytes) => file(StatusCode::NOT_FOUND, "404.html", &bytes),
        None => file(StatusCode::NOT_FOUND, "404.html", stand_in(&shown).as_bytes()),
    }
}

/// A page for when there is no site at all.
fn stand_in(shown: &Shown) -> String {
    let errors = guide::escape(shown.errors.as_deref().unwrap_or("There is no such page."));
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>No site yet</title></head>\
         <body><h1>No site yet</h1><pre>{}</pre></body></html>",
        errors.as_str()
    )
}

fn file(status: StatusCode, name: &str, bytes: &[u8]) -> Response {
    let kind = content_type(name);
    let body = if kind == HTML { Body::from(with_script(bytes)) } else { Body::from(bytes.to_vec()) };
    let mut response = (status, body).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CSP));
    response
}

/// The page with the server's own script and style before the end of its body.
fn with_script(page: &[u8]) -> Vec<u8> {
    let end = b"</body>";
    let at = page.windows(end.len()).rposition(|window| window == end).unwrap_or(page.len());
    [&page[..at], ADDED.as_bytes(), &page[at..]].concat()
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => HTML,
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "xml" => "application/xml",
        "txt" => "text/plain; charset=utf-8",
        "csv" => "text/csv; charset=utf-8",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "woff" => "font/woff",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_only_to_names_of_this_machine() {
        let known = |host: &str, listening: &str| {
            let request = Request::builder().header(header::HOST, host).body(Body::empty()).expect("a request");
            is_known_host(&request, listening.parse().expect("an address"))
        };
        for host in ["localhost", "localhost:4000", "127.0.0.1:4000", "[::1]:4000", "[::1]", "LOCALHOST:80"] {
            assert!(known(host, "127.0.0.1"), "{host}");
        }
        for host in ["evil.example", "evil.example:4000", "localhost.evil.example", "192.168.0.2:4000", "", ":4000"] {
            assert!(!known(host, "127.0.0.1"), "{host}");
        }
        assert!(known("192.168.0.2:4000", "0.0.0.0") && !known("evil.example", "0.0.0.0"));
        let bare = Request::builder().body(Body::empty()).expect("a request");
        assert!(!is_known_host(&bare, "127.0.0.1".parse().expect("an address")));
    }

    #[test]
    fn the_script_stands_at_the_end_of_the_body() {
        let page = with_script(b"<body><p>x</p></body></html>");
        assert_eq!(String::from_utf8_lossy(&page), format!("<body><p>x</p>{ADDED}</body></html>"));
        assert!(with_script(b"").ends_with(b"</script>"));
    }
}
