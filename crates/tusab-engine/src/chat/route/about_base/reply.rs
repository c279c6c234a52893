//! What is said of the project, in words.

use tusab_chunk::SourceKind;

use super::{Asked, Kind};
use crate::answer::Voice;
use crate::project::{Inventory, Item};

/// The answer from what the project holds; `None` when that does not tell.
pub(in crate::chat::route) fn answer(asked: Asked, inventory: &Inventory, voice: Voice) -> Option<String> {
    match asked {
        Asked::Count(kind) => Some(count(kind, inventory, voice)),
        Asked::NewestPublished(kind) => {
            let dated = of_kind(inventory, kind).filter_map(|item| Some((item.date?, item)));
            let (date, newest) =
                dated.max_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.title.cmp(&a.1.title)))?;
            Some(match voice {
                Voice::Portuguese => format!("O mais recente é “{}”, de {}.", newest.title, day(date, voice)),
                Voice::English => format!("The most recent is “{}”, of {}.", newest.title, day(date, voice)),
                Voice::Spanish => format!("El más reciente es “{}”, del {}.", newest.title, day(date, voice)),
            })
        }
        Asked::NewestAdded(kind) => {
            let added = of_kind(inventory, kind).filter_map(|item| Some((item.added_at.as_deref()?, item)));
            let (when, newest) = added.max_by(|a, b| a.0.cmp(b.0).then_with(|| b.1.title.cmp(&a.1.title)))?;
            let when = moment(when, voice);
            Some(match voice {
                Voice::Portuguese => format!("O último adicionado foi “{}”, em {when}.", newest.title),
                Voice::English => format!("The last one added was “{}”, on {when}.", newest.title),
                Voice::Spanish => format!("El último añadido fue “{}”, el {when}.", newest.title),
            })
        }
        Asked::WhenIndexed => {
            let last = inventory.items.iter().filter_map(|item| item.added_at.as_deref()).max()?;
            let when = moment(last, voice);
            Some(match voice {
                Voice::Portuguese => format!("A base foi indexada pela última vez em {when}."),
                Voice::English => format!("The base was last indexed on {when}."),
                Voice::Spanish => format!("La base se indexó por última vez el {when}."),
            })
        }
    }
}

fn of_kind(inventory: &Inventory, kind: Kind) -> impl Iterator<Item = &Item> {
    inventory.items.iter().filter(move |item| match kind {
        Kind::Videos => item.kind == SourceKind::Youtube,
        Kind::Documents => item.kind == SourceKind::File,
        Kind::Texts => item.kind == SourceKind::Text,
        Kind::Passages | Kind::Any => true,
    })
}

fn count(kind: Kind, inventory: &Inventory, voice: Voice) -> String {
    let all = inventory.items.len();
    let number = if kind == Kind::Passages { inventory.passages } else { of_kind(inventory, kind).count() };
    let named = format!("{number} {}", noun(kind, number, voice));
    let sources = format!("{all} {}", noun(Kind::Any, all, voice));
    let in_all = match (kind, voice) {
        (Kind::Any, _) => String::new(),
        (_, Voice::Portuguese) => format!(" ({sources} ao todo)"),
        (_, Voice::English) => format!(" ({sources} in all)"),
        (_, Voice::Spanish) => format!(" ({sources} en total)"),
    };
    match voice {
        Voice::Portuguese => format!("Há {named} neste projeto{in_all}."),
        Voice::English if number == 1 => format!("There is {named} in this project{in_all}."),
        Voice::English => format!("There are {named} in this project{in_all}."),
        Voice::Spanish => format!("Hay {named} en este proyecto{in_all}."),
    }
}

fn noun(kind: Kind, number: usize, voice: Voice) -> &'static str {
    let (one, several) = match (kind, voice) {
        (Kind::Videos, Voice::Portuguese) => ("vídeo", "vídeos"),
        (Kind::Videos, Voice::English | Voice::Spanish) => ("video", "videos"),
        (Kind::Documents, Voice::Portuguese | Voice::Spanish) => ("documento", "documentos"),
        (Kind::Documents, Voice::English) => ("document", "documents"),
        (Kind::Texts, Voice::Portuguese | Voice::Spanish) => ("texto", "textos"),
        (Kind::Texts, Voice::English) => ("text", "texts"),
        (Kind::Passages, Voice::Portuguese) => ("trecho", "trechos"),
        (Kind::Passages, Voice::English) => ("passage", "passages"),
        (Kind::Passages, Voice::Spanish) => ("fragmento", "fragmentos"),
        (Kind::Any, Voice::Portuguese) => ("fonte", "fontes"),
        (Kind::Any, Voice::English) => ("source", "sources"),
        (Kind::Any, Voice::Spanish) => ("fuente", "fuentes"),
    };
    if number == 1 { one } else { several }
}

fn day(date: tusab_chunk::Date, voice: Voice) -> String {
    match voice {
        Voice::English => date.to_string(),
        Voice::Portuguese | Voice::Spanish => {
            format!("{:02}/{:02}/{}", date.day(), date.month(), date.year())
        }
    }
}

/// A time of the engine's own (`2026-07-01T12:30:00Z`), for people.
fn moment(timestamp: &str, voice: Voice) -> String {
    let (date, time) = timestamp.split_once('T').unwrap_or((timestamp, ""));
    let date = date.parse().map_or_else(|_| date.to_owned(), |date| day(date, voice));
    let time = time.get(..5).map(|time| format!(" {time} (UTC)")).unwrap_or_default();
    format!("{date}{time}")
}
