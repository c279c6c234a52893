use std::path::Path;
use std::time::{Duration, Instant};

use crate::model::Model;
use crate::programs::{Random, again, folder, lines, number_from, seed};

pub(crate) fn kills() {
    let kills = number_from("TUSAB_KILLS").unwrap_or(10);
    println!("TUSAB_KILLS={kills}");
    let mut random = Random(seed());
    let folder = folder();
    let mut model = Model::default();
    let mut data = folder.path().join("data-0");
    let mut done = 0;
    for kill in 0..kills {
        // Now and then anew, so that the project stays small and its making is killed too.
        if kill % 25 == 24 {
            done += model.done;
            (model, data) = (Model::default(), folder.path().join(format!("data-{kill}")));
        }
        run_and_kill(&data, &mut random, &mut model);
        model.check(&data);
    }
    println!("{kills} kills, {} steps done between them", done + model.done);
}

fn run_and_kill(data: &Path, random: &mut Random, model: &mut Model) {
    let (first, seed) = (model.next().to_string(), random.below(u64::MAX).to_string());
    let mut child = again(&["child-live", data.to_str().unwrap(), &first, &seed]).spawn().unwrap();
    let mut lines = lines(&mut child);
    for _ in 0..random.below(24) {
        let Some(line) = lines.next() else { break };
        assert!(!line.starts_with("refused"), "{line}");
        model.note(&line);
    }
    // The moment of the kill has to fall anywhere in what the child does next: no event marks it.
    let moment = Instant::now() + Duration::from_micros(random.below(60_000));
    while Instant::now() < moment {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    // What it had written before it died was said too.
    for line in lines {
        assert!(!line.starts_with("refused"), "{line}");
        model.note(&line);
    }
    let ended = child.wait().unwrap();
    // A child that fails by itself shortly before would otherwise pass for a killed one.
    #[cfg(unix)]
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended), Some(9), "the child {ended}");
}
