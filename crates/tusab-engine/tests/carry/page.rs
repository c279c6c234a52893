//! The page about a project, in a real browser.
//!
//! `TUSAB_KEEP` names a folder for pictures of it.

use std::fs;
use std::path::Path;
use std::process::Command;

use tusab_engine::{Cancel, ShareOptions, Source};

use crate::common::{engine, sample};

/// Markup in every place that a user or a source can write into.
const HOSTILE: &str =
    "</title></script><script>window.pwned=1</script><img src=x onerror=window.pwned=2>\"'&amp;";

/// Opens a page in the browser; the script says what it looks at.
fn browse(page: &Path, name: &str, title: &str, charts: &str) {
    for variable in ["TUSAB_NODE_APPS", "TUSAB_CHROMIUM"] {
        let is_set = std::env::var_os(variable).is_some();
        assert!(is_set, "{variable} is not set: run scripts/test.sh, or eval \"$(scripts/assets.sh)\" first");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/carry/page.mjs");
    let mut node = Command::new("node");
    node.arg(script).arg(page).args([name, title, charts]).args(std::env::var_os("TUSAB_KEEP"));
    let output = node.output().expect("node can be started");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    // A script that does nothing would succeed too.
    assert_eq!(told, "page: done\n");
}

#[tokio::test]
#[ignore = "needs Node and Chromium, from scripts/assets.sh"]
async fn the_page_stands_alone_in_a_browser_and_fits_a_phone() {
    let dir = tempfile::tempdir().unwrap();
    let project = sample(&dir.path().join("data"), HOSTILE).await;
    let wide = "W".repeat(200);
    let titles =
        [HOSTILE, &wide, "שלום \u{202e}txt.exe", "🎉 Ação e reação 🎂", "家家家家".repeat(20).as_str()].map(
            |title| {
                Source::text(title, format!("O texto {HOSTILE} de {title}. {}", "Frase comum. ".repeat(20)))
            },
        );
    let report = project.ingest_all(titles.to_vec(), &Cancel::new()).await.unwrap();
    assert_eq!(report.stored(), 5, "{report:?}");
    let videos = dir.path().join("vídeos");
    fs::create_dir(&videos).unwrap();
    for (number, date) in ["20240131", "20240305", "20250712"].iter().enumerate() {
        let name = format!("Aula [aaaaaaaaaa{number}]");
        let words = format!("WEBVTT\n\n00:01.000 --> 00:05.000\nA aula número {number}.\n");
        fs::write(videos.join(format!("{name}.pt.vtt")), words).unwrap();
        let info = format!(r#"{{"id":"aaaaaaaaaa{number}","title":"Aula {number}","upload_date":"{date}"}}"#);
        fs::write(videos.join(format!("{name}.info.json")), info).unwrap();
    }
    let report = project.ingest(Source::folder(&videos)).await.unwrap();
    assert_eq!(report.stored(), 3, "{report:?}");
    let (page, options) =
        (dir.path().join("página.html"), ShareOptions::default().with_language("pt".parse().unwrap()));
    project.report_page(&page, &options, &Cancel::new()).await.unwrap();
    // Documents over time, passages of each source, two of health, words.
    browse(&page, HOSTILE, HOSTILE, "5");
}

#[tokio::test]
#[ignore = "needs Node and Chromium, from scripts/assets.sh"]
async fn the_page_of_an_empty_project_is_whole_too() {
    let dir = tempfile::tempdir().unwrap();
    let project = engine(&dir.path().join("data")).project("vazio").await.unwrap();
    let page = dir.path().join("p.html");
    project.report_page(&page, &ShareOptions::default(), &Cancel::new()).await.unwrap();
    // Two of health alone.
    browse(&page, "vazio", "Nothing yet.", "2");
}
