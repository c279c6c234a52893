//! JSON values read as what they should be, or as absent with a warning.

use std::time::Duration;

use serde_json::Value;
use tusab_chunk::{Chapter, Date, Language, MediaTime};

use crate::{Problem, Warning};

pub(super) struct Reader {
    warnings: Vec<Warning>,
}

impl Reader {
    pub(super) fn new(warnings: Vec<Warning>) -> Self {
        Self { warnings }
    }

    pub(super) fn warnings(self) -> Vec<Warning> {
        self.warnings
    }

    /// Null is absent; what `read` cannot read is absent too, and told.
    fn field<'v, T>(
        &mut self,
        field: &str,
        expected: &'static str,
        value: &'v Value,
        read: impl FnOnce(&'v Value) -> Option<T>,
    ) -> Option<T> {
        if value.is_null() {
            return None;
        }
        let found = read(value);
        if found.is_none() {
            self.warnings.push(Warning::at(0, Problem::BadField { field: field.to_owned(), expected }));
        }
        found
    }

    /// A text that is not blank.
    pub(super) fn text(&mut self, field: &str, value: &Value) -> Option<String> {
        let text = self.field(field, "a text", value, Value::as_str)?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    pub(super) fn texts(&mut self, field: &str, value: &Value) -> Vec<String> {
        let list = self.field(field, "a list", value, Value::as_array);
        let items = (0..).zip(list.into_iter().flatten());
        items.filter_map(|(at, item): (usize, _)| self.text(&format!("{field}[{at}]"), item)).collect()
    }

    pub(super) fn date(&mut self, field: &str, value: &Value) -> Option<Date> {
        self.field(field, "a date such as 20240229", value, |value| {
            let text = value.as_str().filter(|text| text.len() == 8 && text.is_ascii())?;
            let (year, day_of_year) = text.split_at_checked(4)?;
            let (month, day) = day_of_year.split_at_checked(2)?;
            format!("{year}-{month}-{day}").parse().ok()
        })
    }

    pub(super) fn language(&mut self, field: &str, value: &Value) -> Option<Language> {
        self.field(field, "a language tag", value, |value| value.as_str()?.parse().ok())
    }

    pub(super) fn time(&mut self, field: &str, value: &Value) -> Option<MediaTime> {
        self.field(field, "a time in seconds", value, |value| {
            Duration::try_from_secs_f64(value.as_f64()?).ok().map(MediaTime::from)
        })
    }

    pub(super) fn chapters(&mut self, field: &str, value: &Value) -> Vec<Chapter> {
        let list = self.field(field, "a list", value, Value::as_array);
        let mut chapters = Vec::new();
        for (at, item) in list.into_iter().flatten().enumerate() {
            let field = format!("{field}[{at}]");
            let Some(item) = self.field(&field, "an object", item, Value::as_object) else { continue };
            let get = |name| item.get(name).unwrap_or(&Value::Null);
            let Some(start) = self.time(&format!("{field}.start_time"), get("start_time")) else { continue };
            let title = self.text(&format!("{field}.title"), get("title")).unwrap_or_default();
            chapters.push(Chapter::new(start, if is_made_up(&title) { String::new() } else { title }));
        }
        chapters
    }

    /// The tracks of `subtitles` or `automatic_captions`, each with the list of its formats.
    pub(super) fn tracks<'v>(
        &mut self,
        field: &str,
        value: &'v Value,
    ) -> impl Iterator<Item = (String, &'v Value)> + use<'v> {
        let tracks = self.field(field, "an object", value, Value::as_object);
        // What viewers wrote while the video was live is listed among the captions.
        let tracks = tracks.into_iter().flatten().filter(|(track, _)| *track != "live_chat");
        tracks.map(|(track, formats)| (track.clone(), formats))
    }
}

/// Whether yt-dlp gave the chapter its title, to name a gap between its author's chapters.
fn is_made_up(title: &str) -> bool {
    let number = title.strip_prefix("<Untitled Chapter ").and_then(|rest| rest.strip_suffix('>'));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}
