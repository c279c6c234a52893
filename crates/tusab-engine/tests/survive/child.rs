//! A process that does everything that can be done to a project, at random, and says before and after each step.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use tusab_engine::chunk::DocId;
use tusab_engine::{Cancel, Engine, Error, Outcome, Project, Source};

use crate::programs::{Random, runtime, say};

/// The word that a document has and no other.
pub(crate) fn word(number: usize) -> String {
    format!("zq{number}q")
}

fn text(number: usize) -> String {
    let filling = "Uma frase comum a todas as fontes, para que haja o que gravar. ".repeat(20);
    format!("{filling}\n\nA palavra é {}.\n\n{filling}", word(number))
}

/// Begins with the documents of number `first`, and goes on for so many steps.
pub(crate) fn live(data: &Path, first: usize, seed: u64, steps: usize) -> ExitCode {
    runtime().block_on(async {
        let mut random = Random(seed | 1);
        let mut next = first;
        for _ in 0..steps {
            // Of a full disk any step can be refused; the next finds things as they are.
            if let Err(error) = step(data, &mut random, &mut next).await {
                say(&format!("refused {}", told(&error)));
            }
        }
        say("finished");
    });
    ExitCode::SUCCESS
}

/// An error with its causes, on one line.
pub(crate) fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text.replace('\n', " ")
}

async fn step(data: &Path, random: &mut Random, next: &mut usize) -> Result<(), Error> {
    let engine = Engine::builder().data_dir(data).build()?;
    let projects = engine.projects().await?.projects;
    let Some(info) = projects.first() else {
        if let Some(trashed) = engine.trash().await?.first() {
            say("begin revive");
            engine.restore_project(&trashed.id).await?;
        } else {
            say("begin make");
            engine.project("Nome 0").await?;
        }
        say("done");
        return Ok(());
    };
    let name = info.name.clone();
    match random.below(20) {
        0 => {
            let name_after = format!("Nome {next}");
            *next += 1;
            say(&format!("begin rename {name_after}"));
            engine.rename_project(&name, &name_after).await?;
        }
        1 => {
            say("begin delete");
            engine.delete_project(&name).await?;
        }
        2 => {
            say(&format!("begin config {next}"));
            engine.config().update(json!({ "vez": *next })).await?;
            *next += 1;
        }
        _ => return in_project(data, &engine.project(&name).await?, random, next).await,
    }
    say("done");
    Ok(())
}

async fn in_project(
    data: &Path,
    project: &Project,
    random: &mut Random,
    next: &mut usize,
) -> Result<(), Error> {
    let documents = data.join("neural").join(project.folder()).join("documents");
    let numbers: Vec<usize> = (*next..*next + 3).collect();
    match random.below(8) {
        0..=2 => {
            *next += 3;
            say(&format!("begin add {} {} {}", numbers[0], numbers[1], numbers[2]));
            let given = numbers.iter().map(|n| Source::text(format!("t{n}"), text(*n))).collect();
            let report = project.ingest_all(given, &Cancel::new()).await?;
            // A source that failed alone makes no error of its own: told, it would be taken for done.
            assert_eq!(report.failed(), 0, "{report:?}");
        }
        3 => {
            let Some((number, doc)) = any(random, with_numbers(project).await?) else { return Ok(()) };
            say(&format!("begin remove {number}"));
            assert!(project.remove(&doc).await?, "{number} was there");
        }
        4 => {
            let removed = project.removed().await?.into_iter();
            let removed: Vec<_> = removed.filter_map(|one| Some((number_of(&one.name)?, one.doc))).collect();
            let Some((number, doc)) = any(random, removed) else { return Ok(()) };
            say(&format!("begin add {number}"));
            project.restore(&doc).await?;
        }
        5 => {
            *next += 1;
            let number = numbers[0];
            say(&format!("begin add {number}"));
            // Put there by a hand, in one piece.
            let outside = data.join(format!("h{number}.md"));
            let put = fs::create_dir_all(&documents)
                .and_then(|()| fs::write(&outside, text(number)))
                .and_then(|()| fs::rename(&outside, documents.join(format!("h{number}.md"))));
            if put.is_err() {
                let _ = fs::remove_file(&outside);
                return Ok(());
            }
            sync(project).await?;
        }
        6 => {
            let sources = project.sources().await?.into_iter();
            let own = sources.filter(|source| source.path.starts_with(&documents));
            let own: Vec<_> = own.filter_map(|one| Some((number_of(&one.name)?, one.path))).collect();
            let Some((number, path)) = any(random, own) else { return Ok(()) };
            say(&format!("begin remove {number}"));
            if fs::remove_file(path).is_err() {
                return Ok(());
            }
            sync(project).await?;
        }
        _ => {
            if random.below(3) == 0 {
                say("begin purge");
                project.purge().await?;
            } else {
                *next += 1;
                let number = numbers[0];
                say(&format!("begin add {number}"));
                let queue = project.queue();
                queue.add(vec![Source::bytes(format!("q{number}.md"), text(number))]).await?;
                let report = queue.run(&Cancel::new()).await?;
                if report.left > 0 {
                    say("refused: left in the queue");
                    return Ok(());
                }
            }
        }
    }
    say("done");
    Ok(())
}

async fn sync(project: &Project) -> Result<(), Error> {
    let report = project.sync(&Cancel::new()).await?;
    for item in report.changes {
        if let Outcome::Failed(error) = item.outcome {
            return Err(error);
        }
    }
    Ok(())
}

pub(crate) fn number_of(name: &str) -> Option<usize> {
    name.trim_end_matches(".md").get(1..)?.parse().ok()
}

async fn with_numbers(project: &Project) -> Result<Vec<(usize, DocId)>, Error> {
    let sources = project.sources().await?.into_iter();
    Ok(sources.filter_map(|source| Some((number_of(&source.name)?, source.doc))).collect())
}

fn any<T>(random: &mut Random, mut of: Vec<T>) -> Option<T> {
    let count = u64::try_from(of.len()).unwrap();
    (count > 0).then(|| of.swap_remove(usize::try_from(random.below(count)).unwrap()))
}
