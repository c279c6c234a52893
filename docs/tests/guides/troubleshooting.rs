//! `troubleshooting.md`: every finding of `doctor` and every degradation, with its remedy.

use std::path::Path;

use tusab_engine::ingest::{CommandError, CommandLine, CommandRunner, Doctor, Exit, Output, UnixTime};
use tusab_engine::rerank::Missing;

use crate::common::{page, read, root};

/// Says the same of whichever program is asked for its version.
struct Says(Option<&'static str>);

impl CommandRunner for Says {
    fn run(&self, line: &CommandLine, _: &dyn Fn() -> bool) -> Result<Output, CommandError> {
        match self.0 {
            Some(said) => Ok(Output::new(Exit::Code(0), said.into(), String::new())),
            None => Err(CommandError::NotFound { program: line.program.clone() }),
        }
    }
}

/// The page with its line breaks as spaces, since a remedy may be broken over lines.
fn flowing() -> String {
    page("troubleshooting.md").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_remedy_of_the_programs_is_on_the_page() {
    let page = flowing();
    // 2026-11-30.
    let now = UnixTime::from_secs(1_796_040_000);
    for said in [None, Some("2026.09.30"), Some("2024.01.01"), Some("hello")] {
        let doctor = Doctor::examine(&Says(said), Path::new("yt-dlp"), now);
        // The number of days and what was found are of the day and the machine.
        let remedy = doctor.yt_dlp_remedy().unwrap().replace("61 days old", "… days old");
        assert!(page.contains(&remedy), "{remedy}");
    }
    let nothing = Doctor::examine(&Says(None), Path::new("yt-dlp"), now);
    let remedy = nothing.runtime_remedy().unwrap();
    assert!(page.contains(&remedy), "{remedy}");
}

#[test]
fn every_check_and_remedy_of_the_example_is_on_the_page() {
    let page = flowing();
    let source = read(&root().join("examples/doctor.rs"));
    let mut checks = 0;
    for name in ["yt-dlp", "JavaScript runtime", "ONNX Runtime", "models", "Ollama", "provider keys"] {
        assert!(page.contains(&format!("**{name}**")), "{name}");
        checks += 1;
    }
    let named =
        source.matches("Check::by_presence(").count() + source.matches("Check {\n            name:").count();
    assert_eq!(named, checks, "doctor has a check that the page does not know");
    // What stands between quotes and is as long as a remedy is one, or the help.
    let joined = source.replace("\\\n", "");
    let texts = joined
        .split('"')
        .skip(1)
        .step_by(2)
        .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let mut remedies = 0;
    for text in
        texts.filter(|text| text.len() > 60 && !text.contains("--json") && !text.contains("All of these"))
    {
        if text.starts_with("command-line") {
            continue;
        }
        remedies += 1;
        assert!(page.contains(&text), "{text}");
    }
    assert!(remedies >= 4, "only {remedies} remedies were found");
}

#[test]
fn every_degradation_and_its_remedy_are_on_the_page() {
    let page = flowing();
    let source = read(&root().join("crates/tusab-engine/src/degradation.rs"));
    let variants = source.split("pub enum Degradation {").nth(1).unwrap().split("\n}\n").next().unwrap();
    let names = variants.lines().filter_map(|line| {
        let name = line.strip_prefix("    ")?;
        name.starts_with(char::is_uppercase).then(|| name.trim_end_matches([' ', '{', ',']))
    });
    let mut count = 0;
    for name in names {
        count += 1;
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
    assert!(count >= 14, "only {count} degradations were found");
    let remedies = source.split("pub fn remedy(&self)").nth(1).unwrap().split("\n    }\n").next().unwrap();
    for remedy in remedies.split('"').skip(1).step_by(2) {
        assert!(page.contains(remedy), "{remedy}");
    }
    for missing in [
        Missing::Runtime { wanted: None, attempts: Vec::new() },
        Missing::Model { name: String::new(), path: std::path::PathBuf::new() },
    ] {
        assert!(page.contains(missing.remedy()), "{}", missing.remedy());
    }
}
