//! What a `CommandRunner` promises, with real programs.

use std::cell::Cell;
use std::time::{Duration, Instant};

use tusab_ingest::{CommandError, CommandLine, CommandRunner, Exit, Output, SystemRunner};

fn sh(script: &str) -> CommandLine {
    CommandLine::new("sh", ["-c", script]).with_deadline(Duration::from_secs(30))
}

fn never() -> bool {
    false
}

/// Every promise of the seam, for any implementation that runs programs on this machine.
fn conforms(runner: &dyn CommandRunner) {
    let run = |line: &CommandLine| runner.run(line, &never);

    let arguments = ["-c", "printf '%s|' \"$@\"", "sh", "a b", "$HOME; exit 3", "--", "-x", "", "é"];
    let output = run(&CommandLine::new("sh", arguments)).unwrap();
    assert_eq!(output, Output::new(Exit::Code(0), "a b|$HOME; exit 3|--|-x||é|".into(), String::new()));

    let output = run(&sh("cat; echo fim >&2; exit 7")).unwrap();
    assert_eq!(
        output,
        Output::new(Exit::Code(7), Vec::new(), "fim\n".to_owned()),
        "nothing on standard input"
    );
    assert!(matches!(output.checked(&sh("")), Err(CommandError::Failed { exit: Exit::Code(7), .. })));

    let output = run(&sh("exit 0")).unwrap();
    assert_eq!(output, Output::new(Exit::Code(0), Vec::new(), String::new()), "no output is no error");

    // More than any pipe holds, on both at once, the last line of each at the end.
    let flood = "head -c 3000000 /dev/zero >&2 & head -c 3000000 /dev/zero; wait; echo fim; echo fim >&2";
    let output = run(&sh(flood)).unwrap();
    assert_eq!(output.stdout.len(), 3_000_004);
    assert!(output.stdout.ends_with(b"\0fim\n"));
    assert_eq!(output.stderr.len(), Output::STDERR);
    assert!(output.stderr.ends_with("\0fim\n"));

    let output = run(&sh("printf 'a\\377\\376'; printf 'b\\377' >&2")).unwrap();
    assert_eq!((output.stdout.as_slice(), output.stderr.as_str()), (b"a\xff\xfe".as_slice(), "b\u{fffd}"));

    assert_eq!(run(&sh("kill -9 $$")).unwrap().exit, Exit::Killed(9));

    let missing = run(&CommandLine::new("/não/há", [""]));
    assert!(matches!(missing, Err(CommandError::NotFound { .. })), "{missing:?}");
    let folder = run(&sh("pwd").with_folder("/não/há"));
    assert!(matches!(folder, Err(CommandError::NotStarted { .. })), "{folder:?}");
    let folder = tempfile::tempdir().unwrap();
    let not_executable = run(&CommandLine::new(folder.path(), [""]));
    assert!(matches!(not_executable, Err(CommandError::NotStarted { .. })), "{not_executable:?}");
    let output = run(&sh("pwd -P").with_folder(folder.path())).unwrap();
    let expected = format!("{}\n", folder.path().canonicalize().unwrap().display());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);

    // A variable that Cargo sets for every test.
    let line = sh("echo ${TUSAB_A-none} ${CARGO_PKG_NAME-none}");
    assert_eq!(run(&line).unwrap().stdout, b"none tusab-ingest\n");
    let line = line.with_variable("TUSAB_A", "é").without_variable("CARGO_PKG_NAME");
    assert_eq!(run(&line).unwrap().stdout, "é none\n".as_bytes());

    let too_much = run(&sh("yes").with_max_output(100_000));
    assert!(matches!(too_much, Err(CommandError::TooMuchOutput { limit: 100_000, .. })), "{too_much:?}");
    assert_eq!(run(&sh("head -c 100000 /dev/zero").with_max_output(100_000)).unwrap().stdout.len(), 100_000);
    let in_a_burst = run(&sh("head -c 100001 /dev/zero").with_max_output(100_000));
    assert!(matches!(in_a_burst, Err(CommandError::TooMuchOutput { .. })), "{in_a_burst:?}");

    ends_in_time(runner);
}

fn ends_in_time(runner: &dyn CommandRunner) {
    let folder = tempfile::tempdir().unwrap();
    let is_running = |pid: &str| {
        // A process that has ended and waits to be collected by init counts as ended.
        let state =
            std::process::Command::new("ps").args(["-o", "stat=", "-p", pid.trim()]).output().unwrap();
        !matches!(state.stdout.first(), None | Some(b'Z'))
    };
    // The grandchild and the program itself both refuse to end when asked, and hold the pipes open.
    let stubborn = "trap '' TERM; sh -c 'trap \"\" TERM; echo $$ > grandchild; sleep 300' & echo $$ > child; \
                    echo 'a meio' >&2; wait";
    let line = sh(stubborn).with_folder(folder.path()).with_deadline(Duration::from_millis(800));
    let started = Instant::now();
    let late = runner.run(&line, &never);
    let Err(CommandError::TimedOut { stderr, .. }) = late else { panic!("{late:?}") };
    assert_eq!(stderr, "a meio");
    assert!(started.elapsed() < Duration::from_secs(20), "the deadline counts, not the program");
    for name in ["child", "grandchild"] {
        let pid = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(!is_running(&pid), "{name} {pid} still runs");
    }

    // Stopped as soon as the program has said that it is there.
    let line = sh("echo $$ > up; sleep 300").with_folder(folder.path());
    let up = folder.path().join("up");
    let is_up = || std::fs::read_to_string(&up).is_ok_and(|pid| pid.ends_with('\n'));
    let stopped = runner.run(&line, &is_up);
    assert!(matches!(stopped, Err(CommandError::Stopped { .. })), "{stopped:?}");
    assert!(!is_running(&std::fs::read_to_string(&up).unwrap()));

    // Before the start: nothing is run.
    let stopped = runner.run(&sh("echo > ran").with_folder(folder.path()), &|| true);
    assert!(matches!(stopped, Err(CommandError::Stopped { .. })), "{stopped:?}");
    assert!(!folder.path().join("ran").exists());

    let stopped = runner.run(&CommandLine::new("/não/há", [""]), &|| true);
    assert!(matches!(stopped, Err(CommandError::Stopped { .. })), "{stopped:?}");

    // A deadline holds for a program that has closed both streams, and it is not asked without pause.
    let asked = Cell::new(0);
    let count = || {
        asked.set(asked.get() + 1);
        false
    };
    let line = sh("exec >&- 2>&-; sleep 300").with_deadline(Duration::from_millis(500));
    assert!(matches!(runner.run(&line, &count), Err(CommandError::TimedOut { .. })));
    assert!((2..200).contains(&asked.get()), "asked {} times in half a second", asked.get());

    // What a program leaves behind, with its pipes, does not hold up its output.
    let started = Instant::now();
    let output = runner.run(&sh("sleep 300 & echo feito"), &never).unwrap();
    assert_eq!(output.stdout, b"feito\n");
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn the_runner_of_this_machine_conforms() {
    conforms(&SystemRunner);
}

#[test]
fn a_panic_of_the_caller_leaves_no_program_running() {
    let folder = tempfile::tempdir().unwrap();
    let up = folder.path().join("up");
    let line = sh("echo $$ > up; sleep 300").with_folder(folder.path());
    let panicked = std::panic::catch_unwind(|| {
        SystemRunner.run(&line, &|| {
            assert!(!std::fs::read_to_string(&up).is_ok_and(|pid| pid.ends_with('\n')), "a caller's fault");
            false
        })
    });
    assert!(panicked.is_err());
    let pid = std::fs::read_to_string(&up).unwrap();
    let state = std::process::Command::new("ps").args(["-o", "stat=", "-p", pid.trim()]).output().unwrap();
    assert!(matches!(state.stdout.first(), None | Some(b'Z')), "{pid} still runs");
}
