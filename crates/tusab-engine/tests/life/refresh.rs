use std::fs;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use tusab_engine::{Cancel, Clock, Engine, Error, RefreshReport, Schedule, Source};

use crate::common::found;

/// A clock that a test sets.
#[derive(Clone)]
struct Hands(Arc<Mutex<SystemTime>>);

impl Hands {
    fn turn(&self, hours: i64) {
        let mut now = self.0.lock().unwrap();
        let by = Duration::from_hours(hours.unsigned_abs());
        *now = if hours < 0 { *now - by } else { *now + by };
    }
}

impl Clock for Hands {
    fn now(&self) -> SystemTime {
        *self.0.lock().unwrap()
    }
}

fn looked(report: &RefreshReport) -> (usize, usize) {
    (report.sources.len(), report.not_due)
}

#[tokio::test]
async fn what_is_followed_is_looked_at_when_it_is_due() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(folder.path().join("a.md"), "umbu").unwrap();
    let clock = Hands(Arc::new(Mutex::new(SystemTime::UNIX_EPOCH + Duration::from_hours(500_000))));
    let engine = || Engine::builder().data_dir(data.path()).clock(Arc::new(clock.clone())).build().unwrap();
    let project = engine().project("P").await.unwrap();
    let away = folder.path().join("fora");
    let id = project.follow(Source::folder(folder.path()), Schedule::Daily).await.unwrap();
    project.follow(Source::file(&away), Schedule::Monthly).await.unwrap();
    let refused = project.follow(Source::text("t", "x"), Schedule::Daily).await;
    assert!(matches!(refused, Err(Error::CannotFollow { .. })), "{refused:?}");
    let refresh = async || {
        let project = engine().project("P").await.unwrap();
        let report = project.refresh(&Cancel::new()).await.unwrap();
        let changes: usize = report.sources.iter().map(|source| source.report.changes().count()).sum();
        (looked(&report), changes)
    };
    // What is away is due each time, until it is there.
    assert_eq!(refresh().await, ((2, 0), 1));
    assert_eq!(refresh().await, ((1, 1), 0));
    fs::write(folder.path().join("b.md"), "cajá").unwrap();
    fs::write(&away, "pitanga").unwrap();
    clock.turn(23);
    assert_eq!(refresh().await, ((1, 1), 1));
    clock.turn(1);
    assert_eq!(refresh().await, ((1, 1), 1));
    // A clock that was set back does not put a source off for the time it was ahead.
    clock.turn(-300);
    assert_eq!(refresh().await, ((2, 0), 0));
    assert_eq!(refresh().await, ((0, 2), 0));
    for word in ["umbu", "cajá", "pitanga"] {
        assert_eq!(found(&project, word).await.len(), 1, "{word}");
    }
    // The same source again is the same, with another schedule.
    assert_eq!(project.follow(Source::folder(folder.path()), Schedule::Always).await.unwrap(), id);
    assert_eq!(refresh().await.0, (1, 1));
    let followed = project.followed().await.unwrap();
    assert_eq!((followed.len(), followed[0].schedule), (2, Schedule::Always));
    assert!(project.unfollow(&id).await.unwrap() && !project.unfollow(&id).await.unwrap());
    assert_eq!(refresh().await.0, (0, 1));
    assert_eq!(found(&project, "umbu").await.len(), 1);
    // What may be shared does not tell of the user's folders.
    let shared = crate::common::holding(&data.path().join("neural"), &folder.path().display().to_string());
    assert!(shared.is_empty(), "{shared:?}");
}
