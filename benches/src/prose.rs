//! Portuguese and English prose of any length, and captions that speak it.

use tusab_chunk::{MediaTime, Segment, TimeSpan};

use crate::drawn::Drawn;

/// A language that prose is written in here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tongue {
    /// Brazilian Portuguese: one byte in thirty is part of an accented letter.
    Portuguese,
    /// English: ASCII alone.
    English,
}

/// Sentences of ordinary length; the order in which they follow each other is drawn.
const PORTUGUESE: [&str; 12] = [
    "Quem guarda um pouco por mês chega ao fim do ano com mais do que esperava.",
    "A reunião começou às nove, mas só terminou depois do almoço.",
    "O Dr. Silva explicou que a taxa de 14,25% não é definitiva.",
    "Ninguém sabia ao certo por que a estação estava fechada naquela manhã.",
    "Será que vale a pena trocar de plano agora?",
    "As três cidades ficam a menos de uma hora da capital, e todas têm feira aos sábados.",
    "Basta ler com atenção o primeiro parágrafo para entender a questão.",
    "Choveu tanto que o rio subiu quatro metros em dois dias!",
    "Ela respondeu que sim, que já conhecia o caminho, e seguiu em frente sem olhar para trás.",
    "O relatório está em https://exemplo.example/relatorio?ano=2024 e tem vinte páginas.",
    "Não há motivo para pressa.",
    "Os juros compostos fazem o resto, ainda que devagar, para quem tem paciência e disciplina.",
];

const ENGLISH: [&str; 12] = [
    "Whoever saves a little every month ends the year with more than expected.",
    "The meeting began at nine, but it was over only after lunch.",
    "Dr. Smith explained that the rate of 14.25% is not final.",
    "Nobody knew for certain why the station was closed that morning.",
    "Is it worth changing the plan now?",
    "The three towns are less than an hour from the capital, and each has a market on Saturdays.",
    "Reading the first paragraph with care is enough to understand the question.",
    "It rained so much that the river rose four metres in two days!",
    "She answered that she did, that she already knew the way, and went on without looking back.",
    "The report is at https://example.example/report?year=2024 and has twenty pages.",
    "There is no reason to hurry.",
    "Compound interest does the rest, slowly perhaps, for those with patience and discipline.",
];

/// One of the sentences of a language.
pub(crate) fn sentence(drawn: &mut Drawn, tongue: Tongue) -> &'static str {
    let sentences = match tongue {
        Tongue::Portuguese => &PORTUGUESE,
        Tongue::English => &ENGLISH,
    };
    let at = usize::try_from(drawn.below(sentences.len() as u64)).unwrap_or_default();
    sentences.get(at).copied().unwrap_or_default()
}

/// At least `bytes` of prose in paragraphs of two to nine sentences; at most one paragraph more.
#[must_use]
pub fn text(tongue: Tongue, bytes: usize) -> String {
    let mut drawn = Drawn::new();
    let mut text = String::with_capacity(bytes + 1024);
    while text.len() < bytes {
        for _ in 0..2 + drawn.below(8) {
            text.push_str(sentence(&mut drawn, tongue));
            text.push(' ');
        }
        text.pop();
        text.push_str("\n\n");
    }
    text
}

/// Captions of `hours` of speech, 2,000 an hour.
#[must_use]
pub fn cues(tongue: Tongue, hours: u64) -> Vec<Segment> {
    so_many_cues(tongue, hours * 2000)
}

/// So many captions of speech: one every 1.8 s, each of half a sentence.
#[must_use]
pub fn so_many_cues(tongue: Tongue, count: u64) -> Vec<Segment> {
    let mut drawn = Drawn::new();
    (0..count)
        .map(|number| {
            let start = MediaTime::from_millis(number * 1800);
            let span = TimeSpan::between(start, start.saturating_add(MediaTime::from_millis(1700)));
            let whole = sentence(&mut drawn, tongue);
            let half = whole.floor_char_boundary(whole.len() / 2);
            Segment::new(span, whole.get(..half).unwrap_or_default())
        })
        .collect()
}
