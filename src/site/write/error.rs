//! Why a site was not written.

use camino::Utf8PathBuf;

/// Why a site was not written; the old one is as it was.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A file stands where the folder should.
    #[error("`{0}` is not a folder; name another one with `--out`")]
    NotAFolder(Utf8PathBuf),
    /// A link stands where the folder should.
    #[error("`{0}` is a link, and the site would replace it; name the folder itself with `--out`")]
    Link(Utf8PathBuf),
    /// The folder holds something that we did not write.
    #[error("`{0}` holds files that are not ours; name an empty or a new folder with `--out`")]
    NotOurs(Utf8PathBuf),
    /// A site of ours holds something that we did not write.
    #[error("`{0}` is not ours, and would be lost; move it away (files that belong to the site go into `static/`)")]
    Foreign(Utf8PathBuf),
    /// The folder holds the inputs, or stands among them.
    #[error("`{out}` would mix with the inputs in `{input}`; name another folder with `--out`")]
    Inputs {
        /// Where the site was to go.
        out: Utf8PathBuf,
        /// What is there.
        input: Utf8PathBuf,
    },
    /// Somebody else is at it.
    #[error("another build is writing `{0}`; wait for it, or name another folder with `--out`")]
    Busy(Utf8PathBuf),
    /// The operating system refused.
    #[error("cannot {action} `{path}`: {source}; the old site is as it was")]
    Io {
        /// What was tried: "write".
        action: &'static str,
        /// On what.
        path: Utf8PathBuf,
        /// Why not.
        source: std::io::Error,
    },
}

impl WriteError {
    /// For `map_err`: what was tried on what.
    pub(super) fn io(action: &'static str, path: impl Into<Utf8PathBuf>) -> impl FnOnce(std::io::Error) -> WriteError {
        let path = path.into();
        move |source| WriteError::Io { action, path, source }
    }
}
