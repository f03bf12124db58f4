//! Every template, filled with a small catalogue made by hand.

use super::*;
use crate::catalogue::*;
use crate::diagnostic::Span;
use crate::guide::Prose;
use crate::matrix::Matrix;
use crate::pages::{Model, Texts, list};
use crate::source::table::FromText;
use jiff::civil::date;
use std::collections::BTreeMap;

fn read<T: FromText>(text: &str) -> T {
    T::from_text(text).unwrap_or_else(|fault| panic!("{text}: {}", fault.expected))
}

const HOSTILE: &str = "<script>alert('x')</script> \"&\"";

fn settings() -> Settings {
    Settings {
        title: "Book".to_owned(),
        subject: "Proto".to_owned(),
        description: "Clients.".to_owned(),
        base_url: read("https://book.example/"),
        edit_url: Some("https://git.book.example/edit/{path}".to_owned()),
        language: "en".to_owned(),
        proof_days: 180,
        checked_days: 365,
        trademark: None,
        menu: vec![MenuItem { title: "Clients".to_owned(), path: "/clients/".to_owned(), span: Span::default() }],
        home: Home {
            heading: "Clients".to_owned(),
            lead: HOSTILE.to_owned(),
            featured_languages: vec![read("python")],
            needs: Vec::new(),
        },
    }
}

fn client(id: &str, based_on: Option<&str>) -> Client {
    let claim = Claim {
        support: Support::Yes,
        since: Some(read("1.0")),
        until: None,
        note: Some(HOSTILE.to_owned()),
        source: read("https://source.example/blob/a/b.py#L3"),
        span: Span::default(),
    };
    Client {
        id: read(id),
        name: format!("{id} {HOSTILE}"),
        summary: HOSTILE.to_owned(),
        languages: vec![read("python")],
        kind: if based_on.is_some() { ClientKind::Binding } else { ClientKind::Native },
        based_on: based_on.map(read),
        aliases: vec![read(&format!("old-{id}"))],
        license: "MIT".to_owned(),
        packages: vec![read("pkg:pypi/a")],
        install: Some("pip install a".to_owned()),
        repository: read("https://source.example/"),
        documentation: None,
        maintainer: Some(HOSTILE.to_owned()),
        checked: read("2026-11-30"),
        checked_span: Span::default(),
        status: Status { value: StatusValue::Active, reason: HOSTILE.to_owned(), source: read("https://source.example/") },
        first_release: None,
        latest_release: Some(Release { version: Some(read("2.0")), date: Some(read("2026-10")), source: read("pkg:pypi/a@2.0") }),
        brokers: None,
        claims: if based_on.is_some() { BTreeMap::new() } else { [(read("produce"), claim)].into() },
        pitfalls: vec![Pitfall {
            title: HOSTILE.to_owned(),
            detail: HOSTILE.to_owned(),
            source: read("https://source.example/"),
        }],
        examples: [(read("send"), ExampleFile { path: format!("clients/{id}/examples/send.py").into(), language: None })].into(),
        example_setup: None,
        example_run: BTreeMap::new(),
        notes: None,
        path: format!("clients/{id}/manifest.toml").into(),
    }
}

fn feature(id: &str) -> Feature {
    Feature {
        id: read(id),
        title: HOSTILE.to_owned(),
        meaning: HOSTILE.to_owned(),
        proposals: vec![Proposal { id: "P-1".to_owned(), title: HOSTILE.to_owned(), url: read("https://source.example/p1") }],
        group: read("basics"),
        body: Body::default(),
        path: format!("content/features/{id}.md").into(),
    }
}

fn catalogue() -> Catalogue {
    let features = vec![read("produce"), read("consume")];
    Catalogue {
        settings: settings(),
        languages: [(
            read("python"),
            Language {
                id: read("python"),
                name: "Python".to_owned(),
                symbol: "Py".to_owned(),
                highlight: None,
                extensions: vec!["py".to_owned()],
                kind: LanguageKind::Language,
                aliases: Vec::new(),
                order: 1,
                path: "content/languages/python.toml".into(),
            },
        )]
        .into(),
        groups: vec![Group {
            id: read("basics"),
            title: HOSTILE.to_owned(),
            summary: HOSTILE.to_owned(),
            features: features.clone(),
        }],
        features: features.iter().map(|id| (id.clone(), feature(id.as_str()))).collect(),
        levels: vec![Level {
            id: read("core"),
            title: "Core".to_owned(),
            order: 1,
            summary: HOSTILE.to_owned(),
            features,
            path: "content/levels/core.toml".into(),
        }],
        registries: BTreeMap::new(),
        examples: [(
            read("send"),
            Example {
                id: read("send"),
                title: "Send".to_owned(),
                order: 1,
                summary: HOSTILE.to_owned(),
                output: vec!["sent".to_owned()],
                body: Body::default(),
                path: "content/examples/send.md".into(),
            },
        )]
        .into(),
        scenarios: BTreeMap::new(),
        clients: [client("engine", None), client("binding", Some("engine"))].into_iter().map(|c| (c.id.clone(), c)).collect(),
    }
}

fn renderer(tree: &SourceTree) -> Renderer {
    let (renderer, findings) = Renderer::new(tree, &Assets::collect(&SourceTree::builtin()).0, &settings());
    assert!(findings.is_empty(), "{findings:#?}");
    renderer.expect("no findings, so there is a renderer")
}

#[test]
fn every_page_is_made_and_text_never_becomes_markup() {
    let catalogue = catalogue();
    let (matrix, _) = Matrix::merge(&catalogue, &[], date(2026, 11, 30));
    let code = crate::guide::escape(HOSTILE);
    let texts = Texts {
        prose: BTreeMap::new(),
        code: catalogue
            .clients
            .values()
            .flat_map(|c| c.examples.values())
            .map(|file| (file.path.clone(), code.clone()))
            .collect(),
    };
    let guides = [crate::guide::Guide {
        address: "/about/".to_owned(),
        title: HOSTILE.to_owned(),
        description: HOSTILE.to_owned(),
        order: 0,
        menu_title: None,
        prose: Prose::default(),
        path: "content/about.md".into(),
    }];
    let model = Model::new(&catalogue, &matrix, &guides, &texts);
    let renderer = renderer(&SourceTree::builtin());
    let pages = list(&model);
    assert!(pages.len() > 25, "{}", pages.len());
    for page in pages {
        let bytes =
            renderer.bytes(&page, &page.view(&model)).unwrap_or_else(|finding| panic!("{}: {finding:#?}", page.address()));
        let text = String::from_utf8(bytes).expect("pages are text");
        if matches!(page.form(), Form::Template(_)) {
            assert!(!text.contains("<script>alert"), "{}", page.address());
        }
    }
}

#[test]
fn a_fault_in_a_template_is_located() {
    let with = |text: &str| {
        let mut tree = SourceTree::builtin();
        tree.insert("templates/404.html".into(), text.as_bytes().to_vec());
        tree
    };
    let (none, findings) = Renderer::new(&with("<p>\n{% if %}"), &Assets::collect(&SourceTree::builtin()).0, &settings());
    assert!(none.is_none());
    assert_eq!(findings[0].code.id, "CB500");
    assert_eq!(findings[0].path().map(Utf8Path::as_str), Some("templates/404.html"));

    let (none, findings) = Renderer::new(
        &with("<p>{{ page | shout }}{{ page | louder }}</p>"),
        &Assets::collect(&SourceTree::builtin()).0,
        &settings(),
    );
    assert!(none.is_none());
    assert_eq!(findings.iter().map(|finding| finding.code.id).collect::<Vec<_>>(), ["CB501", "CB501"]);
    assert!(findings.iter().all(|finding| finding.labels[0].span.is_some()));

    for (text, part) in [
        ("<p>{{ titel }}</p>", "titel"),
        ("<p>{{ page.titel }}</p>", "titel"),
        ("{{ page.title | html }}", "html"),
        ("{{ page.title | safe }}", "safe"),
        ("{% set style = asset(name=\"style.cs\") %}", "style.css"),
    ] {
        let tree = with(text);
        let view = serde_json::json!({ "page": { "title": "T" } });
        let finding = renderer(&tree).page("404.html", &view, None).expect_err(text);
        assert_eq!(finding.code.id, "CB502", "{text}");
        assert!(finding.title.contains(part), "{text}: {}", finding.title);
        assert!(finding.labels[0].span.is_some(), "{text}");
    }
}
