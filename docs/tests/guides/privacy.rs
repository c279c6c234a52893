//! `privacy.md`: what leaves the machine, and which code could send it.

use std::collections::BTreeSet;

use tusab_engine::llm::testing::{Recorded, ReplayServer};
use tusab_engine::llm::{BaseUrl, Client, Endpoint, Provider, RetryPolicy, Routes};
use tusab_engine::{AnswerKind, Cancel, ShareFormat, ShareOptions, Source};

use crate::common::{engine, page, read, root, rust_files};

/// By what a program reaches beyond itself.
const REACHES: [&str; 10] = [
    "tokio_postgres",
    "reqwest::",
    "ureq::",
    "TcpStream",
    "TcpListener",
    "UdpSocket",
    "UnixStream",
    "ToSocketAddrs",
    "Command::new",
    "tokio::net",
];

#[test]
fn only_the_files_that_the_page_names_reach_beyond_the_program() {
    let mut reaching = BTreeSet::new();
    for file in rust_files(&root().join("crates")) {
        let path = file.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
        let text = read(&file);
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let is_test = !path.contains("/src/") || path.ends_with("/tests.rs");
        if !is_test && code.into_iter().any(|line| REACHES.iter().any(|word| line.contains(word))) {
            reaching.insert(path);
        }
    }
    let page = page("privacy.md");
    let named = |path: &String| {
        page.contains(&format!("`{path}`"))
            || path.match_indices('/').any(|(at, _)| page.contains(&format!("`{}`", &path[..=at])))
    };
    assert!(
        reaching.iter().all(named),
        "{:?}",
        reaching.iter().filter(|path| !named(path)).collect::<Vec<_>>()
    );
    assert!(reaching.len() > 5, "{reaching:?}");
}

#[test]
fn the_addresses_of_the_providers_are_those_of_the_page() {
    let page = page("privacy.md");
    let mut count = 0;
    for file in rust_files(&root().join("crates/tusab-llm/src")) {
        for line in read(&file).lines().filter(|line| line.contains("BASE: &str = \"https://")) {
            count += 1;
            let address = line.split('"').nth(1).unwrap();
            assert!(page.contains(&format!("`{address}`")), "{address}");
        }
    }
    assert_eq!(count, 4);
}

#[tokio::test]
async fn a_model_is_sent_the_question_and_what_was_found_and_no_more() {
    let (data, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let event = serde_json::json!({"choices": [{"index": 0, "delta": {"content": "Three [1]."}, "finish_reason": "stop"}]});
    let server = ReplayServer::start([
        Recorded::json(200, "{\"data\":[]}"),
        Recorded::events(format!("data: {event}\n\ndata: [DONE]\n\n")),
    ])
    .unwrap();
    let provider = Provider::OpenAiCompatible;
    let url = BaseUrl::parse(provider, &server.url()).unwrap();
    let client = Client::builder()
        .with_retry(RetryPolicy::never())
        .with_endpoint(provider, Endpoint::at(url))
        .build()
        .unwrap();
    let routes = Routes::one("openai-compatible::small".parse().unwrap());
    let engine = engine(data.path()).routes(&client, &routes).unwrap().build().unwrap();
    let project = engine.project("Zebra crossing").await.unwrap();
    let note = files.path().join("wombat.md");
    std::fs::write(&note, "# Herbs\n\nMint needs three to four hours of sun.").unwrap();
    project.ingest(Source::file(&note)).await.unwrap();
    project.ingest(Source::text("Private", "The alarm of the house is 4711.")).await.unwrap();
    assert!(server.requests().is_empty(), "taking in asks nobody");
    let answer = project.chat("Quokka").ask("What does mint need?").await.unwrap();
    assert!(matches!(answer.kind, AnswerKind::Generated { .. }), "{answer:?}");

    let requests = server.requests();
    // What models it has, and the question.
    assert_eq!(requests.len(), 2);
    let sent: Vec<u8> = requests
        .iter()
        .flat_map(|request| {
            let headers = request.headers.iter().map(|(name, value)| format!("{name}: {value}\n"));
            let head: String = std::iter::once(format!("{}\n", request.path)).chain(headers).collect();
            [head.into_bytes(), request.body.clone()].concat()
        })
        .collect();
    let sent = String::from_utf8(sent).unwrap();
    for told in ["What does mint need?", "Mint needs three to four hours of sun.", "Herbs"] {
        assert!(sent.contains(told), "{told}");
    }
    let folder = files.path().to_string_lossy().into_owned();
    // Nothing of other documents, no names of files, folders, project or conversation.
    for kept in ["4711", "Private", "wombat", folder.as_str(), "Zebra", "Quokka"] {
        assert!(!sent.contains(kept), "{kept} was sent: {sent}");
    }
}

#[tokio::test]
async fn what_is_written_for_people_loads_nothing_when_it_is_opened() {
    let data = tempfile::tempdir().unwrap();
    let project = engine(data.path()).build().unwrap().project("Garden").await.unwrap();
    let note =
        "Mint needs three to four hours of sun. <img src=http://127.0.0.1:1/a>\n\n![x](http://127.0.0.1:1/b)";
    project.ingest(Source::text("Herbs", note)).await.unwrap();
    let options = ShareOptions::default();
    let (page, markdown) = (data.path().join("a.html"), data.path().join("a.md"));
    project.report_page(&page, &options, &Cancel::new()).await.unwrap();
    let page = read(&page);
    for loads in ["<script", "src=", "@import", "url(", "<link", "<iframe", "<object", "<img"] {
        assert!(!page.contains(loads), "{loads}");
    }
    project.share(&markdown, ShareFormat::Markdown, &options, &Cancel::new()).await.unwrap();
    let markdown = read(&markdown);
    assert!(markdown.contains("three to four hours"), "{markdown}");
    let unescaped = markdown.replace("\\<", "");
    assert!(!unescaped.contains("<img") && !markdown.contains("![x]"), "{markdown}");
}
