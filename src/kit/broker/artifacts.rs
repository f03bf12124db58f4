//! Where the broker's programs come from: fetched once through Maven into a cache, or `KAFKA_HOME`.

use super::{BrokerError, disk, tail};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// A broker that can be started.
#[derive(Debug, Clone)]
pub struct Artifacts {
    /// The version.
    pub version: String,
    /// Java's class path.
    pub classpath: String,
    /// Java's archive of loaded classes, where one has been made: halves the start.
    pub archive: PathBuf,
    /// Formatted storage, one folder for each layout, copied instead of running the format tool again.
    pub formats: PathBuf,
    /// The broker's logging settings.
    pub logging: PathBuf,
}

const LOGGING: &str = "\
rootLogger.level = WARN
rootLogger.appenderRef.stdout.ref = STDOUT
appender.stdout.type = Console
appender.stdout.name = STDOUT
appender.stdout.layout.type = PatternLayout
appender.stdout.layout.pattern = [%d] %p %m (%c)%n
";

/// The kit's cache: `$XDG_CACHE_HOME/clientbook`, else `~/.cache/clientbook`.
pub fn cache() -> PathBuf {
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::var_os("HOME").map_or_else(std::env::temp_dir, |home| PathBuf::from(home).join(".cache"));
    base.unwrap_or_else(home).join("clientbook")
}

/// Provides Kafka at `version`; fetches it the first time. `say` is told what takes long.
pub async fn provide(version: &str, cache: &Path, say: &(dyn Fn(&str) + Send + Sync)) -> Result<Artifacts, BrokerError> {
    let java = java(version).await?;
    let home = cache.join("kafka").join(version);
    std::fs::create_dir_all(&home).map_err(disk(format!("cannot make {}", home.display())))?;
    let libs = match std::env::var_os("KAFKA_HOME").map(PathBuf::from) {
        Some(kafka) => from_home(&kafka, version)?,
        None => {
            let libs = home.join("libs");
            if !libs.is_dir() {
                say(&format!("fetching Kafka {version} through Maven, once (about 54 MB)"));
                fetch(version, &home, &libs).await?;
            }
            libs
        }
    };
    let logging = home.join("log4j2.properties");
    std::fs::write(&logging, LOGGING).map_err(disk(format!("cannot write {}", logging.display())))?;
    Ok(Artifacts {
        version: version.to_owned(),
        classpath: classpath(&libs)?,
        archive: home.join(format!("classes-{java}.jsa")),
        formats: home.join("formats"),
        logging,
    })
}

/// Whether `version` is in the cache already.
pub fn is_cached(version: &str, cache: &Path) -> bool {
    cache.join("kafka").join(version).join("libs").is_dir()
}

fn from_home(home: &Path, version: &str) -> Result<PathBuf, BrokerError> {
    let libs = home.join("libs");
    let bad = |why: String| BrokerError::BadHome { home: home.to_owned(), why };
    if !libs.is_dir() {
        return Err(bad("has no folder `libs`".into()));
    }
    let wanted = format!("kafka_2.13-{version}.jar");
    if libs.join(&wanted).is_file() {
        Ok(libs)
    } else {
        Err(bad(format!("holds another version than {version}: there is no libs/{wanted}")))
    }
}

/// The class path: every jar by name, so that the class archive fits every time.
fn classpath(libs: &Path) -> Result<String, BrokerError> {
    let entries = std::fs::read_dir(libs).map_err(disk(format!("cannot read {}", libs.display())))?;
    let mut jars: Vec<String> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "jar"))
        .map(|path| path.display().to_string())
        .collect();
    jars.sort();
    Ok(jars.join(":"))
}

/// Java's version, as in `17.0.15`.
async fn java(version: &str) -> Result<String, BrokerError> {
    let output = Command::new("java").arg("-version").stdin(Stdio::null()).output().await;
    let Ok(output) = output else {
        return Err(BrokerError::MissingProgram {
            program: "java",
            purpose: "to run a real broker",
            install: "install a JDK, 17 or newer (Debian: apt install openjdk-17-jdk-headless; macOS: brew install openjdk; others: https://adoptium.net)",
        });
    };
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let found = text.split('"').nth(1).unwrap_or_default().to_owned();
    let major: u32 = found.split(['.', '-']).next().and_then(|n| n.parse().ok()).unwrap_or(0);
    if major < 17 {
        return Err(BrokerError::OldJava { version: version.to_owned(), found: if found.is_empty() { text } else { found } });
    }
    Ok(found)
}

async fn fetch(version: &str, home: &Path, libs: &Path) -> Result<(), BrokerError> {
    let part = home.join(format!("fetch-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&part);
    std::fs::create_dir_all(&part).map_err(disk(format!("cannot make {}", part.display())))?;
    std::fs::write(part.join("pom.xml"), pom(version)).map_err(disk("cannot write pom.xml"))?;
    let output = Command::new("mvn")
        .args([
            "--batch-mode",
            "--no-transfer-progress",
            "dependency:copy-dependencies",
            "-DincludeScope=runtime",
            "-DoutputDirectory=libs",
        ])
        .current_dir(&part)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await;
    let Ok(output) = output else {
        return Err(BrokerError::MissingProgram {
            program: "mvn",
            purpose: "to fetch the published Kafka once",
            install: "install Maven (Debian: apt install maven; macOS: brew install maven; others: https://maven.apache.org/install.html), or set KAFKA_HOME to an unpacked Kafka of the same version",
        });
    };
    let wanted = part.join("libs").join(format!("kafka_2.13-{version}.jar"));
    if !output.status.success() || !wanted.is_file() {
        let words = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        let _ = std::fs::remove_dir_all(&part);
        return Err(BrokerError::Fetch { version: version.to_owned(), words: tail(&words, 15) });
    }
    // Another kit may have been faster; then its folder is as good.
    let moved = std::fs::rename(part.join("libs"), libs);
    let _ = std::fs::remove_dir_all(&part);
    if libs.is_dir() { Ok(()) } else { moved.map_err(disk(format!("cannot make {}", libs.display()))) }
}

fn pom(version: &str) -> String {
    let dependency = |group: &str, artifact: &str, version: &str| {
        format!(
            "    <dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version></dependency>\n"
        )
    };
    let mut pom = String::from(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n  <modelVersion>4.0.0</modelVersion>\n  \
         <groupId>clientbook</groupId><artifactId>kit-broker</artifactId><version>1</version><packaging>pom</packaging>\n  <dependencies>\n",
    );
    pom += &dependency("org.apache.kafka", "kafka_2.13", version);
    pom += &dependency("org.apache.kafka", "kafka-tools", version);
    pom += &dependency("org.apache.logging.log4j", "log4j-slf4j-impl", "2.24.3");
    pom + "  </dependencies>\n</project>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_without_the_right_version_says_why() {
        let home = tempfile::tempdir().unwrap();
        let why = |version: &str| from_home(home.path(), version).unwrap_err().to_string();
        assert!(why("4.4.0").contains("no folder `libs`"));
        std::fs::create_dir(home.path().join("libs")).unwrap();
        assert!(why("4.4.0").contains("no libs/kafka_2.13-4.4.0.jar"));
        std::fs::write(home.path().join("libs/kafka_2.13-4.4.0.jar"), "").unwrap();
        assert!(from_home(home.path(), "4.4.0").is_ok());
        assert!(classpath(&home.path().join("libs")).unwrap().ends_with("kafka_2.13-4.4.0.jar"));
    }

    #[test]
    fn the_pom_names_the_version() {
        assert!(pom("4.1.2").contains("<artifactId>kafka_2.13</artifactId><version>4.1.2</version>"));
    }
}
