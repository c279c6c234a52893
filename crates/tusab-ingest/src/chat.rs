//! Chats that were exported from `WhatsApp`. There is no specification, and hardly two phones write the same; what is
//! read here are the shapes that are found.

mod detect;
mod header;
mod order;
mod phrases;
mod scan;
mod sender;

use std::borrow::Cow;
use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use tusab_chunk::{DateTime, Turn, When};

pub(crate) use detect::is_whatsapp;
pub use order::{DateEvidence, DateOrder};

use self::header::entries;
use self::sender::Senders;
use crate::{Error, Parsed, Problem, Warning};

/// A chat: who wrote what, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Chat {
    /// The order of day, month and year that the whole file is read in.
    pub date_order: DateOrder,
    /// How that order is known.
    pub date_evidence: DateEvidence,
    /// Who wrote, in the order of their first message.
    pub participants: Vec<String>,
    /// The messages, in the order of the file, which is that of their arrival and not always that of their times.
    pub messages: Vec<Message>,
}

/// A message of a chat, or a notice of the system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Message {
    /// When it was sent, in the local time of whoever exported the chat; none for text above the first message and
    /// for days that the calendar does not have.
    pub time: Option<DateTime>,
    /// Who sent it; none for a notice of the system.
    pub sender: Option<String>,
    /// What it says; its lines are broken by `\n`. Marks of writing direction and of editing are taken out.
    pub text: String,
    /// What kind of message it is.
    pub kind: MessageKind,
    /// Whether its sender changed it afterwards.
    pub edited: bool,
}

/// Kinds of [`Message`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MessageKind {
    /// What someone wrote.
    Text,
    /// A notice of the system: who joined, who left, that the chat is encrypted.
    Notice,
    /// The place of a picture or a recording that is not part of the export.
    Omitted,
    /// The name of a file that is part of the export, perhaps with a text.
    Attached,
    /// The place of a message that its sender took back.
    Deleted,
    /// A poll with its options.
    Poll,
}

impl Chat {
    /// The conversation as [`tusab_chunk`] cuts it into windows: a turn a message. The places of what is not in the
    /// export, and of deleted messages, say nothing and are left out.
    #[must_use]
    pub fn turns(&self) -> Vec<Turn> {
        let said = self.messages.iter().filter(|message| {
            !matches!(message.kind, MessageKind::Omitted | MessageKind::Deleted) && !message.text.is_empty()
        });
        said.map(|message| {
            Turn::new(message.text.clone())
                .with_speaker(message.sender.clone())
                .with_when(message.time.map(When::Local))
        })
        .collect()
    }
}

/// What a caller knows of a chat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChatOptions {
    /// The order of day, month and year, where known; else it is inferred from the whole file.
    pub date_order: Option<DateOrder>,
}

impl ChatOptions {
    /// Sets the order of day, month and year.
    #[must_use]
    pub fn with_date_order(mut self, order: Option<DateOrder>) -> Self {
        self.date_order = order;
        self
    }
}

/// Reads a chat that was exported from `WhatsApp`, on Android or iOS, in any language.
///
/// The order of day and month is the same in the whole file: a number over 12 tells it, else that time does not run
/// backwards. Where neither does, [`Chat::date_evidence`] and a warning say so, and [`ChatOptions::date_order`]
/// settles it. Lines without a time belong to the message above them.
///
/// ```
/// use tusab_ingest::{ChatOptions, DateOrder, parse_whatsapp};
/// let export = "13/03/24, 9:29 p. m. - Ana: Que horas é a reunião?\nE onde?\n13/03/24, 9:31 p. m. - Rui: Às nove.";
/// let chat = parse_whatsapp(export, &ChatOptions::default())?.value;
/// assert_eq!((chat.date_order, chat.participants.as_slice()), (DateOrder::DayMonthYear, ["Ana".into(), "Rui".into()].as_slice()));
/// let first = &chat.messages[0];
/// assert_eq!(first.time.map(|time| time.to_string()).as_deref(), Some("2024-03-13T21:29:00"));
/// assert_eq!((first.sender.as_deref(), first.text.as_str()), (Some("Ana"), "Que horas é a reunião?\nE onde?"));
/// # Ok::<(), tusab_ingest::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotWhatsApp`] for a text without a single message.
pub fn parse_whatsapp(text: &str, options: &ChatOptions) -> Result<Parsed<Chat>, Error> {
    let text = line_breaks(text);
    let entries = entries(&text);
    if entries.is_empty() {
        return Err(Error::NotWhatsApp);
    }
    let dates = order::infer(&entries, options.date_order);
    let mut warnings = Vec::new();
    if dates.evidence == DateEvidence::Assumed {
        warnings.push(Warning::of_whole(Problem::AmbiguousDates { order: dates.order }));
    }
    let senders = Senders::of(&text, &entries);
    let mut messages = Vec::with_capacity(entries.len() + 1);
    let above = text.get(..entries.first().map_or(0, |entry| entry.start)).unwrap_or_default();
    if let Some(text) = clean(above) {
        messages.push(Message { time: None, sender: None, text, kind: MessageKind::Notice, edited: false });
    }
    let ends = entries.iter().skip(1).map(|next| next.start).chain([text.len()]);
    for (entry, end) in entries.iter().zip(ends) {
        let time = dates.order.time(&entry.header);
        if time.is_none() {
            let date = text.get(entry.start..entry.body).map_or(String::new(), Problem::quote);
            warnings.push(Warning::at(entry.line, Problem::ImpossibleDate { date }));
        }
        let body = text.get(entry.body..end).unwrap_or_default();
        messages.push(message(time, body, &senders));
    }
    let mut seen: HashSet<&str> = HashSet::new();
    let names = messages.iter().filter_map(|message| message.sender.as_deref());
    let participants = names.filter(|name| seen.insert(name)).map(str::to_owned).collect();
    let chat = Chat { date_order: dates.order, date_evidence: dates.evidence, participants, messages };
    Ok(Parsed { value: chat, warnings })
}

fn message(time: Option<DateTime>, body: &str, senders: &Senders<'_>) -> Message {
    let (sender, said) = senders.split(body);
    let marked = phrases::without_marked_edit(said);
    let text = clean(marked.unwrap_or(said)).unwrap_or_default();
    let (text, edited) = match phrases::without_edit_mark(&text) {
        Some(before) => (before.to_owned(), true),
        None => (text, marked.is_some()),
    };
    let kind = if sender.is_none() { MessageKind::Notice } else { phrases::kind_of(&text) };
    Message { time, sender: sender.map(|name| clean(name).unwrap_or_default()), text, kind, edited }
}

/// A text without marks of direction and white space around it; none when nothing stays.
fn clean(text: &str) -> Option<String> {
    let text = if text.contains(header::is_mark) {
        Cow::Owned(text.replace(header::is_mark, ""))
    } else {
        Cow::Borrowed(text)
    };
    let trimmed = text.trim();
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}

/// A text with `\n` alone for line breaks.
fn line_breaks(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}
