//! Prompt and key go to the named server and nowhere else, whatever the environment or the server says.

use std::process::Command;

use tusab_llm::{ApiKey, BaseUrl, ChatModel, Error, Ollama, OllamaOptions, Provider, Stage};

use crate::server::{DONE, MODEL, Server, ask, both};

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (server, elsewhere) = (Server::bind().await, Server::bind().await);
    let options = server.options().with_api_key(ApiKey::new("sk-verysecret".to_owned()).unwrap());
    let model = Ollama::new(options).unwrap().model(MODEL).unwrap();
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        let location = format!("Location: http://{}/api/chat\r\n", elsewhere.authority());
        connection.answer("307 Temporary Redirect", &location, "").await;
    };
    let client = async {
        tokio::select! {
            answer = model.chat(ask("oi")) => answer.unwrap_err(),
            _ = elsewhere.accept() => panic!("it was followed"),
        }
    };
    let error = both(client, script).await.0;
    assert!(matches!(error, Error::Protocol { .. }), "{error:?}");
    let message = error.to_string();
    assert!(message.contains("status 307") && message.contains("base URL"), "{message}");
}

/// Plain `http` may be spoken to names that end in `.localhost`: whatever the network knows of them, they lead here.
#[tokio::test]
async fn a_name_that_ends_in_localhost_leads_to_this_machine() {
    let server = Server::bind().await;
    let port = server.authority().rsplit_once(':').unwrap().1.to_owned();
    let url = BaseUrl::parse(Provider::Ollama, &format!("http://no-such-name.localhost:{port}")).unwrap();
    let model = Ollama::new(OllamaOptions::default().with_base_url(url)).unwrap().model(MODEL).unwrap();
    let script = async {
        let mut connection = server.accept().await;
        let request = connection.request().await;
        connection.answer("200 OK", "", DONE).await;
        request
    };
    let (reply, request) = both(model.chat(ask("oi")), script).await;
    reply.unwrap();
    assert!(
        request.headers.contains(&format!("host: no-such-name.localhost:{port}")),
        "{:?}",
        request.headers
    );
    assert!(model.is_local());
}

#[tokio::test]
#[ignore = "run by the tests below, with an environment made for it"]
async fn a_call_goes_straight_to_the_server() {
    let server = Server::bind().await;
    let model = server.model();
    let script = async {
        let mut connection = server.accept().await;
        let target = connection.request().await.target;
        connection.answer("200 OK", "", DONE).await;
        target
    };
    let (reply, target) = both(model.chat(ask("oi")), script).await;
    reply.unwrap();
    assert_eq!(target, "POST /api/chat");
}

/// Runs the test above in a process of its own.
fn calls_straight(child: &mut Command) {
    child.args(["--exact", "ollama::isolation::a_call_goes_straight_to_the_server", "--ignored"]);
    let output = child.output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && shown.contains("1 passed"), "{shown}");
}

#[test]
fn proxies_of_the_environment_are_not_used() {
    let mut child = Command::new(std::env::current_exe().unwrap());
    // No one listens at port 1: a call through it would fail.
    for variable in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        child.env(variable, "http://127.0.0.1:1");
    }
    calls_straight(child.env_remove("NO_PROXY").env_remove("no_proxy").env_remove("REQUEST_METHOD"));
}

#[test]
fn a_machine_without_certificates_can_call_itself() {
    let mut child = Command::new(std::env::current_exe().unwrap());
    calls_straight(child.env("SSL_CERT_FILE", "/no/such/file").env("SSL_CERT_DIR", "/no/such/folder"));
}

/// A process that has installed no cryptography for TLS, as this one, still speaks it; and speaks no word of
/// the request before the other side has shown who it is.
#[tokio::test]
async fn over_https_nothing_is_said_to_a_server_that_is_not_known() {
    let server = Server::bind().await;
    let url = BaseUrl::parse(Provider::Ollama, &format!("https://{}", server.authority())).unwrap();
    let options = OllamaOptions::default().with_base_url(url);
    let options = options.with_api_key(ApiKey::new("sk-verysecret".to_owned()).unwrap());
    let model = Ollama::new(options).unwrap().model(MODEL).unwrap();
    let script = async {
        let mut connection = server.accept().await;
        let hello = connection.raw().await;
        connection.send("HTTP/1.1 400 Bad Request\r\n\r\n").await;
        hello
    };
    let (answer, hello) = both(model.chat(ask("meu segredo")), script).await;
    // The type of a TLS handshake record (RFC 8446, section 5.1).
    assert_eq!(hello.first(), Some(&22));
    assert!(!String::from_utf8_lossy(&hello).contains("secret"));
    let error = answer.unwrap_err();
    assert!(matches!(error, Error::Network { stage: Stage::Connect, .. }), "{error:?}");
}
