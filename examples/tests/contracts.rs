//! The example programs, run as a person or a script runs them: what they print, and how they end.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Cargo builds the examples beside the tests, and gives no variable for them.
fn program(name: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().unwrap().parent().unwrap().join("examples").join(name);
    let mut command = Command::new(path.with_extension(std::env::consts::EXE_EXTENSION));
    // Whatever this machine has, the doctor of these tests finds nothing by chance.
    command.env_remove("TUSAB_MODELS").env_remove("ORT_DYLIB_PATH").env_remove("TUSAB_YTDLP");
    command.env("XDG_CACHE_HOME", "/nenhum").env("HF_HOME", "/nenhum");
    command
}

fn run(name: &str, arguments: &[&str]) -> Output {
    program(name).args(arguments).output().unwrap()
}

/// Standard output as the one JSON object that it has to be.
fn json(output: &Output) -> Value {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert!(value.is_object(), "{text}");
    value
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn sample(end: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.into_iter().find(|path| path.to_string_lossy().ends_with(end)).unwrap()
}

#[test]
fn quickstart_without_arguments_ends_with_a_cited_answer() {
    let output = run("quickstart", &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    assert!(text.contains("três ou quatro horas de sol pela manhã"), "{text}");
    assert!(text.contains("https://www.youtube.com/watch?v=hv7Qk2LrT0c&t="), "{text}");
}

#[test]
fn quickstart_prints_the_keys_that_measuring_relies_on() {
    let (video, note) = (sample(".vtt"), sample(".md"));
    let question = "Quantas horas de sol a hortelã precisa?";
    let files = [video.to_str().unwrap(), note.to_str().unwrap()];
    let object =
        json(&run("quickstart", &[&["--json", "--project", "P", "--ask", question][..], &files].concat()));
    let wanted = [
        "project",
        "documents",
        "chunks",
        "answer",
        "no_context",
        "no_context_reason",
        "sources",
        "degraded",
        "warnings",
    ];
    assert!(keys(&object).is_superset(&BTreeSet::from(wanted)), "{object}");
    assert_eq!((&object["project"], &object["documents"]), (&"P".into(), &2.into()));
    assert_eq!((&object["no_context"], &object["no_context_reason"]), (&false.into(), &Value::Null));
    let source = &object["sources"][0];
    let wanted = ["doc", "title", "link", "start_s", "page", "text", "matched_by", "score"];
    assert!(keys(source).is_superset(&BTreeSet::from(wanted)), "{source}");
    assert_eq!(source["doc"], "youtube:hv7Qk2LrT0c");
    assert!(source["start_s"].as_u64().unwrap() >= 38);
    assert!(source["matched_by"].as_array().unwrap().contains(&"bm25".into()));
    assert_eq!(object["degraded"], Value::Array(Vec::new()));
}

#[test]
fn broad_search_tells_what_is_missing() {
    let note = sample(".md");
    let arguments = ["--json", "--mode", "broad", "--ask", "worms", note.to_str().unwrap()];
    let object = json(&run("quickstart", &arguments));
    let degraded = &object["degraded"][0];
    assert_eq!(keys(degraded), BTreeSet::from(["part", "reason", "remedy"]));
    assert_eq!(degraded["part"], "reranker");
}

/// A data directory that does not exist yet, named by a relative path, as in the README.
#[test]
fn a_relative_data_directory_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let note = sample(".md");
    let arguments = ["--json", "--data", "my-data", "--ask", "worms", note.to_str().unwrap()];
    let output = program("quickstart").args(arguments).current_dir(folder.path()).output().unwrap();
    assert_eq!(json(&output)["documents"], 1);
    assert!(folder.path().join("my-data/neural").is_dir());
}

#[test]
fn a_question_alone_is_put_to_the_samples() {
    let object = json(&run("quickstart", &["--json", "--ask", "Com quem fica a chave do tambor de chuva?"]));
    assert_eq!(object["documents"], 3);
    assert!(object["answer"].as_str().unwrap().contains("A chave fica com o porteiro da noite."), "{object}");
}

#[test]
fn a_project_is_there_the_next_time() {
    let data = tempfile::tempdir().unwrap();
    let (data, note) = (data.path().to_str().unwrap(), sample(".md"));
    let first = json(&run("quickstart", &["--json", "--data", data, note.to_str().unwrap()]));
    assert_eq!((&first["documents"], &first["answer"]), (&1.into(), &Value::Null));
    let again =
        json(&run("quickstart", &["--json", "--data", data, "--ask", "How should the liquid be diluted?"]));
    assert_eq!(again["documents"], 1);
    assert!(again["answer"].as_str().unwrap().contains("one part to ten parts of water"), "{again}");
}

#[test]
fn an_empty_project_says_why_there_is_no_answer() {
    let data = tempfile::tempdir().unwrap();
    let object =
        json(&run("quickstart", &["--json", "--data", data.path().to_str().unwrap(), "--ask", "-x"]));
    assert_eq!(
        (&object["no_context"], &object["no_context_reason"]),
        (&true.into(), &"nothing_indexed".into())
    );
    assert_eq!(object["sources"], Value::Array(Vec::new()));
}

#[test]
fn one_bad_file_costs_a_warning_and_all_bad_ones_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let (missing, note) = (folder.path().join("nenhum.txt"), sample(".md"));
    let missing = missing.to_str().unwrap();
    let mixed = run("quickstart", &["--json", "--ask", "worms", missing, note.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&mixed.stderr).contains("nenhum.txt"));
    let object = json(&mixed);
    assert_eq!(object["documents"], 1);
    let warning = &object["warnings"][0];
    assert!(warning["message"].as_str().unwrap().contains("does not exist"), "{warning}");
    assert_eq!(warning["line"], Value::Null);
    let bad = run("quickstart", &["--json", "--ask", "worms", missing]);
    assert_eq!((bad.status.code(), bad.stdout.len()), (Some(1), 0));
}

#[test]
fn captions_are_printed_with_their_windows() {
    let object = json(&run("captions", &["--json", sample(".vtt").to_str().unwrap()]));
    let wanted = ["language", "track", "rolling", "cues", "segments", "chunks", "warnings"];
    assert!(keys(&object).is_superset(&BTreeSet::from(wanted)), "{object}");
    assert_eq!((&object["language"], &object["track"]), (&"pt".into(), &"automatic".into()));
    assert_eq!(object["rolling"], true);
    let (segment, chunk) = (&object["segments"][0], &object["chunks"][0]);
    assert_eq!(keys(segment), BTreeSet::from(["start_ms", "end_ms", "text"]));
    assert_eq!(keys(chunk), BTreeSet::from(["start_s", "end_s", "text"]));
    assert!(object["chunks"].as_array().unwrap().len() > 3);
}

#[test]
fn chats_meetings_and_documents_are_printed() {
    let chat = json(&run("whatsapp", &["--json", sample(".txt").to_str().unwrap()]));
    assert_eq!((&chat["format"], &chat["date_order"]), (&"whatsapp".into(), &"dmy".into()));
    assert_eq!(chat["participants"], serde_json::json!(["Marta", "Seu Joaquim", "Bia"]));
    let message = &chat["messages"][2];
    assert_eq!((&message["time"], &message["sender"]), (&"2026-03-12T19:05:00".into(), &"Marta".into()));
    assert_eq!(chat["messages"][0]["sender"], Value::Null);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("reunião.vtt");
    let text = "WEBVTT\n\n1\n00:00:01.000 --> 00:00:03.000\nAna Souza: Bom dia a todos.\n\n2\n00:00:04.000 --> \
                00:00:06.000\nZé Lima: Bom dia.\n";
    std::fs::write(&file, text).unwrap();
    let meeting = json(&run("meeting", &["--json", file.to_str().unwrap()]));
    assert_eq!(meeting["participants"], serde_json::json!(["Ana Souza", "Zé Lima"]));
    assert_eq!(meeting["messages"][1]["start_s"], 4);

    let document = json(&run("document", &["--json", sample(".md").to_str().unwrap()]));
    assert_eq!((&document["format"], &document["pages"]), (&"markdown".into(), &Value::Null));
    assert_eq!(document["title"], "Composting in a small flat");
    assert!(document["text"].as_str().unwrap().contains("worm bin"));
    for (name, file) in
        [("whatsapp", sample(".md")), ("meeting", sample(".md")), ("document", sample(".vtt"))]
    {
        let output = run(name, &["--json", file.to_str().unwrap()]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{name}");
    }
}

/// The program that plays back what a test has written, in the stead of yt-dlp.
#[cfg(unix)]
fn youtube(fake: &Path, data: &Path, arguments: &[&str]) -> Output {
    let yt_dlp = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/tusab-ingest/tests/fake/yt-dlp");
    let fixed = ["--json", "--data", data.to_str().unwrap(), "--project", "P"];
    let mut command = program("youtube");
    command.args(fixed).args(arguments).env("TUSAB_YTDLP", yt_dlp).env("TUSAB_FAKE", fake).output().unwrap()
}

#[cfg(unix)]
#[test]
fn youtube_prints_what_became_of_each_video() {
    let (fake, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let put = |name: &str, text: &str| std::fs::write(fake.path().join(name), text).unwrap();
    put(
        "video000001.out",
        r#"{"id": "video000001", "title": "Juros", "channel": "Canal", "formats": [{"url": "http://127.0.0.1:9/v"}],
        "automatic_captions": {"pt": [{"ext": "vtt", "url": "http://127.0.0.1:9/t"}]}}"#,
    );
    put("video000001.vtt", "WEBVTT\n\n00:00.000 --> 00:02.000\nA taxa de juros subiu.\n");
    put(
        "private0001.err",
        "ERROR: [youtube] private0001: Private video. Sign in if you've been granted access",
    );
    put("private0001.code", "1");
    let url = "https://www.youtube.com/watch?v=video000001";
    let object = json(&youtube(fake.path(), data.path(), &[url, "--lang", "pt"]));
    assert!(keys(&object).is_superset(&BTreeSet::from(["videos", "report"])), "{object}");
    let video = &object["videos"][0];
    assert!(
        keys(video).is_superset(&BTreeSet::from(["id", "title", "outcome", "track", "chunks"])),
        "{video}"
    );
    assert_eq!((&video["id"], &video["title"]), (&"video000001".into(), &"Juros".into()));
    assert_eq!((&video["outcome"], &video["chunks"]), (&"captions".into(), &1.into()));
    assert_eq!((&video["track"]["name"], &video["track"]["kind"]), (&"pt".into(), &"automatic".into()));
    assert_eq!((&object["report"]["stored"], &object["report"]["left"]), (&1.into(), &0.into()));
    // The same again asks nobody; and what it took in answers a question.
    std::fs::remove_file(fake.path().join("log")).unwrap();
    let again = json(&youtube(fake.path(), data.path(), &[url, "--lang", "pt"]));
    assert_eq!((&again["videos"][0]["chunks"], &again["report"]["stored"]), (&1.into(), &0.into()));
    assert!(!fake.path().join("log").exists());
    let ask = ["--json", "--data", data.path().to_str().unwrap(), "--project", "P", "--ask", "O que subiu?"];
    assert_eq!(json(&run("quickstart", &ask))["sources"][0]["doc"], "youtube:video000001");
    // What cannot be had is an outcome, not a failure.
    let data = tempfile::tempdir().unwrap();
    let private = json(&youtube(fake.path(), data.path(), &["https://youtu.be/private0001", "--max", "1"]));
    assert_eq!(
        (&private["videos"][0]["outcome"], &private["videos"][0]["track"]),
        (&"private".into(), &Value::Null)
    );
}

#[cfg(unix)]
#[test]
fn youtube_without_yt_dlp_fails_and_says_what_to_do() {
    let data = tempfile::tempdir().unwrap();
    let mut command = program("youtube");
    command.args(["--json", "--data", data.path().to_str().unwrap(), "https://youtu.be/video000001"]);
    let output = command.env("TUSAB_YTDLP", "/nenhum/yt-dlp").output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("/nenhum/yt-dlp") && told.contains("install"), "{told}");
}

#[test]
fn wrong_arguments_end_with_two_and_the_usage() {
    for (name, arguments) in [
        ("quickstart", &["--nonsense"][..]),
        ("quickstart", &["--mode", "deep"]),
        ("quickstart", &["--ask"]),
        ("doctor", &["--nonsense"]),
        ("doctor", &["file"]),
        ("models", &["--install", "none-such"]),
        ("models", &["--size"]),
        ("youtube", &[]),
        ("youtube", &["https://example.com/watch?v=video000001"]),
        ("youtube", &["https://youtu.be/video000001", "--lang", "português"]),
        ("rerank", &[]),
        ("rerank", &["passages.jsonl"]),
        ("rerank", &["passages.jsonl", "--query", "a", "--windows", "0"]),
        ("rerank", &["passages.jsonl", "--query", "a", "--windows", "some"]),
        ("rerank", &["passages.jsonl", "--query", "a", "--threads", "0"]),
        ("keyphrases", &["--exact"]),
        ("keyphrases", &["passages.jsonl", "--backend", "gpu"]),
        ("keyphrases", &["passages.jsonl", "more.jsonl"]),
    ] {
        let output = run(name, arguments);
        assert_eq!(output.status.code(), Some(2), "{name} {arguments:?}");
        assert!(output.stdout.is_empty());
        assert!(String::from_utf8_lossy(&output.stderr).contains("Usage: "), "{name} {arguments:?}");
    }
    for name in ["quickstart", "doctor", "models", "youtube", "rerank", "keyphrases"] {
        let output = run(name, &["--help"]);
        assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).starts_with("Usage: "));
    }
}

#[test]
fn doctor_names_each_part_and_how_to_get_what_is_missing() {
    let object = json(&run("doctor", &["--json"]));
    let checks = object["checks"].as_array().unwrap();
    let names: Vec<&str> = checks.iter().map(|check| check["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["yt-dlp", "JavaScript runtime", "ONNX Runtime", "models", "Ollama", "provider keys"]);
    for check in checks {
        assert_eq!(keys(check), BTreeSet::from(["name", "ok", "found", "remedy"]));
        // What can be used was found; what cannot has a remedy.
        let ok = check["ok"].as_bool().unwrap();
        assert!(if ok { check["found"].is_string() } else { check["remedy"].is_string() }, "{check}");
    }
}

/// No hub is asked but by `--size` and `--install`, and where it cannot be asked that is said.
#[test]
fn models_lists_what_is_here_and_names_what_keeps_one_away() {
    let home = tempfile::tempdir().unwrap();
    let models = |arguments: &[&str]| {
        let mut command = program("models");
        command.args(arguments).env("XDG_CACHE_HOME", home.path()).env("HOME", home.path());
        command.env_remove("HF_HOME").env_remove("HF_HUB_CACHE").env("HF_HUB_OFFLINE", "1").output().unwrap()
    };
    let listed = json(&models(&["--json"]));
    let listed = listed["models"].as_array().unwrap();
    assert_eq!(listed.len(), 7);
    assert!(listed.iter().all(|model| model["path"].is_null()), "{listed:?}");
    for action in ["--size", "--install"] {
        let output = models(&[action, "bge-small-en-v1.5", "--json"]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
        assert!(String::from_utf8_lossy(&output.stderr).contains("offline"), "{output:?}");
    }
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);

    // One that is there is found by its name, with nothing to download.
    let folder = home.path().join("tusab/models/BAAI--bge-small-en-v1.5");
    std::fs::create_dir_all(&folder).unwrap();
    for entry in std::fs::read_dir(TINY).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
    }
    let size = json(&models(&["--size", "BGE-small-en-v1.5", "--json"]));
    assert_eq!(size["download_bytes"], 0);
    let here = json(&models(&["--install", "BAAI/bge-small-en-v1.5", "--json"]));
    assert_eq!(here["path"].as_str().unwrap(), folder.to_str().unwrap());
}

/// A program on the path that says its version is found, one that fails is not.
#[cfg(unix)]
#[test]
fn doctor_believes_only_what_answers() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    for (name, script) in [("yt-dlp", "echo 2026.10.26"), ("node", "exit 3")] {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let output = program("doctor").arg("--json").env("PATH", folder.path()).output().unwrap();
    let object = json(&output);
    assert!(object["checks"][0]["found"].as_str().unwrap().contains("2026.10.26"), "{object}");
    assert_eq!(object["checks"][1]["ok"], false);
}

/// A model of one layer with random weights: real work, meaningless scores, and it is here.
const TINY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/tusab-rerank/tests/models/tiny");

fn passages(folder: &Path, lines: &str) -> String {
    let path = folder.join("passages.jsonl");
    std::fs::write(&path, lines).unwrap();
    path.to_str().unwrap().to_owned()
}

const PASSAGES: &str =
    "\u{feff}{\"text\": \"juro composto e tempo\"}\n\n{\"text\": \"bolo de fubá\", \"id\": 7}\r\n";

#[test]
fn programs_with_models_print_the_keys_that_measuring_relies_on() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("phrases");
    let cache = cache.to_str().unwrap();
    for (lines, count) in [(PASSAGES, 2), ("", 0)] {
        let file = passages(folder.path(), lines);
        let asked = ["--query", "juro", "--json", "--model", TINY, "--backend", "rten"];
        let object = json(&run("rerank", &[&[file.as_str()][..], &asked].concat()));
        let wanted = ["backend", "model", "passages", "load_ms", "ms", "scores"];
        assert!(keys(&object).is_superset(&BTreeSet::from(wanted)), "{object}");
        assert_eq!((&object["backend"], &object["model"]), (&"rten".into(), &"tiny".into()));
        assert_eq!(object["passages"], count);
        let scores = object["scores"].as_array().unwrap();
        assert!(scores.len() == count && scores.iter().all(Value::is_f64), "{object}");

        let asked = ["--json", "--sentences", TINY, "--backend", "rten", "--cache", cache];
        for exact in [&["--exact"][..], &["--tidy"]] {
            let object = json(&run("keyphrases", &[&[file.as_str()][..], &asked, exact].concat()));
            let wanted = ["backend", "model", "passages", "ms_per_passage", "cache_hit_rate", "phrases"];
            assert!(keys(&object).is_superset(&BTreeSet::from(wanted)), "{object}");
            let phrases = object["phrases"].as_array().unwrap();
            assert_eq!((&object["passages"], phrases.len()), (&count.into(), count));
            assert!(phrases.iter().all(|phrases| phrases[0].is_string()), "{object}");
            // All that is not exact was left in the file by what is.
            let hits = f64::from(u8::from(exact == ["--tidy"] && count > 0));
            assert_eq!(object["cache_hit_rate"], hits, "{object}");
        }
        std::fs::remove_file(cache).unwrap();
    }
}

#[test]
fn a_model_that_is_missing_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = passages(folder.path(), PASSAGES);
    let home = folder.path().join("home");
    for (name, arguments, missing) in [
        ("rerank", &["--query", "juro", "--model", "/nenhum/modelo"][..], "/nenhum/modelo"),
        ("rerank", &["--query", "juro", "--json"], "cross-encoder--ms-marco-MiniLM-L6-v2"),
        ("keyphrases", &["--json"], "sentence-transformers--all-MiniLM-L6-v2"),
    ] {
        let mut command = program(name);
        for variable in ["HOME", "XDG_CACHE_HOME", "LOCALAPPDATA", "HF_HOME", "HF_HUB_CACHE", "USERPROFILE"] {
            command.env(variable, &home);
        }
        let output = command.arg(&file).args(arguments).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{name}");
        let told = String::from_utf8_lossy(&output.stderr);
        for part in [missing, "is not there", "scripts/assets.sh"] {
            assert!(told.contains(part), "{name}: no {part} in {told}");
        }
        assert!(!told.contains("next attempt"), "{told}");
    }
}

#[test]
fn passages_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for (lines, part) in
        [("{\"text\": \"a\"}\n{\"texts\": 1}\n", "line 2"), ("\n[1]\n", "line 2"), ("text", "line 1")]
    {
        let file = passages(folder.path(), lines);
        let output = run("rerank", &[&file, "--query", "a", "--model", TINY, "--json"]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{lines:?}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains(part) && told.contains("passages.jsonl"), "{told}");
    }
    let output = run("keyphrases", &["/nenhum.jsonl", "--sentences", TINY]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nenhum.jsonl"));
}

#[test]
#[ignore = "needs the models of scripts/assets.sh"]
fn real_models_rank_and_name_what_passages_say() {
    let models = std::env::var_os("TUSAB_MODELS").expect("eval \"$(scripts/assets.sh)\"");
    let library = std::env::var_os("ORT_DYLIB_PATH").expect("eval \"$(scripts/assets.sh)\"");
    let folder = tempfile::tempdir().unwrap();
    let lines = "{\"text\": \"Corn cake: two cups of corn flour, three eggs and a glass of milk.\"}\n{\"text\": \
                 \"Compound interest grows with time, since interest is paid on earlier interest.\"}\n";
    let file = passages(folder.path(), lines);
    for backend in ["onnxruntime", "rten"] {
        let run = |name: &str, arguments: &[&str]| {
            let mut command = program(name);
            command.env("TUSAB_MODELS", &models).env("ORT_DYLIB_PATH", &library);
            json(&command.args([&file, "--json", "--backend", backend]).args(arguments).output().unwrap())
        };
        let ranked = run("rerank", &["--query", "how does compound interest work"]);
        let wanted = ["backend", "model", "passages", "load_ms", "ms", "scores"];
        assert!(keys(&ranked).is_superset(&BTreeSet::from(wanted)), "{ranked}");
        assert_eq!((&ranked["backend"], &ranked["model"]), (&backend.into(), &"cross-encoder".into()));
        let score = |at: usize| ranked["scores"][at].as_f64().unwrap();
        assert!(score(0) < -5.0 && score(1) > 3.0, "{ranked}");

        let found = run("keyphrases", &["--exact"]);
        let wanted = ["backend", "model", "passages", "ms_per_passage", "cache_hit_rate", "phrases"];
        assert!(keys(&found).is_superset(&BTreeSet::from(wanted)), "{found}");
        assert_eq!(found["backend"], backend);
        assert!(found["phrases"][0].as_array().unwrap().contains(&"corn cake".into()), "{found}");
    }
}

/// A program with what a person would type.
fn typed(name: &str, arguments: &[&str], lines: &str) -> Output {
    use std::io::Write;
    use std::process::Stdio;
    let mut command = program(name);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn chat_answers_line_by_line_and_keeps_the_session() {
    let data = tempfile::tempdir().unwrap();
    let vtt = sample(".vtt");
    let place = ["--data", data.path().to_str().unwrap(), "--project", "Horta"];
    let lines = format!(
        "/add {}\nBom dia!\nQuantas horas de sol a hortelã precisa?\n/up\nquanto é 7 * 6?\n/mode deep\n/persona técnico e breve\n\
         /history\n/sessions\n/nada\n/quit\nnunca lida\n",
        vtt.display()
    );
    let output = typed("chat", &place, &lines);
    let (told, errors) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr).into_owned());
    assert!(output.status.success(), "{errors}");
    for expected in [
        "Added",
        "Olá! Pergunte o que quiser",
        "três ou quatro horas de sol pela manhã",
        "[1] Horta na varanda, por onde começar — Quanto sol cada planta precisa",
        "https://www.youtube.com/watch?v=hv7Qk2LrT0c&t=",
        "7 * 6 = 42",
        "persona: técnico e breve",
        "3 turns  terminal",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    assert!(errors.contains("\"deep\" is no mode") && errors.contains("there is no /nada"), "{errors}");
    assert!(!told.contains("nunca lida"));
    // Another run goes on from there.
    let output = typed("chat", &[&place[..], &["--json"]].concat(), "E o manjericão?\n");
    let object = json(&output);
    assert_eq!((&object["project"], &object["session"]), (&"Horta".into(), &"terminal".into()));
    let answer = &object["answers"][0]["answer"];
    assert_eq!(answer["turn"], 4);
    assert!(answer["searched"].as_str().unwrap().starts_with("E o manjericão? "), "{answer}");
    assert!(answer["sources"][0]["link"].is_string());
}

#[test]
fn chat_streams_from_the_model_it_is_given() {
    use tusab_engine::llm::testing::{Recorded, ReplayServer};
    let data = tempfile::tempdir().unwrap();
    let event = |words: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{words}\"}}}}]}}\n\n")
    };
    let stream = format!("{}{}data: [DONE]\n\n", event("Três a "), event("quatro [1]."));
    let list = Recorded::json(200, "{\"data\":[{\"id\":\"m\",\"meta\":{\"n_ctx\":4096}}]}");
    let server = ReplayServer::start([list, Recorded::events(stream)]).unwrap();
    let note = data.path().join("nota.txt");
    std::fs::write(&note, "A hortelã precisa de três a quatro horas de sol.").unwrap();
    let url = server.url();
    let model = ["--provider", "openai-compatible", "--model", "m", "--url", &url, "--persona", "socratic"];
    let place = ["--data", data.path().to_str().unwrap(), "--project", "P"];
    let lines = format!("/add {}\nQuanto sol a hortelã precisa?\n", note.display());
    let output = typed("chat", &[&place[..], &model].concat(), &lines);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(
        told.contains("Três a quatro [1].\n\n[1] nota"),
        "{told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let body: Value = serde_json::from_slice(&server.requests()[1].body).unwrap();
    let prompt = body["messages"][1]["content"].as_str().unwrap();
    assert!(prompt.lines().last().unwrap().starts_with("Style: Socratic"), "{prompt}");
}

#[test]
fn chat_refuses_what_does_not_go_together() {
    for arguments in [
        &["--project", "P"][..],
        &["--data", "d"],
        &["--data", "d", "--project", "P", "--model", "m"],
        &["--data", "d", "--project", "P", "--provider", "nobody"],
        &["--data", "d", "--project", "P", "--provider", "openai-compatible"],
        &["--data", "d", "--project", "P", "--persona", ""],
        &["--data", "d", "--project", "P", "--nonsense"],
    ] {
        let output = run("chat", arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("Usage: chat"), "{arguments:?}");
    }
}

#[test]
fn ask_stream_shows_every_event() {
    let object = json(&run("ask_stream", &["--json"]));
    let names: Vec<&str> =
        object["events"].as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(names, ["searching", "sources", "text", "support", "done"]);
    assert_eq!(object["events"][4]["data"]["sources"][0]["title"], "Ervas");
    let told = String::from_utf8(run("ask_stream", &["Bom dia"]).stdout).unwrap();
    assert!(told.starts_with("text: \"Olá!") && told.contains("\ndone: Olá!"), "{told}");
}

#[test]
fn own_model_is_asked() {
    let output = run("own_model", &[]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        told,
        "O manjericão precisa de seis. [1]\n\n[1] Ervas\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A collection of six passages, in the form that `evaluate` reads.
fn collection(folder: &Path) {
    let passages = [
        ("a", "The automobile stands in the garage behind the house."),
        ("b", "Bread dough rests for an hour before the oven."),
        ("c", "The road to the mill is long and dusty in summer."),
        ("d", "Olive oil keeps the bread fresh."),
        ("e", "A boat needs a captain and a harbour."),
        ("f", "The captain of the team scored twice."),
    ];
    let line =
        |(id, text): &(&str, &str)| serde_json::json!({"id": id, "title": "", "text": text}).to_string();
    let corpus: Vec<String> = passages.iter().map(line).collect();
    std::fs::write(folder.join("corpus.jsonl"), corpus.join("\n")).unwrap();
    let queries = [("1", "where is the vehicle parked"), ("2", "how long does dough rest")];
    let queries: Vec<String> =
        queries.iter().map(|(id, text)| serde_json::json!({"id": id, "text": text}).to_string()).collect();
    std::fs::write(folder.join("queries.jsonl"), queries.join("\n")).unwrap();
    std::fs::write(folder.join("qrels.tsv"), "1\ta\t1\n2\tb\t1\n").unwrap();
}

#[test]
fn evaluate_says_what_a_broad_search_lacks() {
    let folder = tempfile::tempdir().unwrap();
    collection(folder.path());
    let at = folder.path().to_str().unwrap();
    let narrow = json(&run("evaluate", &[at, "--json"]));
    assert_eq!((narrow["mode"].as_str(), narrow["docs"].as_u64()), (Some("narrow"), Some(6)));
    let arguments = [at, "--json", "--mode", "broad", "--sentences", "none", "--model", "/nowhere"];
    let broad = json(&run("evaluate", &arguments));
    assert_eq!(broad["degraded"][0]["part"], "reranker");
    assert_eq!(broad["ndcg_10"], narrow["ndcg_10"]);
    // Without the encoder that it was to use there is nothing to measure.
    let output = run("evaluate", &[at, "--mode", "broad", "--sentences", "/nowhere", "--model", "/nowhere"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
#[ignore = "needs the models of scripts/assets.sh"]
fn evaluate_finds_by_meaning_with_real_models() {
    let folder = tempfile::tempdir().unwrap();
    collection(folder.path());
    let models = PathBuf::from(std::env::var_os("TUSAB_MODELS").expect("TUSAB_MODELS is set"));
    let mut command = program("evaluate");
    command.env("TUSAB_MODELS", &models).arg(folder.path()).args([
        "--json",
        "--mode",
        "broad",
        "--sentences",
    ]);
    if let Some(library) = std::env::var_os("ORT_DYLIB_PATH") {
        command.env("ORT_DYLIB_PATH", library);
    }
    let broad = json(&command.arg(models.join("bge-small")).output().unwrap());
    assert_eq!((broad["success_1"].as_f64(), &broad["degraded"]), (Some(1.0), &serde_json::json!([])));
}

#[test]
fn abstain_tells_what_is_answered_from_what_is_not() {
    let folder = tempfile::tempdir().unwrap();
    collection(folder.path());
    let at = folder.path().to_str().unwrap();
    let evidence = folder.path().join("evidence.jsonl");
    let shared = [at, "--json", "--queries", "2", "--evidence", evidence.to_str().unwrap()];
    let halves = json(&run("abstain", &shared));
    assert_eq!((halves["answerable"].as_u64(), halves["unanswerable"].as_u64()), (Some(2), Some(2)));
    for key in ["balanced_accuracy", "auc", "calibration_error"] {
        assert!(halves[key].as_f64().is_some_and(|value| (0.0..=1.0).contains(&value)), "{key}: {halves}");
    }
    assert_eq!(halves["degraded"], serde_json::json!([]));
    let lines = std::fs::read_to_string(&evidence).unwrap();
    assert_eq!(lines.lines().count(), 4);

    // Questions of one's own against the whole.
    let unanswerable = folder.path().join("unanswerable.jsonl");
    std::fs::write(&unanswerable, r#"{"id": "x", "text": "when does the satellite launch"}"#).unwrap();
    let whole = json(&run("abstain", &[at, "--json", "--unanswerable", unanswerable.to_str().unwrap()]));
    assert_eq!((whole["unanswerable"].as_u64(), whole["refused"].as_u64()), (Some(1), Some(1)), "{whole}");
    assert_eq!(run("abstain", &[at, "--parts", "1"]).status.code(), Some(2));
}

#[test]
fn many_conversations_at_once_lose_nothing() {
    let object = json(&run("load", &["--sessions", "6", "--seconds", "2", "--notes", "60", "--json"]));
    assert_eq!(object["errors"], 0, "{object}");
    assert!(object["answers"].as_u64().unwrap() >= 6, "{object}");
}

#[test]
fn a_retriever_of_one_s_own_and_both_modes_say_what_is_missing() {
    let own = run("own_retriever", &["how much sun does mint want", "--model", "/nowhere"]);
    let text = String::from_utf8(own.stdout).unwrap();
    assert!(own.status.success() && text.contains("Mint:") && text.contains("install it"), "{text}");
    let modes =
        run("search_modes", &["--ask", "sol da hortelã", "--model", "/nowhere", "--sentences", "none"]);
    let text = String::from_utf8(modes.stdout).unwrap();
    assert!(
        modes.status.success() && text.contains("Narrow Search") && text.contains("Broad Search"),
        "{text}"
    );
    assert_eq!(text.matches("less than it could be").count(), 1, "{text}");
}
