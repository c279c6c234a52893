//! The line from a source to a cited answer, on real files and real stores.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tusab_engine::chunk::ByteOffset;
use tusab_engine::llm::{
    BaseUrl, BoxFuture, ChatModel, ChatRequest, ChatStream, Delta, FinishReason, ModelId, Ollama,
    OllamaOptions, Provider,
};
use tusab_engine::{
    Answer, AnswerEvent, AnswerKind, Cancel, Citation, Engine, Error, Event, NoContext, Outcome, Part,
    Project, Search, SearchMode, Source,
};

const VIDEO: &str = "hv7Qk2LrT0c";

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/samples")
}

fn sample(part_of_name: &str) -> PathBuf {
    let entries = fs::read_dir(samples()).unwrap().map(|entry| entry.unwrap().path());
    entries.into_iter().find(|path| path.to_string_lossy().contains(part_of_name)).unwrap()
}

fn engine(data: &Path) -> Engine {
    Engine::builder().data_dir(data).build().unwrap()
}

async fn horta(data: &Path) -> Project {
    let project = engine(data).project("Horta").await.unwrap();
    let sources = [".vtt", ".md", ".txt"].map(|end| Source::file(sample(end))).to_vec();
    let report = project.ingest_all(sources, &Cancel::new()).await.unwrap();
    assert_eq!((report.stored(), report.failed()), (3, 0), "{report:?}");
    project
}

async fn ask(project: &Project, question: &str) -> Answer {
    project.chat("s").ask(question).await.unwrap()
}

#[tokio::test]
async fn an_answer_quotes_the_passage_and_links_to_its_second() {
    let data = tempfile::tempdir().unwrap();
    let project = horta(data.path()).await;
    let answer = ask(&project, "Quantas horas de sol a hortelã precisa?").await;
    assert_eq!(answer.kind, AnswerKind::Extractive);
    assert!(answer.text.contains("resposta extrativa"), "{}", answer.text);
    assert!(answer.text.contains("três ou quatro horas de sol pela manhã"), "{}", answer.text);
    let first = &answer.sources[0];
    assert_eq!(first.doc.as_str(), format!("youtube:{VIDEO}"));
    assert_eq!(first.section.as_deref(), Some("Quanto sol cada planta precisa"));
    // The chapter begins at 0:38; the link leads to the cue in which the sentence begins.
    let second = first.start.unwrap().whole_seconds();
    let vtt = fs::read_to_string(sample(".vtt")).unwrap();
    let cue =
        vtt.split("\n\n").find(|cue| cue.contains("<c> hortelã") || cue.contains("\nhortelã<")).unwrap();
    let said: Vec<u64> = cue[..8].split(':').map(|part| part.parse().unwrap()).collect();
    let said = said[0] * 3600 + said[1] * 60 + said[2];
    assert!((said.saturating_sub(8)..=said).contains(&second), "{second} {said}");
    let link = format!("https://www.youtube.com/watch?v=hv7Qk2LrT0c&t={second}s");
    assert_eq!(first.link.as_deref(), Some(link.as_str()));
    assert_eq!((answer.no_context, answer.degraded.as_slice()), (None, &[][..]));
}

/// What an app needs that shows or hands on passages without an answer.
#[tokio::test]
async fn passages_are_cited_and_documents_read_without_an_answer() {
    let data = tempfile::tempdir().unwrap();
    let project = horta(data.path()).await;
    let question = "Quantas horas de sol a hortelã precisa?";
    let found = project.search(question).await.unwrap();
    let cited = found.citations(question);
    assert_eq!(cited, ask(&project, question).await.sources.iter().map(unsupported).collect::<Vec<_>>());

    let hit = &found.hits[0];
    let record = project.document(hit.chunk.doc()).await.unwrap().unwrap();
    assert_eq!(record, *hit.document);
    let chunks = project.chunks(hit.chunk.doc()).await.unwrap();
    assert!(chunks.iter().map(|chunk| chunk.ordinal() as usize).eq(0..chunks.len()));
    assert_eq!(chunks[hit.chunk.ordinal() as usize], hit.chunk);
    let whole = Citation::of_chunk(&record, &chunks[1]);
    let start = chunks[1].time_at(ByteOffset(0)).unwrap();
    assert_eq!(
        (whole.start, whole.quote, whole.text.as_str()),
        (Some(start), None, chunks[1].original_text())
    );
    assert!(whole.link.unwrap().ends_with(&format!("&t={}s", start.whole_seconds())));

    let other = "youtube:nenhumvideo".parse().unwrap();
    assert_eq!(project.document(&other).await.unwrap(), None);
    assert_eq!(project.chunks(&other).await.unwrap(), []);
}

/// A source of an answer without what the answer says about it.
fn unsupported(source: &Citation) -> Citation {
    let mut source = source.clone();
    source.supports.clear();
    source
}

#[tokio::test]
async fn an_english_question_is_answered_in_english_from_the_document() {
    let data = tempfile::tempdir().unwrap();
    let project = horta(data.path()).await;
    let answer = ask(&project, "How should the liquid from the lowest tray be diluted?").await;
    assert!(answer.text.contains("no language model"), "{}", answer.text);
    assert!(answer.text.contains("one part to ten parts of water"), "{}", answer.text);
    assert_eq!(answer.sources[0].title, "Composting in a small flat");
}

#[tokio::test]
async fn what_is_not_there_is_said_not_invented() {
    let data = tempfile::tempdir().unwrap();
    let empty = engine(data.path()).project("Vazio").await.unwrap();
    let answer = ask(&empty, "O que é isso?").await;
    assert_eq!(answer.no_context, Some(NoContext::NothingIndexed));
    assert!(answer.sources.is_empty());
    let project = horta(data.path()).await;
    let answer = ask(&project, "criptomoedas blockchain?").await;
    assert_eq!(answer.no_context, Some(NoContext::NoMatch));
    assert!(answer.sources.is_empty());
    let json = serde_json::to_value(&answer).unwrap();
    assert_eq!((&json["no_context_reason"], &json["sources"]), (&"no_match".into(), &serde_json::json!([])));
}

#[tokio::test]
async fn the_same_sources_again_cost_nothing_and_repeat_nothing() {
    let data = tempfile::tempdir().unwrap();
    let project = horta(data.path()).await;
    let before = project.statistics().await.unwrap();
    let again = project.ingest(Source::file(sample(".md"))).await.unwrap();
    assert!(matches!(again.items[0].outcome, Outcome::Unchanged { .. }), "{again:?}");
    // Another engine on the same data directory finds the same project.
    drop(project);
    let project = engine(data.path()).project("Horta").await.unwrap();
    let again = project.ingest(Source::file(sample(".vtt"))).await.unwrap();
    assert!(matches!(again.items[0].outcome, Outcome::Unchanged { .. }), "{again:?}");
    assert_eq!(project.statistics().await.unwrap(), before);
}

#[tokio::test]
async fn an_edited_file_takes_its_own_place_and_a_copy_is_reported() {
    let data = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (note, copy) = (folder.path().join("nota.txt"), folder.path().join("cópia.txt"));
    fs::write(&note, "O jantar é às oito.").unwrap();
    fs::write(&copy, "O jantar é às oito.").unwrap();
    let project = engine(data.path()).project("Notas").await.unwrap();
    let report =
        project.ingest_all(vec![Source::file(&note), Source::file(&copy)], &Cancel::new()).await.unwrap();
    let [Outcome::Added { doc, .. }, Outcome::Duplicate { of }] =
        [&report.items[0].outcome, &report.items[1].outcome]
    else {
        panic!("{report:?}")
    };
    assert_eq!(doc, of);
    fs::write(&note, "O almoço é ao meio-dia.").unwrap();
    let report = project.ingest(Source::file(&note)).await.unwrap();
    assert!(
        matches!(&report.items[0].outcome, Outcome::Updated { doc: again, .. } if again == doc),
        "{report:?}"
    );
    assert!(project.search("jantar").await.unwrap().hits.is_empty());
    assert_eq!(project.search("almoço").await.unwrap().hits.len(), 1);
    assert_eq!(project.statistics().await.unwrap().documents, 1);
}

#[tokio::test]
async fn bad_input_is_named_explained_and_stops_nothing() {
    let data = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let bad: Vec<(PathBuf, &str)> = vec![
        (folder.path().join("nenhum.txt"), "does not exist"),
        (folder.path().to_owned(), "is a folder"),
        (file("foto.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0"), "not text"),
        (file("vazio.md", b" \n\t "), "empty"),
        (file("outro.vtt", b"isto nem parece legenda"), "not WebVTT"),
        (file("musica.vtt", "WEBVTT\nKind: captions\nLanguage: pt\n\n".as_bytes()), "says nothing"),
    ];
    let legacy: Vec<u8> =
        "Velha codificação da caatinga.".chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let legacy = file("latin.txt", &legacy);
    let good = file("bom.txt", "Tudo certo com a goiabada.".as_bytes());
    let half =
        file("metade.vtt", b"WEBVTT\n\n00:01.000 --> 00:02.000\numa frase inteira\n\n00:03.000 --> 00:0");
    let mut sources: Vec<Source> = bad.iter().map(|(path, _)| Source::file(path)).collect();
    sources.extend([Source::file(&good), Source::file(&legacy), Source::file(&half)]);
    let project = engine(data.path()).project("Entradas").await.unwrap();
    let report = project.ingest_all(sources, &Cancel::new()).await.unwrap();
    for (item, (path, explained)) in report.items.iter().zip(&bad) {
        let Outcome::Failed(error) = &item.outcome else { panic!("{path:?}: {item:?}") };
        let mut told = error.to_string();
        let mut cause = std::error::Error::source(error);
        while let Some(error) = cause {
            told = format!("{told}: {error}");
            cause = error.source();
        }
        let name = path.file_name().unwrap().to_string_lossy();
        assert!(told.contains(&*name) && told.contains(explained), "{told}");
    }
    assert_eq!((report.stored(), report.failed()), (3, bad.len()));
    assert_eq!(report.items.last().unwrap().warnings.len(), 1, "half a file is said to be half");
    assert_eq!(report.items[bad.len() + 1].warnings.len(), 1, "an old encoding is told");
    assert_eq!(project.search("codificação").await.unwrap().hits.len(), 1);
    assert_eq!(project.search("goiabada").await.unwrap().hits.len(), 1);
    assert_eq!(project.search("frase inteira").await.unwrap().hits.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_may_call_back_into_the_engine() {
    let data = tempfile::tempdir().unwrap();
    let slot: Arc<Mutex<Option<Project>>> = Arc::default();
    let seen: Arc<Mutex<Vec<usize>>> = Arc::default();
    let (inner_slot, inner_seen) = (Arc::clone(&slot), Arc::clone(&seen));
    let handler = move |event: &Event| {
        let Event::SourceRead { name, .. } = event else { return };
        // Only the outer sources: the nested ingest tells its own events here too.
        if !name.starts_with("de fora") {
            return;
        }
        let project = inner_slot.lock().unwrap().clone().unwrap();
        let nested = tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                project.search("qualquer").await.unwrap();
                let name = format!("de dentro {name}");
                project.ingest(Source::text(&name, format!("texto {name}"))).await.unwrap().stored()
            })
        });
        inner_seen.lock().unwrap().push(nested);
    };
    let engine = Engine::builder().data_dir(data.path()).on_event(handler).build().unwrap();
    let project = engine.project("Volta").await.unwrap();
    *slot.lock().unwrap() = Some(project.clone());
    let sources = vec![Source::text("de fora 1", "um texto"), Source::text("de fora 2", "outro texto")];
    project.ingest_all(sources, &Cancel::new()).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [1, 1]);
    assert_eq!(project.statistics().await.unwrap().documents, 4);
}

#[tokio::test]
async fn a_cancelled_ingest_takes_nothing_more_in_and_can_be_repeated() {
    let data = tempfile::tempdir().unwrap();
    let engine = engine(data.path());
    let project = engine.project("P").await.unwrap();
    let sources =
        || (0..50).map(|n| Source::text(format!("t{n}"), format!("texto número {n}"))).collect::<Vec<_>>();
    let cancel = Cancel::new();
    cancel.cancel();
    let report = project.ingest_all(sources(), &cancel).await.unwrap();
    assert!(report.cancelled && report.items.is_empty());
    assert_eq!(project.statistics().await.unwrap().documents, 0);
    // And everything goes on from there.
    let report = project.ingest_all(sources(), &Cancel::new()).await.unwrap();
    assert!(!report.cancelled);
    assert_eq!((report.stored(), project.statistics().await.unwrap().documents), (50, 50));
}

#[tokio::test]
async fn projects_have_any_name_and_their_own_sources() {
    let data = tempfile::tempdir().unwrap();
    let engine = engine(data.path());
    let names = ["Finanças", "Financas", "../fora", "CON", "🎉", "a".repeat(120).as_str()].map(str::to_owned);
    for name in &names {
        let project = engine.project(name).await.unwrap();
        assert_eq!(project.name(), *name);
        project.ingest(Source::text("t", format!("só em {name}"))).await.unwrap();
    }
    for name in &names {
        assert_eq!(engine.project(name).await.unwrap().statistics().await.unwrap().documents, 1, "{name}");
    }
    for bad in ["", "  \t", "\u{7}", &"a".repeat(121)] {
        assert!(matches!(engine.project(bad).await, Err(Error::ProjectName { .. })), "{bad:?}");
    }
    let outside: Vec<_> =
        fs::read_dir(data.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        outside.iter().all(|name| ["neural", "indexes", "README.txt"].iter().any(|known| name == known)),
        "{outside:?}"
    );
}

#[tokio::test]
async fn the_index_is_made_again_from_the_sources_alone() {
    let data = tempfile::tempdir().unwrap();
    let project = horta(data.path()).await;
    let before = project.search("areia grossa").await.unwrap();
    drop(project);
    fs::remove_dir_all(data.path().join("indexes")).unwrap();
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let inner = Arc::clone(&told);
    let handler = move |event: &Event| {
        if let Event::Repaired { what, .. } = event {
            inner.lock().unwrap().push(what.clone());
        }
    };
    let engine = Engine::builder().data_dir(data.path()).on_event(handler).build().unwrap();
    let project = engine.project("Horta").await.unwrap();
    assert_eq!(*told.lock().unwrap(), ["3 stored sources were indexed"]);
    let after = project.search("areia grossa").await.unwrap();
    let ids =
        |found: &tusab_engine::Found| found.hits.iter().map(|hit| hit.chunk.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&before), ids(&after));
    assert!(!before.hits.is_empty());
}

#[tokio::test]
async fn a_damaged_manifest_is_kept_aside_and_made_again() {
    let data = tempfile::tempdir().unwrap();
    drop(horta(data.path()).await);
    let documents = data.path().join("neural/horta/documents");
    fs::write(documents.join("_manifest.json"), "{\"version\": 1, \"entries\": [{").unwrap();
    let project = engine(data.path()).project("Horta").await.unwrap();
    assert_eq!(project.statistics().await.unwrap().documents, 3);
    assert!(documents.join("_manifest.damaged-1.json").exists());
    let again = project.ingest(Source::file(sample(".md"))).await.unwrap();
    assert!(matches!(again.items[0].outcome, Outcome::Unchanged { .. }), "{again:?}");
}

#[tokio::test]
async fn a_second_process_reads_while_one_writes() {
    let data = tempfile::tempdir().unwrap();
    let (first, second) = (engine(data.path()), engine(data.path()));
    let (writer, reader) = (first.project("P").await.unwrap(), second.project("P").await.unwrap());
    writer.ingest(Source::text("a", "umbu")).await.unwrap();
    assert_eq!(reader.search("umbu").await.unwrap().hits.len(), 1);
    // No ingest is going on, so the other may write now.
    reader.ingest(Source::text("b", "cajá")).await.unwrap();
    assert_eq!(writer.search("cajá").await.unwrap().hits.len(), 1);
}

#[tokio::test]
async fn broad_search_without_a_reranker_says_so_and_keeps_the_order() {
    let data = tempfile::tempdir().unwrap();
    let project = horta(data.path()).await;
    let narrow = project.search("terra para vaso").await.unwrap();
    let broad = project.search(Search::new("terra para vaso").with_mode(SearchMode::Broad)).await.unwrap();
    let ids = |found: &tusab_engine::Found| found.hits.iter().map(|hit| hit.chunk.id()).collect::<Vec<_>>();
    assert_eq!(ids(&narrow), ids(&broad));
    assert!(narrow.degraded.is_empty());
    assert_eq!(
        broad.degraded.iter().map(tusab_engine::Degradation::part).collect::<Vec<_>>(),
        [Part::Reranker]
    );
}

/// A model that repeats what it was told to, in pieces, and keeps what it was asked.
#[derive(Debug)]
struct Parrot {
    id: ModelId,
    pieces: Vec<&'static str>,
    asked: Mutex<Vec<ChatRequest>>,
}

impl Parrot {
    fn new(pieces: &[&'static str]) -> Arc<Self> {
        let id = "ollama::parrot".parse().unwrap();
        Arc::new(Self { id, pieces: pieces.to_vec(), asked: Mutex::default() })
    }
}

impl ChatModel for Parrot {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn stream(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatStream, tusab_engine::llm::Error>> {
        self.asked.lock().unwrap().push(request);
        let done = Delta::Done { finish_reason: FinishReason::Stop };
        let deltas: Vec<_> =
            self.pieces.iter().map(|piece| Ok(Delta::Text((*piece).to_owned()))).chain([Ok(done)]).collect();
        Box::pin(async move { Ok(ChatStream::ready(self.id.clone(), deltas)) })
    }
}

#[tokio::test]
async fn a_model_writes_the_answer_and_its_stream_is_the_answer() {
    let data = tempfile::tempdir().unwrap();
    let parrot = Parrot::new(&["Três ou ", "quatro horas [1]."]);
    let engine = Engine::builder().data_dir(data.path()).model(parrot.clone()).build().unwrap();
    let project = engine.project("Horta").await.unwrap();
    project.ingest(Source::file(sample(".vtt"))).await.unwrap();
    let chat = project.chat("s");
    let mut stream = chat.ask_stream("Quantas horas de sol a hortelã precisa?");
    let (mut order, mut text, mut answer) = (Vec::new(), String::new(), None);
    while let Some(event) = stream.next().await {
        match event.unwrap() {
            AnswerEvent::Searching => order.push("searching"),
            AnswerEvent::Sources(sources) => {
                assert!(!sources.is_empty());
                order.push("sources");
            }
            AnswerEvent::Text(piece) => {
                text.push_str(&piece);
                order.push("text");
            }
            AnswerEvent::Support(_) => order.push("support"),
            AnswerEvent::Done(done) => {
                answer = Some(done);
                order.push("done");
            }
            other => panic!("{other:?}"),
        }
    }
    let answer = answer.unwrap();
    assert_eq!(order, ["searching", "sources", "text", "text", "support", "done"]);
    assert_eq!(
        (text.as_str(), answer.text.as_str()),
        ("Três ou quatro horas [1].", "Três ou quatro horas [1].")
    );
    assert_eq!(answer.kind, AnswerKind::Generated { model: "ollama::parrot".into() });
    // The next question is asked with this turn before it, and the history survives the engine.
    chat.ask("E o manjericão?").await.unwrap();
    let asked: Vec<ChatRequest> = parrot.asked.lock().unwrap().clone();
    assert_eq!(asked[1].messages[0].content, "Quantas horas de sol a hortelã precisa?");
    assert!(asked[0].messages[0].content.contains("três ou quatro horas"));
    let questions: Vec<String> =
        project.chat("s").history().await.unwrap().into_iter().map(|turn| turn.question).collect();
    assert_eq!(questions, ["Quantas horas de sol a hortelã precisa?", "E o manjericão?"]);
}

#[tokio::test]
async fn a_model_that_cannot_answer_leaves_quotes_and_a_degradation() {
    let data = tempfile::tempdir().unwrap();
    // Nothing listens on port 1 of this machine.
    let base = BaseUrl::parse(Provider::Ollama, "http://127.0.0.1:1").unwrap();
    let ollama = Ollama::new(OllamaOptions::default().with_base_url(base)).unwrap();
    let model = Arc::new(ollama.model("llama3.2:1b").unwrap());
    let engine = Engine::builder().data_dir(data.path()).model(model).build().unwrap();
    let project = engine.project("Horta").await.unwrap();
    project.ingest(Source::file(sample(".vtt"))).await.unwrap();
    let answer = ask(&project, "Quantas horas de sol a hortelã precisa?").await;
    assert_eq!(answer.kind, AnswerKind::Extractive);
    assert!(answer.text.contains("três ou quatro horas"), "{}", answer.text);
    assert_eq!(
        answer.degraded.iter().map(tusab_engine::Degradation::part).collect::<Vec<_>>(),
        [Part::Model]
    );
}

#[test]
fn outside_of_a_runtime_there_is_an_error_not_a_panic() {
    let data = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let project = runtime.block_on(horta(data.path()));
    // Any executor will do to poll these; the point is that it is not tokio's.
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let mut search = std::pin::pin!(project.search("sol"));
    assert!(matches!(search.as_mut().poll(&mut context), std::task::Poll::Ready(Err(Error::NoRuntime))));
    let mut stream = project.chat("s").ask_stream("sol");
    assert!(matches!(stream.poll_next(&mut context), std::task::Poll::Ready(Some(Err(Error::NoRuntime)))));
}

#[test]
fn everything_is_send_and_sync() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Engine>();
    check::<Project>();
    check::<tusab_engine::ChatSession>();
    check::<Answer>();
    check::<Error>();
}
