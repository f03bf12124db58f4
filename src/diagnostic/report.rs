//! A list of findings, put in order and written out in one of the formats.

use super::text::{Places, Texts};
use super::{Diagnostic, human, machine};
use std::collections::BTreeSet;

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// For people: source lines, help, a summary.
    #[default]
    Human,
    /// One JSON object a line.
    Json,
    /// Annotations of a GitHub workflow.
    Github,
    /// SARIF 2.1.0.
    Sarif,
}

/// Sorts findings by path, place, code and title, and drops those that say the same as another.
pub fn tidy(findings: &mut Vec<Diagnostic>) {
    fn key(finding: &Diagnostic) -> (Option<&str>, Option<super::Span>, &str, &str) {
        let first = finding.labels.first();
        (first.map(|label| label.path.as_str()), first.and_then(|label| label.span), finding.code.id, &finding.title)
    }
    findings.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.labels.cmp(&b.labels)));
    findings.dedup_by(|a, b| key(a) == key(b) && a.labels == b.labels);
}

/// Every finding in `format`, in the order given; see [`tidy`].
pub fn render(findings: &[Diagnostic], texts: &dyn Texts, format: Format, color: bool) -> String {
    let mut places = Places::new(texts);
    match format {
        Format::Human if findings.is_empty() => String::new(),
        Format::Human => {
            let mut out: String = findings.iter().map(|finding| human::render(finding, &mut places, color) + "\n").collect();
            out.push_str(&summary(findings));
            out.push('\n');
            out
        }
        Format::Json => findings.iter().map(|finding| machine::json_line(finding, &mut places)).collect(),
        Format::Github => findings.iter().map(|finding| machine::github_line(finding, &mut places)).collect(),
        Format::Sarif => machine::sarif(findings, &mut places),
    }
}

/// "7 errors, 2 warnings in 4 files"; "no findings" when there are none.
pub fn summary(findings: &[Diagnostic]) -> String {
    let count = |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    let errors = findings.iter().filter(|finding| finding.is_error()).count();
    let warnings = findings.len() - errors;
    let files = findings.iter().filter_map(Diagnostic::path).collect::<BTreeSet<_>>().len();
    let counts = [(errors, "error"), (warnings, "warning")];
    let counts: Vec<String> =
        counts.iter().filter(|(number, _)| *number > 0).map(|(number, noun)| count(*number, noun)).collect();
    match (counts.is_empty(), files) {
        (true, _) => "no findings".to_owned(),
        (false, 0) => counts.join(", "),
        (false, files) => format!("{} in {}", counts.join(", "), count(files, "file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Code, Severity};
    use camino::Utf8Path;

    static BAD: Code = Code { id: "CB999", severity: Severity::Error, summary: "a fault", explanation: "# A fault\n" };
    static ODD: Code = Code { id: "CB998", severity: Severity::Warning, summary: "odd", explanation: "# Odd\n" };

    struct One(&'static str);
    impl Texts for One {
        fn text(&self, path: &Utf8Path) -> Option<&str> {
            (path == "a.toml").then_some(self.0)
        }
    }

    const TEXT: One = One("name = \"x\"\nsuport = \"yes\" # \u{1b}[31mred\u{202e}\n");

    fn findings() -> Vec<Diagnostic> {
        let path = Utf8Path::new("a.toml");
        let mut findings = vec![
            Diagnostic::new(&ODD, "no place at all"),
            Diagnostic::new(&BAD, "in a file, 100%: a, b").in_file("b.toml".into()).note("it was left out"),
            Diagnostic::new(&BAD, "unknown key `suport`")
                .at(path, 11..17, "not a key")
                .at(path, 0..4, "the table \u{1b}[2J")
                .help("did you mean `support`?")
                .fix(path, 11..17, "support"),
        ];
        findings.push(findings[2].clone());
        tidy(&mut findings);
        findings
    }

    #[test]
    fn sorts_and_drops_duplicates() {
        let titles: Vec<String> = findings().into_iter().map(|finding| finding.title).collect();
        assert_eq!(titles, ["no place at all", "unknown key `suport`", "in a file, 100%: a, b"]);
        assert_eq!(summary(&findings()), "2 errors, 1 warning in 2 files");
        assert_eq!(summary(&[]), "no findings");
    }

    #[test]
    fn people_read_lines_and_patches() {
        let out = render(&findings(), &TEXT, Format::Human, false);
        snapbox::assert_data_eq!(
            out,
            snapbox::str![[r#"
warning[CB998]: no place at all

error[CB999]: unknown key `suport`
 --> a.toml:2:1
  |
1 | name = "x"
  | ---- the table /u{1b}[2J
2 | suport = "yes" # /u{1b}[31mred/u{202e}
  | ^^^^^^ not a key
  |
help: did you mean `support`?
  |
2 | support = "yes" # /u{1b}[31mred/u{202e}
  |    +

error[CB999]: in a file, 100%: a, b
--> b.toml
 = note: it was left out

2 errors, 1 warning in 2 files

"#]]
        );
    }

    #[test]
    fn no_format_prints_a_character_that_hides() {
        for format in [Format::Human, Format::Json, Format::Github, Format::Sarif] {
            let out = render(&findings(), &TEXT, format, false);
            assert!(!out.contains(|c| crate::diagnostic::is_hidden(c) && c != '\n'), "{format:?}: {out}");
        }
        let colored = render(&findings(), &TEXT, Format::Human, true);
        assert!(!colored.contains("\u{1b}[2J") && !colored.contains("\u{1b}[31mred"), "{colored}");
    }

    #[test]
    fn programs_read_positions() {
        let out = render(&findings(), &TEXT, Format::Json, false);
        let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(lines[1]["line"], 2);
        assert_eq!(lines[1]["end"]["column"], 7);
        assert_eq!(lines[1]["fix"]["replacement"], "support");
        assert_eq!(lines[0].get("path"), None);
        let out = render(&findings(), &TEXT, Format::Github, false);
        assert!(out.contains("::error file=a.toml,line=2,endLine=2,col=1,endColumn=7,title=CB999%3A a fault::unknown"), "{out}");
        assert!(out.contains("::error file=b.toml,title=CB999%3A a fault::in a file, 100%25: a, b%0Anote: "), "{out}");
        let sarif: serde_json::Value = serde_json::from_str(&render(&findings(), &TEXT, Format::Sarif, false)).expect("JSON");
        assert_eq!(sarif["runs"][0]["results"][1]["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
        assert_eq!(sarif["runs"][0]["tool"]["driver"]["rules"][1]["help"]["text"], "# A fault\n");
    }

    #[test]
    fn fixes_that_overlap_are_applied_one_at_a_time() {
        let path = Utf8Path::new("a.toml");
        let fix = |span: std::ops::Range<usize>, text: &str| Diagnostic::new(&BAD, "x").fix(path, span, text);
        let list = [fix(11..17, "support"), fix(12..13, "no"), fix(0..4, "title"), fix(11..17, "other"), fix(900..901, "x")];
        let (changed, applied) = crate::diagnostic::fixed(&list, &TEXT);
        assert_eq!(applied, 2);
        assert!(changed[path].starts_with("title = \"x\"\nsupport = "), "{changed:?}");
    }
}
