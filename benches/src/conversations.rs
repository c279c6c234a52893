//! Chats and meetings of any length.

use std::fmt::Write;

use crate::drawn::Drawn;
use crate::prose::{Tongue, cues, sentence};

const NAMES: [&str; 6] = ["Ana Souza", "Rui", "Dona Alice", "Tiago Lima", "+55 11 98765-4321", "Bia 🌻"];

fn name(drawn: &mut Drawn) -> &'static str {
    let at = usize::try_from(drawn.below(NAMES.len() as u64)).unwrap_or_default();
    NAMES.get(at).copied().unwrap_or_default()
}

/// A chat exported from WhatsApp on Android, of that many messages: one in ten has two lines, one in twenty a picture.
#[must_use]
pub fn whatsapp(messages: u64) -> String {
    let mut drawn = Drawn::new();
    let mut chat = String::new();
    for number in 0..messages {
        // A message every seven minutes, in months of 28 days.
        let minutes = number * 7;
        let (day, month, year) =
            (minutes / 1440 % 28 + 1, minutes / 40_320 % 12 + 1, 2015 + minutes / 483_840);
        let said = sentence(&mut drawn, Tongue::Portuguese);
        let text = if drawn.below(20) == 0 { "<Mídia oculta>" } else { said };
        // Writing into a text does not fail.
        let _ = writeln!(
            chat,
            "{day:02}/{month:02}/{year} {:02}:{:02} - {}: {text}",
            minutes / 60 % 24,
            minutes % 60,
            name(&mut drawn)
        );
        if drawn.below(10) == 0 {
            chat.push_str(sentence(&mut drawn, Tongue::Portuguese));
            chat.push('\n');
        }
    }
    chat
}

/// The transcript of a meeting as Zoom saves it, of that many hours.
#[must_use]
pub fn zoom(hours: u64) -> String {
    let mut drawn = Drawn::new();
    let mut vtt = String::from("WEBVTT\n\n");
    let mut speaker = name(&mut drawn);
    for (number, cue) in (1..).zip(cues(Tongue::English, hours)) {
        if drawn.below(4) == 0 {
            speaker = name(&mut drawn);
        }
        let time = |millis: u64| {
            let seconds = millis / 1000;
            format!("{:02}:{:02}:{:02}.{:03}", seconds / 3600, seconds / 60 % 60, seconds % 60, millis % 1000)
        };
        let (start, end) = (time(cue.span.start().as_millis()), time(cue.span.end().as_millis()));
        let _ = write!(vtt, "{number}\n{start} --> {end}\n{speaker}: {}\n\n", cue.text);
    }
    vtt
}
