//! Code by the old names of the two modules goes on working.

use std::any::TypeId;

/// The text of a module of `lib.rs`, or of what stands before the first.
fn part<'s>(source: &'s str, from: &str, to: &str) -> &'s str {
    let rest = source.split_once(from).unwrap().1;
    rest.split_once(to).map_or(rest, |(part, _)| part)
}

/// The names that are in the braces and at the ends of `pub use`.
fn names(source: &str) -> Vec<&str> {
    let uses = source.split("pub use ").skip(1).filter_map(|rest| rest.split_once(';'));
    uses.flat_map(|(names, _)| {
        let list = names.split_once('{').map_or(names, |(_, list)| list.trim_end_matches('}'));
        list.split(',').map(|name| name.trim().rsplit([':', ' ']).next().unwrap()).collect::<Vec<_>>()
    })
    .filter(|name| !name.is_empty())
    .collect()
}

#[test]
fn every_public_name_is_in_one_of_the_old_modules() {
    let source = include_str!("../../src/lib.rs");
    let root = names(source.split_once("/// The name of the Python app").unwrap().0);
    let motor = names(part(source, "pub mod motor_tusab {", "\n}"));
    let agent = names(part(source, "pub mod agent_tusab {", "\n}"));
    assert!(root.len() > 100 && root.contains(&"NEURAL_DIR") && root.contains(&"rerank"), "{root:?}");
    let missing: Vec<_> = root.iter().filter(|name| !motor.contains(name) && !agent.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

macro_rules! same {
    ($module:ident: $($name:ident)*) => {
        $(assert_eq!(
            TypeId::of::<tusab_engine::$module::$name>(),
            TypeId::of::<tusab_engine::$name>(),
            stringify!($module::$name),
        );)*
    };
}

#[test]
fn the_old_names_are_the_same_things() {
    same!(motor_tusab: Cancel Card Config Degradation Engine EngineBuilder EnrichReport Enricher Error Event ExportOptions
        ExportReport FolderOptions Followed Found ImportOptions Imported IngestQueue IngestReport ItemReport KeyPhraseOrder
        KeySource LegacyChannel LegacyFate LegacyItem LegacyProject LegacyReport MergeReport Offline Outcome Part Pause
        PortableFault Progress Project ProjectInfo Projects ProviderEmbedder PurgeReport QueueId QueueReport QueuedReport
        QueuedSource QueuedYouTube Ranks RefreshReport RefreshedSource RemovedSource Schedule Search SearchMode SearchTimings
        Searcher Settings ShareFormat ShareOptions Source SourceInfo Stage Statistics SyncReport SystemClock TrashedProject
        VideoReport YouTubeOptions YouTubeReport);
    same!(agent_tusab: Answer AnswerEvent AnswerKind AnswerLanguage AnswerStream Assessment Cancel ChatSession Citation
        Confidence Config CustomPersona Degradation Engine EngineBuilder Error Event Evidence Flag Found KeySource LeftOut
        NoContext Offline Part Persona Project ProviderEmbedder Quote Ranks Rating RatingCounts Reading Search SearchMode
        SearchTimings SentenceSupport SessionExport SessionInfo Sessions Settings SourceNumber Summary Support SystemClock Turn
        TurnId TurnSource TurnState Verdict);
    assert_eq!(tusab_engine::motor_tusab::NEURAL_DIR, tusab_engine::motor_tusab::CEREBRO_DIR);
}
