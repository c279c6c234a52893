use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::{command, data, program, scenario};

/// What a page of any size says, so that reading has to go on.
fn long_text() -> String {
    let paragraph = |n| format!("Parágrafo {n}: o prazo de entrega número {n} é de {n} dias úteis.");
    (0..400).map(paragraph).collect::<Vec<String>>().join("\n\n")
}

async fn run(name: &str) {
    let data = data("Obra", "Prazos", &long_text()).await;
    scenario("mcp.mjs", name, &[&program("mcp"), data.path()]);
}

#[tokio::test]
#[ignore = "needs Node and the packages of scripts/assets.sh"]
async fn the_official_client_searches_lists_and_reads() {
    run("tools").await;
}

#[tokio::test]
#[ignore = "needs Node and the packages of scripts/assets.sh"]
async fn the_official_client_lists_and_reads_resources() {
    run("resources").await;
}

#[tokio::test]
#[ignore = "needs Node and the packages of scripts/assets.sh"]
async fn hostile_arguments_are_refused_with_the_remedy() {
    run("hostile").await;
}

/// What is no protocol at all goes in, and nothing but protocol comes out; the end of the input ends the program.
#[tokio::test]
async fn standard_output_carries_the_protocol_alone() {
    let data = data("Obra", "Prazos", "O prazo é de cinco dias.").await;
    let mut command = command("mcp", data.path());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let client = json!({"name": "t", "version": "1"});
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let lines = [
        request(1, "initialize", &hello),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string(),
        "hello".to_owned(),
        "{\"jsonrpc\": \"2.0\", \"id\"".to_owned(),
        "\u{0}\u{1b}[31m".to_owned(),
        request(2, "no/such/method", &json!({})),
        request(3, "tools/call", &json!({"name": "list_projects", "arguments": {}})),
    ];
    for line in lines {
        writeln!(input, "{line}").unwrap();
    }
    input.flush().unwrap();
    // The input stays open until the last answer: those that are still owed at its end are waited for only a while.
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut messages: Vec<Value> = Vec::new();
    for line in told.by_ref() {
        messages.push(serde_json::from_str(&line).expect(&line));
        if messages.last().unwrap()["id"] == 3 {
            break;
        }
    }
    drop(input);
    messages.extend(told.map(|line| serde_json::from_str::<Value>(&line).expect(&line)));
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(messages.iter().all(|message| message["jsonrpc"] == "2.0"), "{messages:?}");
    let answer = |id: u32| messages.iter().find(|message| message["id"] == id).expect("an answer");
    assert_eq!(answer(1)["result"]["serverInfo"]["name"], "tusab");
    assert_eq!(answer(2)["error"]["code"], -32601);
    let projects = &answer(3)["result"]["structuredContent"]["projects"];
    assert_eq!((&projects[0]["name"], &projects[1]["name"]), (&"Horta".into(), &"Obra".into()));
}

fn request(id: u32, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

#[test]
fn a_folder_that_is_not_there_is_told_before_anything_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command("mcp", &folder.path().join("engano"));
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), &[][..]));
    assert!(String::from_utf8_lossy(&output.stderr).contains("engano is no folder"));
    assert!(!folder.path().join("engano").exists());
}
