//! Taking over what the Python app has kept. The data here is written by these tests, byte by byte as that app writes it.

use std::fs;
use std::path::Path;

use serde_json::json;
use tusab_engine::{Cancel, Error, LegacyFate, LegacyReport, PortableFault, Schedule, Source};

use crate::common::{assert_nothing, engine, found, sample, tree, zip};

const BOM: &str = "\u{feff}";

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A block as the app writes it; `fields` ends its header.
fn block(title: &str, id: &str, start: u64, fields: &str, said: &str) -> String {
    format!(
        "{}\nTITULO: {title}\nABA: Videos\nDATA: 05/03/2024\nLINK: https://www.youtube.com/watch?v={id}\nVIDEO_ID: {id}\n\
         VIEWS: 1234\nTIMESTAMP_INICIO: {start}\n{fields}{}\nCONTEUDO:\n{said}\n\n",
        "=".repeat(70),
        "-".repeat(70),
    )
}

fn header(name: &str) -> String {
    format!(
        "{BOM}# Canal: {name}\n# URL: https://www.youtube.com/@canal\n# Inscritos: 10 mil\n# Extraído em: 01/01/2025\n\
         # Conteúdo pertence aos seus autores; uso pessoal e de estudo apenas.\n\n"
    )
}

fn document(title: &str, body: &str) -> String {
    format!(
        "{BOM}TITULO: {title}\r\nFONTE: {title}.pdf\r\nDATA: 02/01/2023\r\nURL_ORIGEM: https://exemplo.org/a\r\n\
             QUALIDADE_PDF: texto_nativo\r\n{}\r\n\r\n{body}\r\n",
        "-".repeat(70)
    )
}

/// A data directory with one of everything.
fn old_data(root: &Path) {
    let said = |word: &str| {
        format!("Nesta aula falamos de {word}, com calma e com exemplos do dia a dia de cada um.")
    };
    let channel = "neural/Base_de_Finanças/youtube/Canal_Legal";
    let first = block("Juros 0:00 – 2:00", "aaaaaaaaaa1", 0, "TAGS: juros, dinheiro\nDESCRICAO: Aula um\n", &said("jabuticaba"))
        + &block("Juros 1:45 – 3:45", "aaaaaaaaaa1", 105, "TAGS: juros, dinheiro\nDESCRICAO: Aula um\n", &said("graviola"))
        // Empty fields, which the app reads as the next line.
        + &block("Sem tags", "aaaaaaaaaa2", 0, "TAGS: \nDESCRICAO: \n", &format!("{}\n{}\n{}", said("pitanga"), "=".repeat(70), said("cupuaçu")));
    write(root, &format!("{channel}/Canal_Legal_Parte_1.txt"), &(header("Canal Legal") + &first));
    // The same again, since files are appended to, with the line ends of Windows.
    let second = block(
        "Juros 1:45 – 3:45",
        "aaaaaaaaaa1",
        105,
        "TAGS: juros, dinheiro\nDESCRICAO: Aula um\n",
        &said("graviola"),
    ) + &block(
        "Dois (parte 1/2)",
        "aaaaaaaaaa3",
        0,
        "PARTE: 1\nTOTAL_PARTES: 2\nTAGS: x\nDESCRICAO: y\n",
        &said("umbu"),
    ) + &block(
        "Dois (parte 2/2)",
        "aaaaaaaaaa3",
        90,
        "PARTE: 2\nTOTAL_PARTES: 2\nTAGS: x\nDESCRICAO: y\n",
        &said("cajá"),
    );
    write(
        root,
        &format!("{channel}/Canal_Legal_Parte_2.txt"),
        &(header("Canal Legal") + &second).replace('\n', "\r\n"),
    );
    let tenth = block("Dez", "aaaaaaaaa10", 0, "TAGS: x\nDESCRICAO: y\n", &said("bacuri"));
    write(root, &format!("{channel}/Canal_Legal_Parte_10.txt"), &(BOM.to_owned() + &tenth));
    write(
        root,
        &format!("{channel}/Canal_Legal_base.csv"),
        "\u{feff}ID,Data_Pub,Link,Titulo,Aba,Views,Local,Status,Data_Extracao\r\n\
         aaaaaaaaaa1,05/03/2024,l,Juros,Videos,1234,neural,Sucesso,01/01/2025\r\n\
         aaaaaaaaaa4,06/03/2024,l,\"Antigo, sem id\",Videos,12,neural,Sucesso,01/01/2025\r\n\
         aaaaaaaaaa5,07/03/2024,l,Sumido,Videos,1,Recuperado,Sucesso,01/01/2025\r\n\
         aaaaaaaaaa6,07/03/2024,l,Mudo,Shorts,1,,Sem Legenda,01/01/2025\r\n\
         aaaaaaaaaa7,07/03/2024,l,Curto,Shorts,1,,Legenda Curta,01/01/2025\r\n",
    );
    // Without an id, a link and a date, which the list of the channel knows.
    let bare = format!(
        "{}\nTITULO: Antigo, sem id\nABA: Videos\nDATA: \n{}\nCONTEUDO:\n{}\n",
        "=".repeat(70),
        "-".repeat(70),
        said("ingá")
    );
    write(root, &format!("{channel}/Canal_Legal_Parte_11.txt"), &bare);
    write(
        root,
        &format!("{channel}/Canal_Legal_summary.json"),
        r#"{"total_mapeado": 4, "canal_nome_canal": "Canal Legal!", "canal_url": "https://www.youtube.com/@canal",
            "canal_urls": ["https://www.youtube.com/@canal", "ftp://outro"], "ultimo_filtro": {"playlists": []},
            "auto_update": {"enabled": true, "frequencia": "semanal", "fontes": []}}"#,
    );

    let documents = "neural/Base_de_Finanças/documents";
    write(
        root,
        &format!("{documents}/1a2b3c4d_relatorio.txt"),
        &document("Relatório: 2023", "O relatório trata de araçá e de mais."),
    );
    write(
        root,
        &format!("{documents}/5e6f7a8b_solto.txt"),
        &document("Solto", "Um documento de buriti que lista nenhuma nomeia."),
    );
    let list = json!([
        { "id": "1a2b3c4d", "nome_original": "relatorio.pdf", "nome_txt": "1a2b3c4d_relatorio.txt", "tipo": "pdf",
          "tamanho": 10, "data": "02/01/2023", "chars": 30 },
        { "id": "00000000", "nome_original": "fantasma.pdf", "nome_txt": "../../../etc/passwd", "tipo": "pdf" },
    ]);
    write(root, &format!("{documents}/_manifest.json"), &list.to_string());
    let texts = "neural/Base_de_Finanças/texts";
    write(
        root,
        &format!("{texts}/9c8d7e6f_nota.txt"),
        &format!(
            "{BOM}TITULO: Nota\nFONTE: texto\nDATA: 03/02/2024\n{}\n\nA nota fala de murici.\n",
            "-".repeat(70)
        ),
    );
    write(root, &format!("{texts}/_manifest.json"), "[{ quebrado");
    write(root, &format!("{texts}/_chat_history/c.txt"), "TEMA: x\nPERGUNTA: segredo");
    write(root, "neural/Base_de_Finanças/estudo/cards.json", "{}");
    write(root, "neural/Base_de_Finanças/estudo/resumo.md", "O resumo do estudo fala de sapoti.");
    write(root, "extraction_queue.json", "[]");
    write(root, "neural/Base_de_Finanças/management/corpus_profile.json", "{}");
    // Read as Latin-1 and saved again.
    let mojibake: String = said("pão de queijo e açaí").bytes().map(char::from).collect();
    write(root, "neural/Outra/texts/0_m.txt", &mojibake);

    write(
        root,
        "agent_index/Base_de_Finanças_index.json",
        r#"{"projeto_nome": "Base de Finanças", "chunks": []}"#,
    );
    write(root, "config/agent_config.json", r#"{"provider": "openai", "openai_key": "sk-segredo", "n": 6}"#);
}

fn fates(report: &LegacyReport, fate: LegacyFate) -> Vec<String> {
    let of = report.items.iter().filter(|item| item.fate == fate);
    of.map(|item| format!("{}: {}", item.path.display().to_string().replace('\\', "/"), item.what)).collect()
}

#[tokio::test]
async fn a_data_directory_is_taken_over_and_left_as_it_was() {
    let (old, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    old_data(old.path());
    let before = tree(old.path());
    let report = engine(new.path()).import_tusab(old.path()).await.unwrap();
    assert_eq!(tree(old.path()), before);

    let names: Vec<String> = report.projects.iter().map(|it| it.project.name()).collect();
    assert_eq!(names, ["Base de Finanças", "Outra"]);
    let base = &report.projects[0];
    assert_eq!((base.videos, base.documents, base.texts), (5, 2, 2), "{report:#?}");
    let channel = &base.channels[0];
    assert_eq!((channel.name.as_deref(), channel.schedule), (Some("Canal Legal!"), Some(Schedule::Weekly)));
    assert_eq!(channel.urls, ["https://www.youtube.com/@canal".parse().unwrap()]);
    assert!(base.project.followed().await.unwrap().is_empty(), "the app says what is asked for");
    for (word, title) in [
        ("jabuticaba", "Juros"),
        ("graviola", "Juros"),
        ("pitanga", "Sem tags"),
        ("cupuaçu", "Sem tags"),
        ("umbu", "Dois"),
        ("cajá", "Dois"),
        ("bacuri", "Dez"),
        ("araçá", "Relatório: 2023"),
        ("buriti", "Solto"),
        ("murici", "Nota"),
        ("ingá", "Antigo, sem id"),
        ("sapoti", "resumo"),
    ] {
        assert_eq!(found(&base.project, word).await, [title], "{word}");
    }
    for nothing in ["Inscritos", "QUALIDADE_PDF", "segredo", "VIEWS"] {
        assert!(found(&base.project, nothing).await.is_empty(), "{nothing}");
    }
    assert_eq!(found(&report.projects[1].project, "açaí").await.len(), 1);

    // The moment, the date and the link are those of the old blocks.
    let hits = base.project.search("graviola").await.unwrap().hits;
    let document = &hits[0].document;
    assert_eq!(document.id.as_str(), "youtube:aaaaaaaaaa1");
    assert_eq!(document.date.map(|date| date.to_string()).as_deref(), Some("2024-03-05"));
    assert_eq!(document.tags, ["juros", "dinheiro"]);
    assert!(document.link.as_deref().unwrap().contains("aaaaaaaaaa1"));
    let hits = base.project.search("ingá").await.unwrap().hits;
    assert_eq!(hits[0].document.id.as_str(), "youtube:aaaaaaaaaa4");
    assert_eq!(hits[0].document.date.map(|date| date.to_string()).as_deref(), Some("2024-03-06"));
    let hits = base.project.search("araçá").await.unwrap().hits;
    assert_eq!(hits[0].document.date.map(|date| date.to_string()).as_deref(), Some("2023-01-02"));
    assert!(new.path().join("neural/base-de-financas/youtube/canal-legal").is_dir());

    // Every file is in the report, and so is everything that was wrong.
    for (path, _) in &before {
        let is_told = report.items.iter().any(|item| item.path == *path);
        assert!(is_told, "{} is not in the report", path.display());
    }
    assert_eq!(report.count(LegacyFate::Taken), 5 + 2 + 2 + 1 + 1);
    let (mended, refused) = (fates(&report, LegacyFate::Repaired), fates(&report, LegacyFate::Refused));
    for what in [
        "were there twice",
        "it is damaged",
        "no list names it",
        "5e6f7a8b_solto.txt",
        "0_m.txt",
        "is video aaaaaaaaaa4",
        "its date is the list's",
    ] {
        assert!(mended.iter().any(|told| told.contains(what)), "{what}: {mended:#?}");
    }
    let expected =
        ["c.txt: a conversation", "cards.json: study cards", "etc/passwd", "ftp://outro", "Sumido"];
    for what in expected {
        assert!(refused.iter().any(|told| told.contains(what)), "{what}: {refused:#?}");
    }
    assert_eq!(refused.len(), expected.len(), "{refused:#?}");
    let left = fates(&report, LegacyFate::LeftOut);
    for what in
        ["Mudo", "Curto", "Legenda Curta", "openai_key", "extraction_queue.json: what waited", "agent_index/"]
    {
        assert!(left.iter().any(|told| told.contains(what)), "{what}: {left:#?}");
    }
    assert_eq!(serde_json::Value::Object(report.settings.clone()), json!({ "provider": "openai", "n": 6 }));
    assert!(!format!("{report:?}").contains("sk-segredo"));
    for (path, bytes) in tree(new.path()) {
        assert!(!bytes.windows(10).any(|it| it == b"sk-segredo"), "{}", path.display());
    }
}

/// As on a Mac, which composes the accents of names otherwise than the app did; and by a link, as a data directory on
/// another disk is reached.
#[cfg(unix)]
#[tokio::test]
async fn names_composed_otherwise_are_those_of_the_list_and_a_link_is_what_it_leads_to() {
    let dir = tempfile::tempdir().unwrap();
    let old = dir.path().join("Horta");
    let list = json!([{ "id": "1", "titulo": "Poda das árvores", "nome_txt": "1a_ma\u{e7}\u{e3}.txt", "tipo": "texto" }]);
    write(&old, "texts/_manifest.json", &list.to_string());
    write(&old, "texts/1a_mac\u{327}a\u{303}.txt", "A macieira se poda em julho.");
    std::os::unix::fs::symlink(&old, dir.path().join("atalho")).unwrap();
    let report = engine(&dir.path().join("new")).import_tusab(dir.path().join("atalho")).await.unwrap();
    assert_eq!(report.projects.len(), 1, "{report:#?}");
    assert_eq!(report.projects[0].project.name(), "Horta");
    assert_eq!(found(&report.projects[0].project, "macieira").await, ["Poda das árvores"]);
    assert_eq!((fates(&report, LegacyFate::Repaired), fates(&report, LegacyFate::Refused)), (vec![], vec![]));
}

#[tokio::test]
async fn a_second_time_is_refused_by_name_and_changes_nothing() {
    let (old, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    old_data(old.path());
    let engine = engine(new.path());
    engine.import_tusab(old.path()).await.unwrap();
    let before = tree(&new.path().join("neural"));
    let report = engine.import_tusab(old.path()).await.unwrap();
    assert!(report.projects.is_empty());
    assert_eq!(report.count(LegacyFate::Refused), 2);
    assert_eq!(tree(&new.path().join("neural")), before);
}

#[tokio::test]
async fn the_oldest_layout_is_one_project_a_prefix_and_nothing_twice() {
    let (old, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let one = |id: &str, word: &str| {
        block("T", id, 0, "TAGS: \nDESCRICAO: d\n", &format!("Fala-se de {word} nesta aula."))
    };
    write(old.path(), "data/cerebro/abc_Parte_1.txt", &one("bbbbbbbbbb1", "sapoti"));
    write(old.path(), "data/cerebro/abc_Parte_2.txt", &one("bbbbbbbbbb2", "abiu"));
    write(old.path(), "data/cerebro/abcdef_Parte_1.txt", &one("bbbbbbbbbb3", "ingá"));
    // Without an id and a time, as the first version wrote it.
    let first = format!(
        "{}\nTITULO: Antigo\nABA: Videos\nDATA: \nLINK: https://youtu.be/bbbbbbbbbb4\n{}\nCONTEUDO:\nFala-se de seriguela aqui.\n",
        "=".repeat(70),
        "-".repeat(70)
    );
    write(old.path(), "data/cerebro/abc_Parte_3.txt", &first);
    let report = engine(new.path()).import_tusab(old.path()).await.unwrap();
    let shown: Vec<(String, usize)> =
        report.projects.iter().map(|it| (it.project.name(), it.videos)).collect();
    assert_eq!(shown, [("abc".to_owned(), 3), ("abcdef".to_owned(), 1)]);
    assert_eq!(found(&report.projects[0].project, "seriguela").await, ["Antigo"]);
    assert!(found(&report.projects[0].project, "ingá").await.is_empty());
}

fn archive(path: &Path, manifest: &serde_json::Value, more: &[(&str, &str)]) {
    let old = tempfile::tempdir().unwrap();
    old_data(old.path());
    let mut entries: Vec<(String, Vec<u8>)> = tree(old.path())
        .into_iter()
        .map(|(path, bytes)| (path.to_string_lossy().replace('\\', "/"), bytes))
        .filter(|(name, _)| !name.starts_with("config") && !name.contains("Outra"))
        .collect();
    entries.extend(more.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())));
    entries.push(("manifest.json".to_owned(), manifest.to_string().into_bytes()));
    zip(path, &entries);
}

#[tokio::test]
async fn its_files_are_taken_over_too() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("velho.tusab");
    let manifest = json!({ "format": "tusab-base", "version": 1, "projeto": "Finanças (cópia)", "exportado_em": "hoje",
                           "chunks": 9, "tem_indice": true, "somente_leitura": false });
    // As a system that counts characters can hold it.
    let long = format!("neural/Base_de_Finanças/youtube/{0}/{0}_Parte_1.txt", "あ".repeat(100));
    let said = block("Longe", "aaaaaaaaaa9", 0, "", "O pequi é amarelo.");
    archive(&file, &manifest, &[(&long, &said)]);
    let bytes = fs::read(&file).unwrap();
    let report = engine(&dir.path().join("new")).import_tusab(&file).await.unwrap();
    assert_eq!(fs::read(&file).unwrap(), bytes);
    assert_eq!(report.projects.len(), 1);
    let made = &report.projects[0];
    assert_eq!((made.project.name().as_str(), made.videos, made.documents), ("Finanças (cópia)", 6, 2));
    assert_eq!(found(&made.project, "pequi").await, ["Longe"]);
    assert_eq!(made.channels.len(), 1);
    // No conversation of it is a session, or found.
    assert!(made.project.sessions().await.unwrap().sessions.is_empty());
    assert!(found(&made.project, "segredo").await.is_empty());
    assert_eq!(found(&made.project, "umbu").await, ["Dois"]);
}

#[tokio::test]
async fn files_that_are_none_of_its_or_do_harm_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (file, new) = (dir.path().join("velho.tusab"), dir.path().join("new"));
    let manifest = json!({ "format": "tusab-base", "version": 1, "projeto": "P" });
    let fault = async |file: &Path| {
        let error = engine(&new).import_tusab(file).await.unwrap_err();
        assert_nothing(&new);
        match error {
            Error::Portable { source, .. } => source,
            other => panic!("{other:?}"),
        }
    };
    for name in ["neural/../../fora.txt", "/tmp/fora.txt", "neural/C:/fora.txt", "neural/..\\fora.txt"] {
        archive(&file, &manifest, &[(name, "x")]);
        assert!(matches!(fault(&file).await, PortableFault::Refused { .. }), "{name}");
    }
    archive(&file, &json!({ "format": "outro" }), &[]);
    assert_eq!(fault(&file).await, PortableFault::NotAProject);
    fs::write(&file, "nada").unwrap();
    assert!(matches!(fault(&file).await, PortableFault::NotAnArchive { .. }));
    archive(&file, &json!({ "format": "tusab-base", "version": 2 }), &[]);
    let newer = engine(&new).import_tusab(&file).await.unwrap_err();
    assert!(matches!(newer, Error::Newer { version: 2, .. }));
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    assert!(matches!(fault(&file).await, PortableFault::NotAnArchive { .. }));
    sample(&dir.path().join("ours"), "P").await.export(&file).await.unwrap();
    assert_eq!(fault(&file).await, PortableFault::OfThisEngine);
    assert!(matches!(
        engine(&new).import_tusab(dir.path().join("não há")).await,
        Err(Error::NoSuchFile { .. })
    ));
}

#[tokio::test]
async fn what_is_here_stays_and_a_cancel_leaves_nothing() {
    let (old, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    old_data(old.path());
    let engine = engine(new.path());
    engine.project("Outra").await.unwrap().ingest(Source::text("Minha", "tamarindo")).await.unwrap();
    let cancel = Cancel::new();
    cancel.cancel();
    let report = engine.import_tusab_with(old.path(), &cancel).await.unwrap();
    assert!(report.cancelled && report.projects.is_empty());
    assert_eq!(engine.projects().await.unwrap().projects.len(), 1);
    let report = engine.import_tusab(old.path()).await.unwrap();
    assert_eq!(report.projects.len(), 1);
    let mine = engine.project("Outra").await.unwrap();
    assert_eq!((found(&mine, "tamarindo").await.len(), found(&mine, "açaí").await.len()), (1, 0));
}
