//! What the Python app has left in a data directory: told of, and documents read without its headers.

use std::fs;
use std::path::Path;

use tusab_engine::{Engine, Error};

use crate::common::{engine, files, found, open};

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn transcript(word: &str) -> String {
    let said =
        format!("Nesta aula falamos de {word}, com calma e com exemplos do dia a dia de cada um de nós.");
    format!(
        "\u{feff}# Canal: Canal\n\n{}\nTITULO: Aula\nABA: Videos\nDATA: 05/03/2024\n\
         LINK: https://www.youtube.com/watch?v=aaaaaaaaaa1\nVIDEO_ID: aaaaaaaaaa1\nVIEWS: 1\nTIMESTAMP_INICIO: 0\n\
         TAGS: x\nDESCRICAO: y\n{}\nCONTEUDO:\n{said}\n\n",
        "=".repeat(70),
        "-".repeat(70)
    )
}

/// The names of the old projects that a list tells of.
async fn told(engine: &Engine) -> Vec<String> {
    let projects = engine.projects().await.unwrap();
    let mut names = Vec::new();
    for error in projects.unreadable {
        let Error::OfPythonApp { name, .. } = &error else { panic!("{error:?}") };
        assert!(error.to_string().contains("import_tusab"), "{error}");
        names.push(name.clone());
    }
    names
}

#[tokio::test]
async fn an_old_tree_is_told_of_with_the_remedy_until_it_is_taken_over() {
    let data = tempfile::tempdir().unwrap();
    let root = data.path();
    write(root, "neural/Canal_Legal/youtube/Canal_Legal/Canal_Legal_Parte_1.txt", &transcript("umbu"));
    write(root, "agent_index/Canal_Legal_index.json", r#"{"projeto_nome": "Canal Legal!", "chunks": []}"#);
    // By its list alone, in a folder that the engine would call the same.
    write(root, "neural/notas/texts/1a2b3c4d_nota.txt", "A nota fala de cajá.");
    write(root, "neural/notas/texts/_manifest.json", "\u{feff} [{\"id\": \"1a2b3c4d\"}]");
    // The oldest layout, beside the data directory's own folders.
    write(root, "data/neural/abc_Parte_1.txt", &transcript("murici"));
    // What is nobody's is adopted, as ever.
    write(root, "neural/meu/documents/solto.md", "Um texto sobre pitanga.");
    let before = files(root);

    let engine = engine(root);
    assert_eq!(told(&engine).await, ["Canal Legal!", "abc", "notas"]);
    for name in ["Canal Legal!", "notas", "Notas", "abc"] {
        for error in [
            engine.project(name).await.map(drop).unwrap_err(),
            engine.find_project(name).await.map(drop).unwrap_err(),
        ] {
            assert!(matches!(error, Error::OfPythonApp { .. }), "{name}: {error:?}");
        }
    }
    assert_eq!(files(root), before, "nothing is begun in its stead");
    assert_eq!(found(&engine.project("meu").await.unwrap(), "pitanga").await.len(), 1);
    assert!(engine.find_project("nenhum").await.unwrap().is_none());

    // Taken over where it stands, it is told of no more, and is there by its name.
    let report = engine.import_tusab(root).await.unwrap();
    let names: Vec<String> = report.projects.iter().map(|project| project.project.name()).collect();
    assert_eq!(names, ["Canal Legal!", "notas"], "{report:?}");
    assert_eq!(told(&engine).await, ["abc"]);
    assert_eq!(found(&engine.project("Canal Legal!").await.unwrap(), "umbu").await, ["Aula"]);
    assert_eq!(found(&engine.project("notas").await.unwrap(), "cajá").await.len(), 1);
    engine.import_tusab(root.join("data")).await.unwrap();
    assert!(told(&engine).await.is_empty());
    // What is of this version is not taken for old, and what was old is as it was.
    let again = engine.import_tusab(root).await.unwrap();
    assert!(again.projects.is_empty(), "{again:?}");
    let after = files(root);
    assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)));
}

fn document(title: &str, link: &str, body: &str) -> String {
    format!(
        "\u{feff}TITULO: {title}\r\nFONTE: {title}.pdf\r\nDATA: \r\n{link}QUALIDADE_PDF: texto_nativo\r\n{}\r\n\r\n{body}\r\n",
        "-".repeat(70)
    )
}

#[tokio::test]
async fn old_documents_that_are_put_into_a_project_are_read_without_their_headers() {
    let data = tempfile::tempdir().unwrap();
    drop(open(data.path(), "P").await);
    let root = data.path().join("neural/p");
    let listed = document("Relatório: 2023", "", "O relatório trata de araçá.");
    write(&root, "documents/1a2b3c4d_relatorio.txt", &listed);
    let linked = document("Outro", "URL_ORIGEM: https://exemplo.org/outro\r\n", "Fala de bacuri.");
    write(&root, "documents/2a2b3c4d_outro.txt", &linked);
    write(
        &root,
        "documents/_manifest.json",
        r#"[{"id": "1a2b3c4d", "nome_original": "Relatório Final.pdf", "nome_txt": "1a2b3c4d_relatorio.txt", "tipo": "pdf",
            "data": "01/02/2026", "fonte_externa": "https://exemplo.org/relatorio", "chars": "muitos"},
            {"id": "2a2b3c4d", "nome_original": "outro.pdf", "nome_txt": "2a2b3c4d_outro.txt"}, 7,
            {"id": "3a2b3c4d", "nome_original": "nu.pdf", "nome_txt": "3a2b3c4d_nu.txt", "data": "04/05/2025",
             "fonte_externa": "https://exemplo.org/nu"}]"#,
    );
    write(&root, "documents/3a2b3c4d_nu.txt", "Sem cabeçalho, fala de cupuaçu.");
    let text = document("Nota", "", "A nota fala de murici.");
    write(&root, "texts/9c8d7e6f_nota.txt", &text);
    write(
        &root,
        "texts/_manifest.json",
        r#"[{"id": "9c8d7e6f", "titulo": "Nota da aula", "nome_txt": "9c8d7e6f_nota.txt", "data": "03/02/2024"}]"#,
    );

    let check = async || {
        let project = open(data.path(), "P").await;
        for (word, title, date, link) in [
            ("araçá", "Relatório: 2023", Some("2026-02-01"), Some("https://exemplo.org/relatorio")),
            ("bacuri", "Outro", None, Some("https://exemplo.org/outro")),
            ("cupuaçu", "nu", Some("2025-05-04"), Some("https://exemplo.org/nu")),
            ("murici", "Nota da aula", Some("2024-02-03"), None),
        ] {
            let hits = project.search(word).await.unwrap().hits;
            assert_eq!(hits.len(), 1, "{word}");
            let (document, said) = (&hits[0].document, hits[0].chunk.original_text());
            assert_eq!(document.title, title);
            assert_eq!(document.date.map(|date| date.to_string()).as_deref(), date, "{word}");
            assert_eq!(document.link.as_deref(), link, "{word}");
            assert!(said.contains(word) && !said.contains("TITULO") && !said.contains("---"), "{said:?}");
            let source = project.sources().await.unwrap();
            let source = source.iter().find(|source| source.doc == document.id).unwrap();
            assert_eq!(source.date.map(|date| date.to_string()).as_deref(), date);
            assert_eq!(source.url.as_deref(), link);
        }
        for header in ["texto_nativo", "QUALIDADE_PDF"] {
            assert!(found(&project, header).await.is_empty(), "{header}");
        }
    };
    check().await;
    // The same from the manifest that was made of it, and the files are as they were.
    fs::remove_dir_all(data.path().join("indexes")).unwrap();
    check().await;
    assert_eq!(fs::read_to_string(root.join("documents/1a2b3c4d_relatorio.txt")).unwrap(), listed);
    // One that is put in by hand is known for what it is by its header alone.
    write(&root, "documents/à mão.txt", &document("Solto", "", "Fala de buriti."));
    let project = open(data.path(), "P").await;
    project.sync(&tusab_engine::Cancel::new()).await.unwrap();
    assert_eq!(found(&project, "buriti").await, ["Solto"]);
    assert!(found(&project, "texto_nativo").await.is_empty());
}
