//! What the Python app knows of a channel (`_summary.json`): its name, its addresses, and how often it was looked at.

use serde_json::Value;
use tusab_ingest::YouTubeUrl;

use super::report::LegacyChannel;
use crate::Schedule;

/// What a summary says of its channel, and its addresses that are none. Or why it cannot be read.
pub(super) fn parse(bytes: &[u8]) -> Result<(LegacyChannel, Vec<String>), String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let summary: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let text =
        |value: Option<&Value>| Some(value?.as_str()?.trim().to_owned()).filter(|text| !text.is_empty());
    let name = text(summary.get("canal_nome_canal")).or_else(|| text(summary.get("canal_nome")));
    let listed = summary.get("canal_urls").and_then(Value::as_array);
    let addresses = listed.into_iter().flatten().chain(summary.get("canal_url"));
    let (mut urls, mut odd): (Vec<YouTubeUrl>, Vec<String>) = (Vec::new(), Vec::new());
    for address in addresses.filter_map(|address| text(Some(address))) {
        match address.parse() {
            Ok(url) if urls.contains(&url) => {}
            Ok(url) => urls.push(url),
            Err(_) => odd.push(address),
        }
    }
    let schedule = summary.get("auto_update").and_then(schedule);
    Ok((LegacyChannel { name, urls, schedule }, odd))
}

/// How often a channel was looked at again; `None` where it was not.
fn schedule(auto_update: &Value) -> Option<Schedule> {
    if auto_update.get("enabled")?.as_bool() != Some(true) {
        return None;
    }
    match auto_update.get("frequencia")?.as_str()? {
        "ao_abrir" => Some(Schedule::Always),
        "diario" | "diário" => Some(Schedule::Daily),
        "semanal" => Some(Schedule::Weekly),
        "mensal" => Some(Schedule::Monthly),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_read_and_what_is_not_is_none() {
        let summary = r#"{"canal_nome_canal": " Canal ", "canal_url": "https://www.youtube.com/@canal",
            "canal_urls": ["https://www.youtube.com/@canal", "https://www.youtube.com/@outro", "file:///etc", 7],
            "auto_update": {"enabled": true, "frequencia": "semanal", "fontes": []}}"#;
        let (channel, odd) = parse(summary.as_bytes()).unwrap();
        assert_eq!((channel.name.as_deref(), channel.urls.len()), (Some("Canal"), 2));
        assert_eq!((channel.schedule, odd), (Some(Schedule::Weekly), vec!["file:///etc".to_owned()]));
        let (channel, _) = parse(br#"{"auto_update": {"enabled": false, "frequencia": "diario"}}"#).unwrap();
        assert_eq!(channel, LegacyChannel { name: None, urls: Vec::new(), schedule: None });
        assert!(parse(b"{").is_err());
    }
}
