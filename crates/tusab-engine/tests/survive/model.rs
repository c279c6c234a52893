//! What may be there after a child has ended, by what it said.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use tusab_engine::{Engine, Project};

use crate::child::{number_of, word};
use crate::programs::runtime;

/// For each thing the states that it may be in: of a step that was begun and not done, before and after.
#[derive(Debug, Default)]
pub(crate) struct Model {
    /// Whether the document of a number is found.
    documents: BTreeMap<usize, BTreeSet<bool>>,
    names: BTreeSet<String>,
    /// Whether the project is in its place, and not in the trash.
    in_place: BTreeSet<bool>,
    setting: BTreeSet<Option<u64>>,
    /// What waits in the queue: whatever is done to it, the next run of the queue takes it in.
    queued: BTreeSet<usize>,
    begun: Option<String>,
    data: PathBuf,
    pub(crate) done: usize,
}

impl Model {
    pub(crate) fn note(&mut self, line: &str) {
        if let Some(step) = line.strip_prefix("begin ") {
            self.apply(step, false);
            self.begun = Some(step.to_owned());
        } else if line == "done" {
            let step = self.begun.take().expect("a step was begun");
            self.apply(&step, true);
            self.done += 1;
        }
    }

    /// What a step leads to: by itself when it is done, else beside what was.
    fn apply(&mut self, step: &str, done: bool) {
        fn lead<T: Ord>(states: &mut BTreeSet<T>, to: T, done: bool) {
            if done {
                states.clear();
            }
            states.insert(to);
        }
        let (verb, rest) = step.split_once(' ').unwrap_or((step, ""));
        let numbers = || rest.split(' ').map(|number| number.parse::<usize>().unwrap());
        match verb {
            "make" => {
                lead(&mut self.names, "Nome 0".to_owned(), done);
                lead(&mut self.in_place, true, done);
            }
            "rename" => lead(&mut self.names, rest.to_owned(), done),
            "delete" => lead(&mut self.in_place, false, done),
            "revive" => lead(&mut self.in_place, true, done),
            "config" => {
                if self.setting.is_empty() {
                    self.setting.insert(None);
                }
                lead(&mut self.setting, Some(rest.parse().unwrap()), done);
            }
            "add" | "remove" => {
                for number in numbers() {
                    let states = self.documents.entry(number).or_insert_with(|| BTreeSet::from([false]));
                    lead(states, verb == "add", done && !self.queued.contains(&number));
                }
            }
            "purge" => {}
            other => panic!("{other}"),
        }
    }

    /// The next number that no document has.
    pub(crate) fn next(&self) -> usize {
        let named = self.names.iter().filter_map(|name| name.strip_prefix("Nome ")?.parse::<usize>().ok());
        let set = self.setting.iter().flatten().map(|number| usize::try_from(*number).unwrap());
        self.documents.keys().copied().chain(named).chain(set).max().map_or(1, |number| number + 1)
    }

    /// Looks at what is there, and takes it for what is from now on.
    pub(crate) fn check(&mut self, data: &Path) {
        self.begun = None;
        data.clone_into(&mut self.data);
        runtime().block_on(self.look(data));
    }

    /// What waits in the queue comes with the next run of it, and what a hand did with the next synchronisation,
    /// whatever the step that makes them was for.
    async fn expect_what_waits(&mut self, project: &Project) {
        let waiting = project.queue().items().await.unwrap().into_iter();
        self.queued = waiting.filter_map(|item| number_of(&item.name)).collect();
        let mut open = self.queued.clone();
        let sources = project.sources().await.unwrap();
        let known: BTreeSet<PathBuf> = sources.iter().map(|source| source.path.clone()).collect();
        let gone = sources.iter().filter(|source| !source.path.exists());
        open.extend(gone.filter_map(|source| number_of(&source.name)));
        for path in self.by_hand(project).into_iter().filter(|path| !known.contains(path)) {
            open.extend(path.file_name().and_then(|name| number_of(&name.to_string_lossy())));
        }
        for number in open {
            self.documents.insert(number, BTreeSet::from([false, true]));
        }
    }

    fn by_hand(&self, project: &Project) -> Vec<PathBuf> {
        let folder = self.data.join("neural").join(project.folder()).join("documents");
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    async fn look(&mut self, data: &Path) {
        let engine = Engine::builder().data_dir(data).build().unwrap();
        let listed = engine.projects().await.unwrap();
        assert!(listed.unreadable.is_empty(), "{:?}", listed.unreadable);
        let trash = engine.trash().await.unwrap();
        let here = listed.projects.len();
        assert!(here + trash.len() <= 1, "a project is there twice: {listed:?} {trash:?}");
        if self.names.is_empty() || here + trash.len() == 0 {
            let sure = self.documents.values().any(|states| *states == BTreeSet::from([true]));
            assert!(!sure, "the project is lost");
            self.names.clear();
            return;
        }
        assert!(self.in_place.contains(&(here == 1)), "{self:?}, {here} here");
        let project = match listed.projects.first() {
            Some(info) => engine.project(&info.name).await.unwrap(),
            None => engine.restore_project(&trash[0].id).await.unwrap(),
        };
        assert!(self.names.contains(&project.name()), "{} is none of {:?}", project.name(), self.names);
        self.names = BTreeSet::from([project.name()]);
        self.in_place = BTreeSet::from([true]);
        assert_eq!(unfinished(&data.join("neural").join(project.folder())), Vec::<PathBuf>::new());
        let mut present = 0;
        for (number, states) in &mut self.documents {
            let times = found(&project, *number).await;
            assert!(times <= 1, "{number} is there {times} times");
            assert!(states.contains(&(times == 1)), "{number} is found {times} times, and may be {states:?}");
            *states = BTreeSet::from([times == 1]);
            present += times;
        }
        self.expect_what_waits(&project).await;
        assert_eq!(project.statistics().await.unwrap().documents, present, "documents that are no source's");
        assert_eq!(project.sources().await.unwrap().len(), present);
        project.removed().await.unwrap();
        project.queue().items().await.unwrap();
        if !self.setting.is_empty() {
            let setting = engine.config().read().await.unwrap().get::<u64>("vez");
            assert!(self.setting.contains(&setting), "{setting:?} is none of {:?}", self.setting);
            self.setting = BTreeSet::from([setting]);
        }
    }
}

async fn found(project: &Project, number: usize) -> usize {
    let found = project.search(word(number)).await.unwrap();
    let documents: BTreeSet<&str> = found.hits.iter().map(|hit| hit.document.id.as_str()).collect();
    documents.len()
}

/// Files that a writer has left half done.
pub(crate) fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let mut left = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return left };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            left.extend(unfinished(&path));
        } else if path.to_string_lossy().ends_with(".unfinished") {
            left.push(path);
        }
    }
    left
}
