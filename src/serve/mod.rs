//! The development server: watch → rebuild → swap the finished site → tell the browser.
//!
//! The site is served from memory, the way it would stand on a host. Beside it, below `/__clientbook/`, stand a script and a
//! style of the server's own, which it adds to each page: the script reloads the page, or shows the findings in it. Pages that
//! cannot be made at the moment stay as they were. The one room with an async runtime; it prints nothing.

mod answer;
mod watch;

use crate::diagnostic::{self, Diagnostic, Format};
use crate::pipeline::{Built, Options, Workshop};
use crate::site::{Site, UrlPath};
use camino::Utf8PathBuf;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::watch as channel;

/// What is served and where.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The catalogue's folder.
    pub root: Utf8PathBuf,
    /// What the build depends on beside its input.
    pub options: Options,
    /// The address to listen on.
    pub host: IpAddr,
    /// The port.
    pub port: u16,
}

/// What the server has to say, in this order: built once, ready, then built again and again.
pub enum Event<'b> {
    /// The site was built. `changed` files differ from before.
    Built {
        /// What came out.
        built: &'b Built,
        /// How many files of the site differ from before.
        changed: usize,
        /// How long it took.
        took: Duration,
    },
    /// The server listens.
    Ready(SocketAddr),
    /// Files cannot be watched.
    Blind(String),
}

/// Why the server could not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another program listens there.
    #[error("port {port} is taken by another program")]
    PortTaken {
        /// The port that was asked for.
        port: u16,
        /// A port that is free.
        free: Option<u16>,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// Why not.
        error: std::io::Error,
    },
    /// The runtime does not start, or the server ended by itself.
    #[error("the server ended: {0}")]
    Ended(#[from] std::io::Error),
}

/// What is served at the moment.
struct Shown {
    /// Grows with every change; another process starts elsewhere, so that a browser that comes back reloads.
    version: u128,
    /// The newest site.
    site: Arc<Site>,
    /// The newest site without errors; stands in for pages that are missing from `site` because of one.
    good: Arc<Site>,
    /// The errors, as a person reads them.
    errors: Option<String>,
}

impl Shown {
    fn file(&self, path: &UrlPath) -> Option<Arc<[u8]>> {
        let good = self.errors.as_ref().and_then(|_| self.good.files.get(path));
        self.site.files.get(path).or(good).cloned()
    }

    /// What is shown after `built`, and how many files differ.
    fn next(&self, built: &Built) -> (Shown, usize) {
        let site = built.site.clone().unwrap_or_else(|| Arc::clone(&self.site));
        let errors: Vec<Diagnostic> = built.findings.iter().filter(|finding| finding.is_error()).cloned().collect();
        let errors = (!errors.is_empty()).then(|| diagnostic::render(&errors, &built.tree, Format::Human, false));
        let good = if errors.is_none() { Arc::clone(&site) } else { Arc::clone(&self.good) };
        let same = |(path, bytes): &(&UrlPath, &Arc<[u8]>)| {
            self.site.files.get(*path).is_some_and(|before| Arc::ptr_eq(before, bytes) || before == *bytes)
        };
        let kept = site.files.iter().filter(same).count();
        let changed = site.files.len() - kept + (self.site.files.len() - kept);
        let version = self.version + u128::from(changed > 0 || errors != self.errors);
        (Shown { version, site, good, errors }, changed)
    }
}

/// Builds, serves and watches until the process is told to end.
///
/// # Errors
/// The port is taken, or the server cannot be started.
pub fn run(settings: &Settings, mut tell: impl FnMut(Event<'_>) + Send) -> Result<(), ServeError> {
    let listener = listen(SocketAddr::new(settings.host, settings.port))?;
    let address = listener.local_addr()?;
    let workshop = Workshop::new(&settings.root);
    let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let empty = Arc::new(Site::default());
    let nothing = Shown { version: began, site: Arc::clone(&empty), good: empty, errors: None };
    let mut shown = Arc::new(nothing);
    let build = |tell: &mut dyn FnMut(Event<'_>), shown: &mut Arc<Shown>, change: watch::Change| {
        let started = Instant::now();
        let built = workshop.build(&settings.root, &settings.options, change.as_ref());
        let (next, changed) = shown.next(&built);
        *shown = Arc::new(next);
        tell(Event::Built { built: &built, changed, took: started.elapsed() });
    };
    // Watching begins before the first build, so that no save is lost between the two.
    let watcher = watch::Watcher::new(&settings.root);
    build(&mut tell, &mut shown, None);
    let (sender, receiver) = channel::channel(Arc::clone(&shown));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    listener.set_nonblocking(true)?;
    let serving = runtime.spawn(answer::serve(listener, receiver, settings.host));
    tell(Event::Ready(address));
    match watcher {
        Ok(mut watcher) => {
            while !serving.is_finished() {
                if let Some(change) = watcher.wait(Duration::from_millis(200)) {
                    build(&mut tell, &mut shown, change);
                    sender.send_replace(Arc::clone(&shown));
                }
            }
        }
        Err(error) => tell(Event::Blind(error.to_string())),
    }
    let ended = runtime.block_on(serving);
    runtime.shutdown_background();
    match ended {
        Ok(result) => Ok(result?),
        Err(error) => Err(std::io::Error::other(error).into()),
    }
}

fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).map_err(|error| {
        if error.kind() != std::io::ErrorKind::AddrInUse {
            return ServeError::Listen { address, error };
        }
        let mut others = (1..=50).filter_map(|step| address.port().checked_add(step));
        let free = others.find(|port| TcpListener::bind(SocketAddr::new(address.ip(), *port)).is_ok());
        ServeError::PortTaken { port: address.port(), free }
    })
}
