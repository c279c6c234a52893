//! That parsing pays: questions about chats and meetings, asked of what the parsers make of them and of the same files as
//! plain text, both through the engine.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    reason = "tests fail by panicking"
)]

use std::path::Path;

use tusab_engine::chunk::Position;
use tusab_engine::{Engine, Project, Source};

const CHAT: &str = "Conversa do WhatsApp com Obra do prédio.txt";
const MEETING: &str = "planning.transcript.vtt";

/// A question, and words that stand in no passage but those that answer it.
const QUESTIONS: [(&str, &str); 10] = [
    ("De quanto foi o orçamento do 12?", "860 reais"),
    ("De quanto foi o orçamento do 19?", "1.150 reais"),
    ("De quanto foi o orçamento do 31?", "430 reais"),
    ("De quanto foi o orçamento do 14?", "2.300 reais"),
    ("De quanto foi o orçamento do 26?", "720 reais"),
    ("Who takes number 12?", "open that file"),
    ("Who takes number 31?", "wrote the page"),
    ("Who takes number 19?", "wrote the table"),
    ("Who takes number 44?", "ask him after lunch"),
    ("Who takes number 53?", "small, and everybody"),
];

fn fixture(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parsing").join(name)
}

/// The files as somebody keeps them who pastes them below a text of their own: no parser knows them there.
fn as_plain_text(name: &str) -> Source {
    let note = "O que segue foi copiado de outro lugar, para não se perder.\n".repeat(25);
    let text = std::fs::read_to_string(fixture(name)).unwrap();
    Source::text(name, format!("{note}\n{text}"))
}

/// A passage as it is read: without the numbers, times and names that stand between two halves of a sentence, so that a
/// passage of plain text is not told wrong for showing them.
fn without_marks(text: &str) -> String {
    let is_mark = |line: &str| line.contains("-->") || line.bytes().all(|byte| byte.is_ascii_digit());
    let lines = text.lines().map(str::trim).filter(|line| !is_mark(line));
    let lines = lines.map(|line| line.split_once(": ").map_or(line, |(_, said)| said));
    lines.collect::<Vec<_>>().join(" ")
}

/// One over the place of the first passage that answers; 0 when none of six does.
async fn reciprocal_rank(project: &Project, question: &str, answer: &str) -> f64 {
    let hits = project.search(question).await.unwrap().hits;
    let answers = |text: &str| without_marks(text).contains(answer);
    let place = (1_u32..).zip(&hits).find(|(_, hit)| answers(hit.chunk.original_text()));
    place.map_or(0.0, |(place, _)| 1.0 / f64::from(place))
}

async fn ranks(project: &Project) -> Vec<f64> {
    let mut ranks = Vec::new();
    for (question, answer) in QUESTIONS {
        ranks.push(reciprocal_rank(project, question, answer).await);
    }
    ranks
}

#[tokio::test]
async fn what_a_parser_has_read_answers_more_than_the_same_files_as_plain_text() {
    let data = tempfile::tempdir().unwrap();
    let engine = Engine::builder().data_dir(data.path()).build().unwrap();
    let (parsed, plain) =
        (engine.project("Lido").await.unwrap(), engine.project("Como texto").await.unwrap());
    for name in [CHAT, MEETING] {
        assert_eq!(parsed.ingest(Source::file(fixture(name))).await.unwrap().stored(), 1);
        assert_eq!(plain.ingest(as_plain_text(name)).await.unwrap().stored(), 1);
    }
    let is_text = |position: Position| matches!(position, Position::Text(_));
    for (project, expected) in [(&parsed, false), (&plain, true)] {
        let hits = project.search("registro seats").await.unwrap().hits;
        assert!(!hits.is_empty() && hits.iter().all(|hit| is_text(hit.chunk.position()) == expected));
    }
    let (with, without) = (ranks(&parsed).await, ranks(&plain).await);
    for (((question, _), with), without) in QUESTIONS.iter().zip(&with).zip(&without) {
        println!("{with:.2} {without:.2}  {question}");
    }
    let mean = |ranks: &[f64]| ranks.iter().sum::<f64>() / 10.0;
    let (with, without) = (mean(&with), mean(&without));
    println!("mean reciprocal rank: {with:.3} parsed, {without:.3} as plain text");
    assert!(with >= 0.7, "{with}");
    assert!(with >= without + 0.15, "{with} {without}");
}

/// A chat of parents and what was asked about it, with the message that answers. Fixed before anything was run.
const PARENTS: (&str, [(&str, &str); 10]) = (
    "Conversa do WhatsApp com Pais 5º B.txt",
    [
        (
            "Quanto custa a excursão ao museu por aluno?",
            "Ônibus e entrada: 47 reais por aluno. Quem tiver irmão na escola paga 40.",
        ),
        (
            "Onde fica a caixa de achados e perdidos?",
            "Procura com o seu Otávio da portaria, os achados ficam numa caixa embaixo do balcão dele",
        ),
        (
            "Quem vai levar os copinhos da festa junina?",
            "Copinho e colher deixa comigo, compro no atacado na volta do trabalho",
        ),
        (
            "Que shampoo a pediatra receitou para piolho?",
            "A pediatra mandou aquele shampoo de permetrina e repetir depois de sete dias",
        ),
        ("A que horas o Paulo busca o Tomás?", "Consigo pegar ele 6h40 na esquina da padaria"),
        (
            "O que cai na prova de ciências?",
            "Capítulos 3 e 4: água e solo. O 5 ficou para o bimestre seguinte.",
        ),
        (
            "Qual foi o presente da professora Tânia?",
            "Ela comentou comigo que queria um curso de cerâmica, tem um ateliê ali na Rua Pouso Alto",
        ),
        ("Até que horas dá para entrar pelo portão principal?", "Pelo portão principal ainda entra até 7h25"),
        ("Quanto sobrou da barraca depois das despesas?", "Apurado 1.312, tirando as despesas sobram 974,10"),
        (
            "Quando é o reforço de matemática?",
            "Renata, teremos reforço às terças, das 13h às 14h, começando dia 26. É gratuito.",
        ),
    ],
);

/// A meeting and what was asked about it, with words of the turn that answers. Fixed before anything was run.
const ROLLOUT: (&str, [(&str, &str); 10]) = (
    "rollout.teams.vtt",
    [
        ("Why can't they drill at Bexley?", "Then they found asbestos in the ceiling at Bexley"),
        ("Why do patients get two text messages?", "because nobody switched off the nightly task"),
        ("How much does a letter cost?", "It costs us sixty one pence each with postage"),
        (
            "What happens to the label printers after the update?",
            "As in they print one blank label and then sulk",
        ),
        ("How long does security allow the rollback?", "They'll allow it for fourteen days, as an exception"),
        (
            "What is wrong with the double booking screen?",
            "They don't see that the grey slots are held by the hospital",
        ),
        ("Where is the next training?", "Second week of November, in Kendal this time"),
        ("By how much are we over on travel?", "We're over by four thousand two hundred"),
        ("Which sites will get somebody in person?", "Marsh Lane in person, the rest from here"),
        ("Who gets the alert of the backup job?", "It goes to his mailbox. Which is closed. So, nobody."),
    ],
);

/// The words of a passage alone: without lines of times, the names of cues and tags, so that a passage of plain text is
/// not told wrong for showing them.
fn words_alone(text: &str) -> String {
    let is_name_of_cue = |line: &str| line.len() > 36 && line.contains('/') && !line.contains(' ');
    let lines = text.lines().filter(|line| !line.contains("-->") && !is_name_of_cue(line));
    let mut words = String::new();
    for line in lines {
        for piece in line.split('<') {
            let said = piece.rsplit('>').next().unwrap_or_default();
            words.push_str(said);
        }
        words.push(' ');
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn ten_questions_find_more_in_a_parsed_chat_and_ten_as_much_in_a_parsed_meeting() {
    let mut outcomes = Vec::new();
    for (name, questions) in [PARENTS, ROLLOUT] {
        let data = tempfile::tempdir().unwrap();
        let engine = Engine::builder().data_dir(data.path()).build().unwrap();
        let (parsed, plain) =
            (engine.project("Lido").await.unwrap(), engine.project("Como texto").await.unwrap());
        assert_eq!(parsed.ingest(Source::file(fixture(name))).await.unwrap().stored(), 1);
        assert_eq!(plain.ingest(as_plain_text(name)).await.unwrap().stored(), 1);
        let mut sums = [0.0; 2];
        let mut firsts = [0; 2];
        for (question, answer) in questions {
            let mut ranks = [0.0; 2];
            for ((project, rank), first) in [&parsed, &plain].into_iter().zip(&mut ranks).zip(&mut firsts) {
                let hits = project.search(question).await.unwrap().hits;
                let place =
                    hits.iter().position(|hit| words_alone(hit.chunk.original_text()).contains(answer));
                *rank = place.map_or(0.0, |place| 1.0 / (place as f64 + 1.0));
                *first += usize::from(place == Some(0));
            }
            println!("{:.2} {:.2}  {question}", ranks[0], ranks[1]);
            sums[0] += ranks[0];
            sums[1] += ranks[1];
        }
        let [with, without] = sums.map(|sum| sum / 10.0);
        println!(
            "{name}: mean reciprocal rank {with:.3} parsed, {without:.3} as plain text; first {firsts:?}"
        );
        outcomes.push((name, with, without));
    }
    // The words of a meeting are found as well as plain text, by as easy questions as these; the times are not.
    let [(_, chat, plain_chat), (_, meeting, plain_meeting)] = outcomes.as_slice() else {
        panic!("{outcomes:?}")
    };
    assert!(chat > plain_chat && meeting >= plain_meeting, "{outcomes:?}");
}
