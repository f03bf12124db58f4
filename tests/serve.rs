//! The development server from outside.
#![cfg(feature = "serve")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A server of a copy of the small catalogue.
struct Server {
    child: Child,
    address: String,
    root: PathBuf,
    _dir: tempfile::TempDir,
}

impl Server {
    fn start() -> Server {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().to_owned();
        let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics/base");
        for entry in walkdir::WalkDir::new(&base).into_iter().flatten().filter(|entry| entry.file_type().is_file()) {
            let to = root.join(entry.path().strip_prefix(&base).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(entry.path(), to).unwrap();
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_clientbook"))
            .args(["serve", "--port", "0", "--as-of", "2026-11-30", "--root"])
            .arg(&root)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut talk = BufReader::new(child.stderr.take().unwrap()).lines();
        let ready = talk.find_map(|line| line.unwrap().split("http://").nth(1).map(str::to_owned)).expect("the address");
        let address = ready.split('/').next().unwrap().to_owned();
        // Nobody may wait for the rest to be read.
        std::thread::spawn(move || talk.for_each(drop));
        Server { child, address, root, _dir: dir }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    fn request(&self, line: &str, host: &str) -> String {
        let mut stream = self.connect();
        write!(stream, "{line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.request(&format!("GET {path}"), &self.address)
    }

    /// The states that the browser is told of.
    fn states(&self) -> impl Iterator<Item = serde_json::Value> + use<> {
        let mut stream = self.connect();
        write!(stream, "GET /__clientbook/events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let lines = BufReader::new(stream).lines().map(|line| line.expect("a state in time"));
        lines.filter_map(|line| line.strip_prefix("data: ").map(|state| serde_json::from_str(state).unwrap()))
    }

    fn edit(&self, path: &str, from: &str, to: &str) {
        let file = self.root.join(path);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from));
        fs::write(file, text.replace(from, to)).unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn pages_are_served_as_on_a_host() {
    let server = Server::start();
    let page = server.get("/clients/aiolib/");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("content-type: text/html; charset=utf-8"), "{page}");
    assert!(page.contains("content-security-policy: default-src 'none'") && page.contains("/__clientbook/reload.js"));
    assert!(server.get("/__clientbook/reload.js").contains("text/javascript"));
    let moved = server.get("/clients/aiolib");
    assert!(moved.starts_with("HTTP/1.1 308") && moved.contains("location: /clients/aiolib/"), "{moved}");
    for path in ["/nowhere/", "/../../etc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd", "/clients/aiolib/../../"] {
        assert!(server.get(path).starts_with("HTTP/1.1 404"), "{path}");
    }
    assert!(server.request("POST /", "localhost").starts_with("HTTP/1.1 405"));
    assert!(server.request("GET /", "evil.example").starts_with("HTTP/1.1 421"));
    assert!(server.request("GET /__clientbook/events", "evil.example:80").starts_with("HTTP/1.1 421"));
}

#[test]
fn a_save_is_seen_and_an_error_keeps_the_last_good_page() {
    let server = Server::start();
    let mut states = server.states();
    let first = states.next().unwrap();
    assert!(first["errors"].is_null());

    server.edit("clients/aiolib/manifest.toml", "An asynchronous client.", "A changed summary.");
    let second = states.next().unwrap();
    assert!(second["errors"].is_null() && second["version"] != first["version"]);
    for page in ["/clients/aiolib/", "/clients/", "/languages/python/", "/clients/aiolib/index.json"] {
        assert!(server.get(page).contains("A changed summary."), "{page}");
    }

    server.edit("clients/aiolib/manifest.toml", "kind = \"binding\"", "kind = \"<script>\"");
    let third = states.next().unwrap();
    assert!(third["errors"].as_str().unwrap().contains("clients/aiolib/manifest.toml:6:8"), "{third}");
    assert!(server.get("/clients/aiolib/").contains("A changed summary."));

    server.edit("clients/aiolib/manifest.toml", "kind = \"<script>\"", "kind = \"native\"");
    let fourth = states.next().unwrap();
    assert!(fourth["errors"].is_null() && fourth["version"] != third["version"]);

    // A folder that was not there before.
    fs::create_dir_all(server.root.join("static")).unwrap();
    fs::write(server.root.join("static/extra.txt"), "extra").unwrap();
    let fifth = states.next().unwrap();
    assert_ne!(fifth["version"], fourth["version"]);

    // Settings that cannot be read: every page stays.
    server.edit("clientbook.toml", "title = \"Test book\"", "title = ");
    assert!(states.next().unwrap()["errors"].as_str().unwrap().contains("clientbook.toml:1:"));
    assert!(server.get("/clients/aiolib/").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_port_that_is_taken_is_said_with_one_that_is_free() {
    let server = Server::start();
    let port = server.address.rsplit_once(':').unwrap().1;
    let mut second = Command::new(env!("CARGO_BIN_EXE_clientbook"));
    let output = second.args(["serve", "--port", port, "--root"]).arg(&server.root).output().unwrap();
    let talk = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(talk.starts_with(&format!("error: port {port} is taken")) && talk.contains("is free: `--port "), "{talk}");
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_it_cleanly() {
    let mut server = Server::start();
    let mut states = server.states();
    states.next().unwrap();
    let told = Command::new("kill").args(["-INT", &server.child.id().to_string()]).status().unwrap();
    assert!(told.success());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}
