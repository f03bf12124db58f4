//! `results add FILE…`: checks what the kit measured and files it below its client.

use super::codes;
use super::context::Context;
use super::{Exit, Stop};
use crate::catalogue::Catalogue;
use crate::diagnostic::{self, Diagnostic, did_you_mean};
use crate::matrix::Matrix;
use crate::pipeline::{self, Options};
use crate::results::{self, Report};
use crate::source::{self, FILE_BYTES_MAX, SourceTree};
use camino::{Utf8Path, Utf8PathBuf};
use std::io::Read as _;

pub(super) fn add(context: &Context<'_>, files: &[Utf8PathBuf]) -> Result<Exit, Stop> {
    let options = Options { as_of: jiff::civil::Date::MAX, base_url: None };
    let input = pipeline::read(&context.root, &options);
    let Some(book) = &input.book else {
        context.print_findings(&input.findings, &input.tree)?;
        return Err(Stop::new("the catalogue cannot be read").help("mend what is printed above"));
    };
    let (mut texts, mut findings, mut filed) = (SourceTree::default(), Vec::new(), 0);
    for file in files {
        let bytes = read(file)?;
        let verdict = examine(&book.catalogue, &context.root, file, &bytes);
        texts.insert(file.clone(), bytes.clone());
        match verdict {
            Err(mut found) => findings.append(&mut found),
            Ok(place) => {
                source::write(&context.root, &place, &bytes)
                    .map_err(|error| Stop::new(format!("cannot write `{place}`: {error}")))?;
                filed += 1;
                context.terminal.say(&format!("filed `{file}` as `{place}`"));
            }
        }
    }
    diagnostic::tidy(&mut findings);
    let exit = context.print_findings(&findings, &texts)?;
    context.terminal.say(&format!("filed {filed} of {} results; next: `clientbook check`", files.len()));
    Ok(exit)
}

fn read(file: &Utf8Path) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    let open = || std::fs::File::open(file)?.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
    let length = { open }().map_err(|error| Stop::new(format!("cannot read `{file}`: {error}")))?;
    if length as u64 > FILE_BYTES_MAX {
        return Err(Stop::new(format!("`{file}` has more than the {FILE_BYTES_MAX} bytes that a file may have")));
    }
    Ok(bytes)
}

/// Where the result belongs, or what is wrong with it.
fn examine(catalogue: &Catalogue, root: &Utf8Path, file: &Utf8Path, bytes: &[u8]) -> Result<Utf8PathBuf, Vec<Diagnostic>> {
    let report: Option<Report> = serde_json::from_slice(bytes).ok();
    let client = report.as_ref().and_then(|report| catalogue.clients.get(report.client.id.as_str()));
    if let (Some(report), None) = (&report, client) {
        let id = &report.client.id;
        let near = did_you_mean(id, catalogue.clients.keys().map(|id| id.as_str()));
        let finding = Diagnostic::new(&codes::UNKNOWN_CLIENT, format!("there is no client `{id}`")).in_file(file);
        return Err(vec![match near {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help("add the client first: `clients/<id>/manifest.toml`"),
        }]);
    }
    // The loader and the merge say what is wrong, as they will once it is filed.
    let name = report.as_ref().map_or_else(|| "unread.json".to_owned(), file_name);
    let id = client.map_or("unread", |client| client.id.as_str());
    let place = Utf8Path::new("clients").join(id).join("results").join(name);
    let tree = SourceTree::from_files([(place.clone(), bytes)]);
    let (filed, mut findings) = results::read(&tree);
    if let [report] = &filed[..] {
        let (_, mut more) = Matrix::merge(catalogue, &filed, report.day());
        // What else there is to say of the catalogue is for `check` to say.
        more.retain(|finding| finding.path() == Some(&place));
        findings.append(&mut more);
    }
    for label in findings.iter_mut().flat_map(|finding| &mut finding.labels).filter(|label| label.path == place) {
        label.path = file.to_owned();
    }
    let exists = std::fs::read(root.join(&place)).ok();
    if findings.is_empty() && exists.is_some_and(|there| there != bytes) {
        findings.push(
            Diagnostic::new(&codes::RESULT_EXISTS, format!("`{place}` is there already and is different"))
                .in_file(file)
                .help("remove one of the two; a result is never overwritten"),
        );
    }
    if findings.is_empty() { Ok(place) } else { Err(findings) }
}

/// `<date>-<client version>-<broker>-<version>[-<n>-nodes].json`, of safe characters only.
fn file_name(report: &Report) -> String {
    let date: String = report.date.chars().take(10).collect();
    let broker = &report.broker;
    let nodes = if broker.nodes == 1 { String::new() } else { format!("-{}-nodes", broker.nodes) };
    let name = format!("{date}-{}-{}-{}{nodes}", report.client.version, broker.name, broker.version);
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-._+".contains(c) { c } else { '_' };
    let name: String = name.chars().map(safe).take(200).collect();
    format!("{}.json", name.trim_start_matches('.'))
}
