use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{QUESTION, command, data, program, scenario};

/// Markup, in every place where a source can put some.
const HOSTILE: &str = "<img src=x onerror=\"window.pwned=1\"><script>window.pwned=1</script>";

/// The program, listening; ended with this value if it has not ended before.
struct Web {
    child: Child,
    address: SocketAddr,
}

impl Web {
    fn start(mut command: Command) -> Self {
        command.args(["--port", "0"]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        Self { child, address: address.expect(&line).parse().unwrap() }
    }

    fn over(data: &Path) -> Self {
        Self::start(command("web", data))
    }

    /// Sends a request with this line and these headers, and a body if any; gives the whole response.
    fn send(&self, line: &str, headers: &[&str], body: &str) -> String {
        let mut connection = TcpStream::connect(self.address).unwrap();
        let length = format!("content-length: {}", body.len());
        let headers = [headers, &[&length, "connection: close"]].concat().join("\r\n");
        let head = format!("{line} HTTP/1.1\r\n{headers}\r\n\r\n");
        connection.write_all(head.as_bytes()).unwrap();
        // A body that is refused unread may meet a closed connection.
        let _ = connection.write_all(body.as_bytes());
        let mut response = Vec::new();
        let _ = connection.read_to_end(&mut response);
        String::from_utf8(response).unwrap()
    }

    fn get(&self, path: &str) -> String {
        self.send(&format!("GET {path}"), &[&self.host()], "")
    }

    fn host(&self) -> String {
        format!("host: {}", self.address)
    }

    fn ask(&self, asked: &Value) -> String {
        self.send("POST /api/ask", &[&self.host(), "content-type: application/json"], &asked.to_string())
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        // One that has ended already is no failure.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn status(response: &str) -> u16 {
    response.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_else(|| panic!("{response:?}"))
}

#[tokio::test]
async fn the_page_comes_with_a_policy_that_lets_nothing_else_in() {
    let data = data("Obra", "Prazos", "O prazo é de cinco dias.").await;
    let web = Web::over(data.path());
    let files = [
        ("/", "text/html; charset=utf-8"),
        ("/style.css", "text/css; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
        ("/main.js", "text/javascript; charset=utf-8"),
        ("/server.js", "text/javascript; charset=utf-8"),
        ("/text.js", "text/javascript; charset=utf-8"),
        ("/turn.js", "text/javascript; charset=utf-8"),
        ("/source.js", "text/javascript; charset=utf-8"),
    ];
    for (path, kind) in files {
        let response = web.get(path).to_lowercase();
        assert_eq!(status(&response), 200, "{path}");
        assert!(response.contains(&format!("content-type: {kind}\r\n")), "{path}");
        assert!(
            response.contains("content-security-policy: default-src 'none'; script-src 'self';"),
            "{path}"
        );
        assert!(response.contains("frame-ancestors 'none'") && response.contains("trusted-types 'none'"));
        assert!(response.contains("x-content-type-options: nosniff"), "{path}");
        assert!(response.contains("referrer-policy: no-referrer"), "{path}");
        // What the policy forbids is not there either: the page is whole without it.
        let (_, body) = response.split_once("\r\n\r\n").unwrap();
        for foreign in ["https://", "style=\"", "<script>", "innerhtml", "eval("] {
            assert!(!body.contains(foreign), "{path} {foreign}");
        }
    }
    assert_eq!(status(&web.get("/../main.rs")), 404);
}

#[tokio::test]
async fn other_names_and_other_pages_are_kept_out() {
    let data = data("Obra", "Prazos", "O prazo é de cinco dias.").await;
    let web = Web::over(data.path());
    let (own, port) = (web.host(), web.address.port());
    let named = format!("host: localhost:{port}");
    let origin = format!("origin: http://127.0.0.1:{port}");
    let other_port = format!("origin: http://127.0.0.1:{}", port ^ 1);
    let get = |path: &str, headers: &[&str]| status(&web.send(&format!("GET {path}"), headers, ""));

    for headers in [&[own.as_str()][..], &[&named], &[&own, &origin], &[&own, "sec-fetch-site: same-origin"]]
    {
        assert_eq!(get("/api/projects", headers), 200, "{headers:?}");
    }
    // A name that leads here, which is how a site gets around the browser's separation of sites.
    let rebound = format!("host: rebind.example:{port}");
    let suffixed = format!("host: 127.0.0.1:{port}.example");
    for headers in
        [&[rebound.as_str()][..], &["host: 127.0.0.1"], &[&suffixed], &["host:"], &[&own, &rebound]]
    {
        assert!(matches!(get("/", headers), 400 | 403), "{headers:?}");
    }
    assert_eq!(get(&format!("http://rebind.example:{port}/"), &[&own]), 403);
    for from in [
        "origin: https://evil.example",
        "origin: null",
        &other_port,
        "sec-fetch-site: cross-site",
        "sec-fetch-site: same-site",
    ] {
        assert_eq!(get("/api/projects", &[&own, from]), 403, "{from}");
        let response = web.send("POST /api/ask", &[&own, from, "content-type: application/json"], "{}");
        assert_eq!(status(&response), 403, "{from}");
        let forget = "DELETE /api/session?project=Horta&session=x";
        assert_eq!(status(&web.send(forget, &[&own, from], "")), 403, "{from}");
    }
    assert_eq!(get("/", &[&own, "sec-fetch-site: cross-site"]), 200, "a link to the page");
}

#[tokio::test]
async fn an_answer_comes_as_the_engines_events_and_is_kept() {
    let data = data("Obra", "Prazos", "O prazo é de cinco dias.").await;
    let web = Web::over(data.path());
    let asked = json!({"project": "Horta", "session": "sol", "question": QUESTION, "mode": "narrow"});
    let response = web.ask(&asked);
    assert!(response.to_lowercase().contains("content-type: text/event-stream"), "{response}");
    let events: Vec<Value> = response
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect();
    let types: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["searching", "sources", "text", "support", "done"]);
    let done = &events[4]["data"];
    assert!(done["sources"][0]["link"].as_str().unwrap().contains("&t="), "{done}");

    let history = web.get("/api/history?project=Horta&session=sol");
    let (_, body) = history.split_once("\r\n\r\n").unwrap();
    let turns: Value = serde_json::from_str(body).unwrap();
    assert_eq!((&turns[0]["question"], &turns[0]["answer"]), (&asked["question"], &done["text"]));
    let forget = "DELETE /api/session?project=Horta&session=sol";
    assert_eq!(status(&web.send(forget, &[&web.host()], "")), 204);
    assert!(web.get("/api/history?project=Horta&session=sol").ends_with("[]"));
}

#[tokio::test]
async fn wrong_requests_are_told_why_and_change_nothing() {
    let data = data("Obra", "Prazos", "O prazo é de cinco dias.").await;
    let web = Web::over(data.path());
    for project in ["Nenhum", "../Horta", "", "Horta\u{0}"] {
        let asked = json!({"project": project, "session": "s", "question": "?", "mode": "narrow"});
        assert_eq!(status(&web.ask(&asked)), 404, "{project:?}");
    }
    let plain = web.send("POST /api/ask", &[&web.host(), "content-type: text/plain"], "{}");
    assert_eq!(status(&plain), 415, "what a form of another page can send is no question");
    for wrong in
        [json!({}), json!([]), json!({"project": "Horta", "session": "s", "question": "?", "mode": "deep"})]
    {
        assert_eq!(status(&web.ask(&wrong)), 422, "{wrong}");
    }
    let long = json!({"project": "Horta", "session": "s", "question": "x".repeat(20_001), "mode": "narrow"});
    let response = web.ask(&long);
    assert!(response.contains(r#""type":"failed""#) && response.contains("20001 characters"), "{response}");
    let huge =
        json!({"project": "Horta", "session": "s", "question": "x".repeat(3_000_000), "mode": "narrow"});
    // The refusal can be lost with the connection, which ends before all was sent.
    let response = web.ask(&huge);
    assert!(response.is_empty() || status(&response) == 413, "{response}");
    assert_eq!(status(&web.get("/api/ask")), 405);
    assert_eq!(status(&web.get("/api/history?project=Horta")), 400);
    let projects = web.get("/api/projects");
    assert!(projects.ends_with(r#"{"projects":["Horta","Obra"],"first":"Horta"}"#), "{projects}");
}

/// Ended as a terminal ends it, it leaves nothing behind of the samples that it has taken in.
#[cfg(unix)]
#[test]
fn it_ends_on_an_interrupt_and_takes_its_own_data_away() {
    let temporary = tempfile::tempdir().unwrap();
    let mut command = Command::new(program("web"));
    command.env("TMPDIR", temporary.path()).env_remove("TUSAB_MODELS");
    let mut web = Web::start(command);
    let entries = || std::fs::read_dir(temporary.path()).unwrap().count();
    assert_eq!((status(&web.get("/api/project?project=Horta")), entries()), (200, 1));
    // A browser that holds its connection.
    let held = TcpStream::connect(web.address).unwrap();
    let sent = Command::new("kill").args(["-INT", &web.child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let since = Instant::now();
    let ended = loop {
        if let Some(ended) = web.child.try_wait().unwrap() {
            break ended;
        }
        assert!(since.elapsed() < Duration::from_mins(1), "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!((ended.code(), entries()), (Some(0), 0));
    drop(held);
}

#[tokio::test]
async fn a_project_that_is_not_there_is_told_with_those_that_are() {
    let data = data("Obra", "Prazos", "O prazo é de cinco dias.").await;
    let output = command("web", data.path()).args(["--project", "Ortha", "--port", "0"]).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), &[][..]));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("there is no project \"Ortha\"; there are: \"Horta\", \"Obra\""), "{told}");
}

/// A browser opens the page. The script starts and ends the program, the browser and a language model that says, piece by
/// piece, what the scenario wants; all on 127.0.0.1.
async fn browse(name: &str) {
    assert!(
        std::env::var_os("TUSAB_CHROMIUM").is_some(),
        "TUSAB_CHROMIUM names no browser: run scripts/test.sh, or name a Chromium of your own"
    );
    let title = format!("{HOSTILE}{}", "W".repeat(200));
    let text = format!(
        "{HOSTILE} A armadilha {HOSTILE} diz: o prazo da armadilha é de cinco dias. {}",
        "M".repeat(300)
    );
    let data = data("<b>Armadilha</b>", &title, &text).await;
    scenario("web.mjs", name, &[&program("web"), data.path()]);
}

#[tokio::test]
#[ignore = "needs Node and Chromium, from scripts/assets.sh"]
async fn an_answer_streams_in_and_its_source_opens_at_the_second() {
    browse("streams").await;
}

#[tokio::test]
#[ignore = "needs Node and Chromium, from scripts/assets.sh"]
async fn stopping_stops_the_model_and_is_remembered() {
    browse("stops").await;
}

#[tokio::test]
#[ignore = "needs Node and Chromium, from scripts/assets.sh"]
async fn markup_in_sources_questions_and_answers_stays_text() {
    browse("hostile").await;
}

#[tokio::test]
#[ignore = "needs Node and Chromium, from scripts/assets.sh"]
async fn the_keyboard_alone_suffices() {
    browse("keyboard").await;
}

#[tokio::test]
#[ignore = "needs Node and Chromium, from scripts/assets.sh"]
async fn it_fits_a_phone_in_light_and_dark_and_keeps_still_where_asked() {
    browse("phone").await;
}

#[tokio::test]
#[ignore = "needs Node and Chromium, from scripts/assets.sh"]
async fn what_is_missing_is_said_in_plain_words() {
    browse("missing").await;
}
