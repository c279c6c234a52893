//! Files for people, and the page about a project.

use std::fs;
use std::path::{Path, PathBuf};

use tusab_engine::{Cancel, Project, ShareFormat, ShareOptions, Source};

use crate::common::{engine, sample};

fn portuguese() -> ShareOptions {
    ShareOptions::default().with_language("pt".parse().unwrap())
}

async fn shared(project: &Project, folder: &Path, name: &str, format: ShareFormat) -> PathBuf {
    let path = folder.join(name);
    project.share(&path, format, &portuguese(), &Cancel::new()).await.unwrap();
    path
}

/// A project whose texts try every format.
async fn hard(data: &Path) -> Project {
    let project = sample(data, "Coleção & <teste>").await;
    let text = "Ação, coração, pinguim; «aspas» e — travessões.\n\n=1+1 | a\u{1}b 🎉 家\n\n# não é título";
    project.ingest(Source::text("Título \"com\" <b>sinais</b> | e 🎬", text)).await.unwrap();
    project
}

#[tokio::test]
async fn markdown_says_what_the_sources_say() {
    let dir = tempfile::tempdir().unwrap();
    let project = hard(&dir.path().join("data")).await;
    let text = fs::read_to_string(shared(&project, dir.path(), "a.md", ShareFormat::Markdown).await).unwrap();
    assert!(text.starts_with("# Coleção \\& \\<teste\\>\n"), "{text}");
    for part in [
        "| Título | Tipo | Data | Trechos |",
        "[0:01](<https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=1s>) A taxa de juros subiu de novo.",
        "Ação, coração, pinguim; «aspas» e — travessões.",
        "\\=1+1 \\| ab 🎉 家",
        "\\# não é título",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[tokio::test]
async fn json_lines_are_objects_of_passages() {
    let dir = tempfile::tempdir().unwrap();
    let project = hard(&dir.path().join("data")).await;
    let text =
        fs::read_to_string(shared(&project, dir.path(), "a.jsonl", ShareFormat::JsonLines).await).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), project.statistics().await.unwrap().chunks);
    let video = lines.iter().find(|line| line["doc"] == "youtube:dQw4w9WgXcQ").unwrap();
    assert_eq!((&video["start_ms"], &video["chunk"]), (&1000.into(), &0.into()));
    assert_eq!(video["text"], "A taxa de juros subiu de novo.");
}

#[tokio::test]
async fn a_conversation_becomes_cards_and_text() {
    let dir = tempfile::tempdir().unwrap();
    let project = hard(&dir.path().join("data")).await;
    let session = project.chat("Aula de; revisão");
    session.ask("O que subiu, \"de novo\"?").await.unwrap();
    for (name, format) in [
        ("c.csv", ShareFormat::AnkiCsv),
        ("c.md", ShareFormat::Markdown),
        ("c.jsonl", ShareFormat::JsonLines),
    ] {
        session.share(dir.path().join(name), format, &portuguese()).await.unwrap();
    }
    let cards = fs::read_to_string(dir.path().join("c.csv")).unwrap();
    assert!(cards.starts_with("#separator:Semicolon\n#html:true\n"), "{cards}");
    let card = cards.lines().last().unwrap();
    assert!(card.starts_with("\"O que subiu, \"\"de novo\"\"?\";") && card.contains("juros"), "{card}");
    let text = fs::read_to_string(dir.path().join("c.md")).unwrap();
    assert!(text.starts_with("# Aula de; revisão\n") && text.contains("## O que subiu"), "{text}");
    let source = "[Juros compostos, 0:01](<https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=1s>)";
    assert!(text.contains(source), "{text}");
    let line = fs::read_to_string(dir.path().join("c.jsonl")).unwrap();
    let turn: serde_json::Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
    assert_eq!(turn["sources"][0]["doc"], "youtube:dQw4w9WgXcQ");
}

#[tokio::test]
async fn a_file_that_cannot_be_written_leaves_the_one_before() {
    let dir = tempfile::tempdir().unwrap();
    let project = hard(&dir.path().join("data")).await;
    let path = dir.path().join("a.md");
    fs::write(&path, "antes").unwrap();
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = project.share(&path, ShareFormat::Markdown, &portuguese(), &cancel).await.unwrap_err();
    assert!(stopped.is_cancelled());
    assert_eq!(fs::read(&path).unwrap(), b"antes");
}

#[cfg(feature = "docx")]
#[tokio::test]
async fn a_docx_has_its_text_its_links_and_its_table() {
    let dir = tempfile::tempdir().unwrap();
    let project = hard(&dir.path().join("data")).await;
    let path = shared(&project, dir.path(), "a.docx", ShareFormat::Docx).await;
    let entries = crate::common::unzip(&path);
    let part =
        |name: &str| String::from_utf8(entries.iter().find(|(it, _)| it == name).unwrap().1.clone()).unwrap();
    let document = part("word/document.xml");
    assert!(document.contains("Ação, coração, pinguim; «aspas» e — travessões."));
    assert!(
        document.contains("Título &quot;com&quot; &lt;b&gt;sinais&lt;/b&gt; | e 🎬")
            || document.contains("&lt;b&gt;sinais&lt;/b&gt; | e 🎬")
    );
    assert!(document.contains("<w:tbl>") && document.contains("<w:hyperlink"));
    assert!(
        part("word/_rels/document.xml.rels").contains("https://www.youtube.com/watch?v=dQw4w9WgXcQ&amp;t=1s")
    );
    // Read again by this engine's own reader.
    let report = project.ingest(Source::file(&path)).await.unwrap();
    assert_eq!(report.stored(), 1, "{report:?}");
}

#[cfg(feature = "xlsx")]
#[tokio::test]
async fn an_xlsx_holds_text_never_formulas() {
    let dir = tempfile::tempdir().unwrap();
    let project = hard(&dir.path().join("data")).await;
    project.ingest(Source::text("=HYPERLINK(\"http://a.b\")", "=1+1 é texto")).await.unwrap();
    let path = shared(&project, dir.path(), "a.xlsx", ShareFormat::Xlsx).await;
    let entries = crate::common::unzip(&path);
    assert!(
        entries
            .iter()
            .filter(|(name, _)| name.contains("worksheets/sheet"))
            .all(|(_, xml)| { !String::from_utf8_lossy(xml).contains("<f>") })
    );
    let report = project.ingest(Source::file(&path)).await.unwrap();
    assert_eq!(report.stored(), 1, "{report:?}");
}

#[cfg(feature = "pdf")]
#[tokio::test]
async fn a_pdf_without_fonts_says_so_and_one_with_them_is_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let project = hard(&dir.path().join("data")).await;
    let path = dir.path().join("a.pdf");
    let none = project.share(&path, ShareFormat::Pdf, &portuguese(), &Cancel::new()).await.unwrap_err();
    assert!(none.to_string().contains("with_font"), "{none}");
    let bad = portuguese().with_font(vec![1, 2, 3]);
    assert!(project.share(&path, ShareFormat::Pdf, &bad, &Cancel::new()).await.is_err());
    assert!(!path.exists());
    let Some(font) = ["DejaVuSans.ttf", "LiberationSans-Regular.ttf"].iter().find_map(|name| {
        ["truetype/dejavu", "truetype/liberation"]
            .iter()
            .find_map(|folder| fs::read(Path::new("/usr/share/fonts").join(folder).join(name)).ok())
    }) else {
        println!("skipped: no font of this machine was found");
        return;
    };
    project.share(&path, ShareFormat::Pdf, &portuguese().with_font(font), &Cancel::new()).await.unwrap();
    let report = project.ingest(Source::file(&path)).await.unwrap();
    assert_eq!(report.stored(), 1, "{report:?}");
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.windows(9).any(|it| it == b"/URI(http") || bytes.windows(10).any(|it| it == b"/URI (http"));
}

#[tokio::test]
async fn the_page_stands_alone_and_no_title_is_markup() {
    let dir = tempfile::tempdir().unwrap();
    let project = hard(&dir.path().join("data")).await;
    let path = dir.path().join("p.html");
    project.report_page(&path, &portuguese(), &Cancel::new()).await.unwrap();
    let page = fs::read_to_string(&path).unwrap();
    assert!(page.contains("<html lang=\"pt\">") && page.contains("default-src 'none'"));
    assert!(page.contains("Coleção &amp; &lt;teste&gt;") && !page.contains("<b>sinais"));
    assert!(page.matches("<svg").count() >= 3);
    for outside in ["<script", "src=", "@import", "url(", "<link", "<iframe"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let empty = engine(&dir.path().join("empty")).project("vazio").await.unwrap();
    empty.report_page(&path, &ShareOptions::default(), &Cancel::new()).await.unwrap();
    assert!(fs::read_to_string(&path).unwrap().contains("Nothing yet."));
}

#[test]
fn old_names_are_the_new_ones() {
    fn same<T>(_: fn(T) -> T, _: fn(T) -> T) {}
    same(|it: tusab_engine::Engine| it, |it: tusab_engine::motor_tusab::Engine| it);
    same(|it: tusab_engine::ChatSession| it, |it: tusab_engine::agent_tusab::ChatSession| it);
    assert_eq!(tusab_engine::agent_tusab::Search::new("x"), tusab_engine::Search::new("x"));
}
