//! Files for people, opened for real: in `LibreOffice`, by poppler, by a reader of CSV.
//!
//! `TUSAB_KEEP` names a folder that they are left in, to be looked at.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tusab_engine::{Cancel, Card, Project, ShareFormat, ShareOptions, Source, anki_csv};

use crate::common::sample;

const ROWS: usize = 120;
const LINK: &str = "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=1s";

/// What has to be read in each of them, whatever lines it is broken into. Pictures are of another font, and poppler may read
/// them before or after the words beside them.
const PARTS: [&str; 7] = [
    "Ação, coração, pinguim; «aspas» e — travessões.",
    "Título \"com\" <b>sinais</b> | e",
    "=1+1 | ab",
    "é texto",
    "🎉",
    "🎬",
    "A taxa de juros subiu de novo.",
];

/// A project with a long table, and texts that try every format.
async fn long(data: &Path) -> Project {
    let project = sample(data, "Coleção & <teste>").await;
    let text = "Ação, coração, pinguim; «aspas» e — travessões.\n\n=1+1 | a\u{1}b 🎉 é texto";
    let mut sources = vec![
        Source::text("Título \"com\" <b>sinais</b> | e 🎬", text),
        Source::text("=HYPERLINK(\"http://127.0.0.1/\")", "+1 é texto"),
    ];
    let title = |n| format!("Fonte número {n}: ação e reação em títulos longos");
    sources.extend((0..ROWS).map(|n| Source::text(title(n), format!("Texto {n} é único."))));
    let report = project.ingest_all(sources, &Cancel::new()).await.unwrap();
    assert_eq!(report.stored(), ROWS + 2, "{report:?}");
    project
}

fn portuguese() -> ShareOptions {
    ShareOptions::default().with_language("pt".parse().unwrap())
}

/// Fonts of this machine, with emoji where it has them; none where it has no fonts.
fn with_fonts(options: ShareOptions) -> ShareOptions {
    let folder = Path::new("/usr/share/fonts/truetype");
    let fonts = ["dejavu/DejaVuSans.ttf", "noto/NotoColorEmoji.ttf"].iter();
    fonts.filter_map(|name| fs::read(folder.join(name)).ok()).fold(options, ShareOptions::with_font)
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The output of a program that succeeds and complains of nothing; none where it is not on this machine.
fn told_by(program: &str, arguments: &[&str], file: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.args(arguments).arg(file);
    if program == "pdftotext" {
        command.arg("-");
    }
    let output = command.output().ok()?;
    assert!(output.status.success() && output.stderr.is_empty(), "{program}: {output:?}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The text and the links of a PDF's pages, and the number of these, by poppler.
fn pages(pdf: &Path) -> Option<(String, Vec<String>, usize)> {
    let text = told_by("pdftotext", &[], pdf)?;
    let list = told_by("pdfinfo", &["-url"], pdf)?;
    let links = list.lines().filter_map(|line| line.split_whitespace().last()).map(str::to_owned).collect();
    let about = told_by("pdfinfo", &[], pdf)?;
    let pages = about.lines().find_map(|line| line.strip_prefix("Pages:")).unwrap().trim().parse().unwrap();
    Some((squeezed(&text), links, pages))
}

/// What `LibreOffice` makes of files, in the kind that its filter is for; false where it is not on this machine.
fn convert(to: &str, files: &[PathBuf]) -> bool {
    let folder = files[0].parent().unwrap();
    let profile = format!("-env:UserInstallation=file://{}", folder.join("profile").display());
    let mut office = Command::new("soffice");
    office.args([&profile, "--headless", "--convert-to", to, "--outdir"]).arg(folder).args(files);
    let Ok(output) = office.output() else {
        println!("skipped: there is no LibreOffice on this machine");
        return false;
    };
    assert!(output.status.success(), "{output:?}");
    true
}

/// A folder that goes with the test, or the one that is to be kept.
fn folder(dir: &tempfile::TempDir) -> PathBuf {
    std::env::var_os("TUSAB_KEEP").map_or_else(|| dir.path().to_owned(), PathBuf::from)
}

fn assert_says_all(name: &str, pdf: &Path, parts: &[&str]) -> Option<(String, Vec<String>, usize)> {
    let Some((text, links, pages)) = pages(pdf) else {
        println!("skipped: poppler's programs are not on this machine");
        return None;
    };
    for part in parts {
        assert!(text.contains(&squeezed(part)), "{name}: {part} is missing");
    }
    Some((text, links, pages))
}

#[tokio::test]
async fn office_files_open_with_their_texts_tables_and_links() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(&dir);
    let project = long(&dir.path().join("data")).await;
    let session = project.chat("Aula 🎬 de revisão");
    session.ask("O que subiu, \"de novo\"?").await.unwrap();
    let mut files = Vec::new();
    for (name, format) in [("projeto-d.docx", ShareFormat::Docx), ("projeto-x.xlsx", ShareFormat::Xlsx)] {
        project.share(folder.join(name), format, &portuguese(), &Cancel::new()).await.unwrap();
        files.push(folder.join(name));
    }
    for (name, format) in [("conversa-d.docx", ShareFormat::Docx), ("conversa-x.xlsx", ShareFormat::Xlsx)] {
        session.share(folder.join(name), format, &portuguese()).await.unwrap();
        files.push(folder.join(name));
    }
    if !convert("pdf", &files) {
        return;
    }
    let texts: Vec<PathBuf> =
        files.iter().filter(|file| file.extension().is_some_and(|it| it == "docx")).cloned().collect();
    convert("fodt", &texts);
    for file in &files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let is_chat = name.starts_with("conversa");
        let parts: &[&str] = if is_chat { &["O que subiu, \"de novo\"?", "juros subiu"] } else { &PARTS };
        let Some((text, links, pages)) = assert_says_all(&name, &file.with_extension("pdf"), parts) else {
            return;
        };
        // LibreOffice keeps no links of a text in its PDF: those are looked at as it has understood them.
        let is_linked = if name.ends_with("docx") {
            let read = fs::read_to_string(file.with_extension("fodt")).unwrap();
            read.contains(&format!("xlink:href=\"{}\"", LINK.replace('&', "&amp;")))
        } else {
            // A row is of a source, and not of its seconds; a sheet of a conversation has none.
            is_chat || links.iter().any(|link| LINK.strip_suffix("&t=1s") == Some(link))
        };
        assert!(is_linked, "{name}: {links:?}");
        if !is_chat {
            let missing: Vec<usize> = (0..ROWS)
                .filter(|n| !text.contains(&squeezed(&format!("Fonte número {n}: ação e reação"))))
                .collect();
            assert!(missing.is_empty() && pages > 3, "{name}: {missing:?} of {pages} pages");
        }
    }
    cells(&folder.join("projeto-x.xlsx"));
}

/// Every cell of every sheet, as `LibreOffice` has computed it: text that looks like a formula is text.
fn cells(sheet: &Path) {
    // Separated by semicolons, quoted, in UTF-8, as shown, all sheets (LibreOffice's tokens of its CSV filter).
    convert(
        "csv:Text - txt - csv (StarCalc):59,34,76,1,,0,false,true,false,false,false,-1",
        &[sheet.to_owned()],
    );
    let mut cells = HashSet::new();
    for entry in fs::read_dir(sheet.parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "csv") && path.to_string_lossy().contains("projeto-x") {
            let mut reader = csv::ReaderBuilder::new()
                .delimiter(b';')
                .has_headers(false)
                .flexible(true)
                .from_path(&path)
                .unwrap();
            cells.extend(
                reader.records().flat_map(|row| row.unwrap().iter().map(str::to_owned).collect::<Vec<_>>()),
            );
        }
    }
    for whole in ["=HYPERLINK(\"http://127.0.0.1/\")", "+1 é texto", "Título \"com\" <b>sinais</b> | e 🎬"]
    {
        assert!(cells.contains(whole), "{whole} is none of {cells:?}");
    }
    let rows = (0..ROWS).filter(|n| cells.contains(&format!("Texto {n} é único."))).count();
    assert_eq!(rows, ROWS);
}

#[tokio::test]
async fn a_pdf_is_read_with_its_texts_its_table_and_its_links() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(&dir);
    let project = long(&dir.path().join("data")).await;
    let options = with_fonts(portuguese());
    if options.fonts.len() < 2 {
        println!("skipped: this machine lacks the fonts DejaVu Sans and Noto Color Emoji");
        return;
    }
    let file = folder.join("próprio.pdf");
    project.share(&file, ShareFormat::Pdf, &options, &Cancel::new()).await.unwrap();
    let Some((text, links, pages)) = assert_says_all("pdf", &file, &PARTS) else { return };
    assert!(text.starts_with("Coleção&<teste>"));
    let missing: Vec<usize> =
        (0..ROWS).filter(|n| !text.contains(&squeezed(&format!("Texto {n} é único.")))).collect();
    assert!(missing.is_empty() && pages > 3, "{missing:?} of {pages} pages");
    assert!(links.iter().any(|link| link == LINK), "{links:?}");
    // Every page is drawn without a complaint.
    let picture = folder.join("próprio");
    let drawn =
        Command::new("pdftoppm").args(["-r", "40", "-png"]).arg(&file).arg(&picture).output().unwrap();
    assert!(drawn.status.success() && drawn.stderr.is_empty(), "{drawn:?}");
}

#[tokio::test]
async fn cards_are_read_back_as_they_were() {
    let hard = [
        ("O que é; \"isto\"?", "Linha um\nlinha dois\r\n\nlinha quatro"),
        ("#não é comentário", "a\tb; \"\" ; '"),
        ("<b>&amp;</b>", "🎬 ação = <i>"),
        (" espaços ", "=1+1"),
    ];
    let cards: Vec<Card> =
        hard.iter().map(|(front, back)| Card::new(*front, *back).with_tags(["duas palavras", "b"])).collect();
    let text = anki_csv(&cards);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(b';')
        .comment(Some(b'#'))
        .has_headers(false)
        .from_reader(text.as_bytes());
    let rows: Vec<Vec<String>> =
        reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    assert_eq!(rows.len(), hard.len(), "{text}");
    for (row, (front, back)) in rows.iter().zip(hard) {
        // As Anki shows a field of HTML.
        let shown = |field: &str| {
            let lines = field.replace("<br>", "\n").replace("&lt;", "<").replace("&gt;", ">");
            lines.replace("&quot;", "\"").replace("&amp;", "&")
        };
        let lines = |text: &str| text.trim().replace("\r\n", "\n");
        assert_eq!((shown(&row[0]), shown(&row[1])), (lines(front), lines(back)));
        assert_eq!(row[2], "duas_palavras b");
    }
    // A conversation by the same way, its question and its answer whole.
    let dir = tempfile::tempdir().unwrap();
    let session = sample(&dir.path().join("data"), "P").await.chat("s");
    let answer = session.ask("O que subiu; \"de novo\"?").await.unwrap();
    session.share(dir.path().join("c.csv"), ShareFormat::AnkiCsv, &portuguese()).await.unwrap();
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(b';')
        .comment(Some(b'#'))
        .has_headers(false)
        .from_path(dir.path().join("c.csv"))
        .unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!((rows.len(), &rows[0][0]), (1, "O que subiu; \"de novo\"?"));
    assert!(answer.text.contains('\n') && rows[0][1].contains("<br>") && rows[0][1].contains("juros subiu"));
}
