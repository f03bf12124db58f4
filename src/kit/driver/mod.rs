//! A client's driver: what it needs, how it is built, how it is started, and talking with it.

mod ask;
pub mod host;
mod memory;

use super::protocol::{Event, Info, Role, conversation::Conversation};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

/// Which language a driver speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// The kit's own.
    #[default]
    Clientbook,
    /// Kafka's own verifiable producer and consumer.
    Verifiable,
}

/// A program that a driver needs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Need {
    /// Its name on the PATH; asked with `--version` (`version` for Go).
    pub program: String,
    /// The least version.
    #[serde(default)]
    pub minimum: Option<String>,
    /// Where to get it.
    pub install: String,
}

/// What a client can't do, said before anything runs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Cannot {
    /// Why.
    pub reason: String,
    /// Where that is discussed.
    #[serde(default)]
    pub link: Option<String>,
}

/// `driver.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Manifest {
    /// Always 1.
    pub schema: u32,
    /// The language.
    #[serde(default)]
    pub dialect: Dialect,
    /// Programs that must be there.
    #[serde(default)]
    pub needs: Vec<Need>,
    /// The command that builds it; run in the driver's folder.
    #[serde(default)]
    pub build: Vec<String>,
    /// The command that runs it; role and options follow.
    pub run: Vec<String>,
    /// Features the client does not have.
    #[serde(default)]
    pub unsupported: BTreeMap<String, Cannot>,
}

/// Why a driver cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// No `driver.toml`, or a bad one.
    #[error("CB600: {path}: {why}")]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A program is missing or too old.
    #[error("CB601: the driver of {client} needs {program}{least}, and {found}: {install}")]
    MissingProgram {
        /// The client's id.
        client: String,
        /// The program.
        program: String,
        /// The least version, in words.
        least: String,
        /// What is there instead.
        found: String,
        /// Where to get it.
        install: String,
    },
    /// The build failed.
    #[error("CB602: the driver of {client} does not build ({how}); its last words:\n{words}")]
    Build {
        /// The client's id.
        client: String,
        /// How it ended.
        how: String,
        /// The end of its output.
        words: String,
    },
    /// `run info` did not say what it must.
    #[error("the driver of {client} does not say what it is: {why}")]
    Info {
        /// The client's id.
        client: String,
        /// Why.
        why: String,
    },
}

/// A driver in its folder.
#[derive(Debug, Clone)]
pub struct Program {
    /// The client's id.
    pub client: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Where what it builds goes.
    pub cache: PathBuf,
    /// Its `driver.toml`.
    pub manifest: Manifest,
}

/// How long a build may take.
const BUILD: Duration = Duration::from_secs(1800);

/// The variables of the kit's own environment that a driver sees.
const SEEN: &[&str] = &["PATH", "HOME", "LANG", "LC_ALL", "JAVA_HOME", "GOROOT", "DOTNET_ROOT"];

/// What a build sees besides: where its packages come from. Each stands for all that begin with it.
const SEEN_BY_BUILDS: &[&str] = &[
    "PIP_",
    "UV_",
    "NPM_CONFIG_",
    "npm_config_",
    "GO",
    "CARGO_",
    "RUSTUP_",
    "MAVEN_",
    "M2_HOME",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_",
    "PYENV_",
];

impl Program {
    /// Finds the driver of `client` below `root/clients`.
    pub fn find(root: &Path, client: &str, cache: &Path) -> Result<Program, DriverError> {
        let folder = root.join("clients").join(client).join("driver");
        Self::at(&folder, client, cache)
    }

    /// The driver in `folder`.
    pub fn at(folder: &Path, client: &str, cache: &Path) -> Result<Program, DriverError> {
        let path = folder.join("driver.toml");
        let unusable = |why: String| DriverError::Unusable { path: path.clone(), why };
        let text = std::fs::read_to_string(&path).map_err(|why| unusable(format!("cannot be read: {why}")))?;
        let manifest: Manifest = toml::from_str(&text).map_err(|why| unusable(why.to_string()))?;
        if manifest.schema != 1 {
            return Err(unusable(format!("schema is {}, and this kit knows 1", manifest.schema)));
        }
        if manifest.run.is_empty() {
            return Err(unusable("`run` is empty: it names the program and its first arguments".to_owned()));
        }
        let folder = std::path::absolute(folder).map_err(|why| unusable(why.to_string()))?;
        Ok(Program { client: client.to_owned(), folder, cache: cache.join("drivers").join(client), manifest })
    }

    /// The ids of all clients below `root` that have a driver, in order.
    pub fn list(root: &Path) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(root.join("clients")) else { return Vec::new() };
        let with_driver = entries.flatten().filter(|entry| entry.path().join("driver/driver.toml").is_file());
        let mut ids: Vec<String> = with_driver.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        ids.sort();
        ids
    }

    /// Checks that every program it needs is there.
    pub async fn check_needs(&self) -> Result<(), DriverError> {
        for need in &self.manifest.needs {
            let missing = |found: String| DriverError::MissingProgram {
                client: self.client.clone(),
                program: need.program.clone(),
                least: need.minimum.as_ref().map(|least| format!(" {least} or newer")).unwrap_or_default(),
                found,
                install: need.install.clone(),
            };
            let flag = if need.program == "go" { "version" } else { "--version" };
            let asked = Command::new(&need.program).arg(flag).stdin(Stdio::null()).output();
            let output = match timeout(Duration::from_secs(60), asked).await {
                Ok(Ok(output)) => output,
                _ => return Err(missing("it is not on the PATH".to_owned())),
            };
            let words = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            let found = version(&words);
            if let Some(least) = &need.minimum
                && found < version(least)
            {
                let first = words.lines().next().unwrap_or_default();
                return Err(missing(format!("it is too old: {first}")));
            }
        }
        Ok(())
    }

    /// Builds it. Says what failed with the end of its output.
    pub async fn build(&self) -> Result<(), DriverError> {
        let failed = |how: String, words: &str| DriverError::Build {
            client: self.client.clone(),
            how,
            words: super::broker::tail(words, 20),
        };
        std::fs::create_dir_all(&self.cache).map_err(|why| failed(why.to_string(), ""))?;
        if self.manifest.build.is_empty() {
            return Ok(());
        }
        let mut command = self.command(&self.manifest.build);
        command.envs(std::env::vars_os().filter(|(name, _)| {
            let name = name.to_string_lossy();
            SEEN_BY_BUILDS.iter().any(|begin| name.starts_with(begin))
        }));
        match timeout(BUILD, command.kill_on_drop(true).output()).await {
            Err(_) => Err(failed(format!("not done after {BUILD:?}"), "")),
            Ok(Err(why)) => Err(failed(format!("{}: {why}", self.manifest.build[0]), "")),
            Ok(Ok(output)) if output.status.success() => Ok(()),
            Ok(Ok(output)) => {
                let words = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
                Err(failed(output.status.to_string(), &words))
            }
        }
    }

    /// Asks it what it is.
    pub async fn info(&self) -> Result<Info, DriverError> {
        let wrong = |why: String| DriverError::Info { client: self.client.clone(), why };
        let mut command = self.command(&self.manifest.run);
        let run = timeout(Duration::from_secs(60), command.arg("info").kill_on_drop(true).output());
        let output = run.await.map_err(|_| wrong("`run info` takes longer than 60 s".into()))?;
        let output = output.map_err(|why| wrong(format!("{}: {why}", self.manifest.run[0])))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let words = super::broker::tail(&String::from_utf8_lossy(&output.stderr), 10);
        if !output.status.success() {
            return Err(wrong(format!("`run info` ended with {}\n{words}", output.status)));
        }
        let line = text.lines().next().ok_or_else(|| wrong(format!("`run info` printed nothing\n{words}")))?;
        let mut conversation = Conversation::new(Role::Info);
        conversation.step("run info");
        match conversation.hear(line) {
            Ok(Event::Info(info)) => Ok(info),
            Ok(other) => Err(wrong(format!("`run info` printed {} instead of info", other.word()))),
            Err(bad) => Err(wrong(bad.to_string())),
        }
    }

    /// A command line of the driver with a clean environment.
    fn command(&self, argv: &[String]) -> Command {
        let cache = self.cache.display().to_string();
        let argument = |text: &String| text.replace("$CLIENTBOOK_CACHE", &cache);
        let mut command = Command::new(argument(&argv[0]));
        command
            .args(argv[1..].iter().map(argument))
            .current_dir(&self.folder)
            .env_clear()
            .envs(SEEN.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))))
            .env("CLIENTBOOK_CACHE", &cache)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// The first version number in `words`, as numbers: digits with a point between them, else the first digits. Some programs
/// print in bold, so escape sequences are passed over.
fn version(words: &str) -> Vec<u64> {
    let plain: Vec<&str> = words
        .split('\x1b')
        .enumerate()
        .map(|(n, part)| if n == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) })
        .collect();
    let plain = plain.concat();
    let mut found =
        plain.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let first = found.clone().next();
    let word = found.find(|word| word.contains('.')).or(first).unwrap_or_default();
    word.split('.').map_while(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(version("Python 3.11.7") > version("3.9"));
        assert!(version("go version go1.26 linux/amd64") >= version("1.26"));
        assert!(version("v20.1.0") < version("22"));
        assert_eq!(version("\u{1b}[1mApache Maven 3.8.7\u{1b}[m\nMaven home: /usr"), [3, 8, 7]);
        assert_eq!(version("none"), Vec::<u64>::new());
    }

    #[tokio::test]
    async fn a_driver_that_cannot_be_used_says_why() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("clients/x/driver");
        let find = || Program::find(root.path(), "x", root.path());
        assert!(find().unwrap_err().to_string().contains("cannot be read"));
        std::fs::create_dir_all(&folder).unwrap();
        let write = |text: &str| std::fs::write(folder.join("driver.toml"), text).unwrap();
        write("schema = 1\nrun = \"x\"\n");
        assert!(find().unwrap_err().to_string().contains("run = \"x\""));
        write("schema = 1\nrun = [\"no-such-program-of-anyone\"]\nbuild = [\"sh\", \"-c\", \"echo why >&2; exit 7\"]\n");
        let program = find().unwrap();
        assert_eq!(Program::list(root.path()), ["x"]);
        assert!(program.build().await.unwrap_err().to_string().contains("why"));
        assert!(program.info().await.unwrap_err().to_string().contains("no-such-program-of-anyone"));
        write("schema = 1\nrun = [\"sh\"]\nneeds = [{ program = \"sh-not-there\", install = \"get it\" }]\n");
        assert!(find().unwrap().check_needs().await.unwrap_err().to_string().contains("get it"));
    }
}
