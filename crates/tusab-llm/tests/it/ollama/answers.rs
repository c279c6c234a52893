//! What a healthy server answers.

use serde_json::json;
use tusab_llm::testing::conformance;
use tusab_llm::{ApiKey, ChatModel, Delta, Error, FinishReason, Ollama, Temperature, Tokens, Usage};

use crate::server::{DONE, MODEL, Server, ask, asked, both, line};

#[tokio::test]
async fn an_answer_arrives_piece_by_piece() {
    let server = Server::bind().await;
    let model = server.model();
    let client = async {
        let mut stream = model.stream(ask("Quem é você?").with_system("Seja breve.")).await.unwrap();
        let mut deltas = Vec::new();
        while let Some(delta) = stream.next().await {
            deltas.push(delta.unwrap());
        }
        deltas
    };
    let script = async {
        let mut connection = server.accept().await;
        let request = connection.request().await;
        connection.begin().await;
        connection.chunk(line("Olá, ")).await;
        connection.chunk(line("informação 🙂")).await;
        connection.chunk(DONE).await;
        connection.end().await;
        request
    };
    let (deltas, request) = both(client, script).await;
    assert_eq!(
        deltas,
        [
            Delta::Text("Olá, ".to_owned()),
            Delta::Text("informação 🙂".to_owned()),
            Delta::Usage(Usage::new(Tokens::new(26), Tokens::new(7))),
            Delta::Done { finish_reason: FinishReason::Stop },
        ]
    );
    assert_eq!(request.target, "POST /api/chat");
    assert!(request.headers.contains(&"content-type: application/json".to_owned()));
    assert!(!request.headers.iter().any(|header| header.starts_with("authorization")));
    assert_eq!(
        request.body,
        json!({
            "model": MODEL,
            "messages": [
                {"role": "system", "content": "Seja breve."},
                {"role": "user", "content": "Quem é você?"},
            ],
            "stream": true,
            "options": {"num_ctx": 4096},
        })
    );
}

#[tokio::test]
async fn options_reach_the_server_and_the_key_goes_with_them() {
    let server = Server::bind().await;
    let key = ApiKey::new("Sk-1".to_owned()).unwrap();
    let options = server.options().with_api_key(key).with_context_length(Tokens::new(2048));
    let model = Ollama::new(options).unwrap().model(MODEL).unwrap();
    let request =
        ask("a").with_temperature(Temperature::ZERO).with_max_output(Tokens::new(9)).with_stop("\n");
    let script = async {
        let mut connection = server.accept().await;
        let request = connection.request().await;
        connection.answer("200 OK", "", DONE).await;
        request
    };
    let (reply, request) = both(model.chat(request), script).await;
    assert_eq!(reply.unwrap().finish_reason, FinishReason::Stop);
    assert!(request.headers.contains(&"authorization: bearer sk-1".to_owned()));
    assert_eq!(
        request.body["options"],
        json!({"num_ctx": 2048, "num_predict": 9, "temperature": 0.0, "stop": ["\n"]})
    );
}

/// A recorded answer, sent in two pieces that are cut at every byte.
#[tokio::test]
async fn an_answer_is_the_same_wherever_the_network_cuts_it() {
    let server = Server::bind().await;
    let model = server.model();
    let recorded = [line("A ação "), line("é boa: "), line("👩‍🚀 ok\n"), DONE.to_owned()].concat();
    let places = recorded.len();
    let serving = server.serve(move |mut connection, request| {
        let recorded = recorded.clone();
        async move {
            let place: usize = asked(&request).parse().unwrap();
            connection.begin().await;
            connection.chunk(&recorded.as_bytes()[..place]).await;
            connection.chunk(&recorded.as_bytes()[place..]).await;
            connection.end().await;
            connection
        }
    });
    let client = async {
        for place in 0..places {
            let reply = model.chat(ask(&place.to_string())).await;
            assert_eq!(reply.unwrap().text, "A ação é boa: 👩‍🚀 ok\n", "cut at {place}");
        }
    };
    both(client, async {}).await;
    serving.abort();
}

#[tokio::test]
async fn models_and_version_are_looked_up() {
    let server = Server::bind().await;
    let ollama = Ollama::new(server.options()).unwrap();
    let serving = server.serve(async |mut connection, request| {
        let body = match request.target.as_str() {
            "GET /api/tags" => r#"{"models":[{"name":"llama3.2:1b","size":7}]}"#,
            "GET /api/version" => r#"{"version":"0.12.3"}"#,
            other => panic!("{other}"),
        };
        connection.answer("200 OK", "", body).await;
        connection
    });
    let (models, version) = both(ollama.models(), ollama.version()).await;
    let (models, version) = (models.unwrap(), version.unwrap());
    serving.abort();
    assert!(models[0].answers_to(MODEL) && models[0].size_bytes == Some(7));
    assert_eq!(version, "0.12.3");
}

#[tokio::test]
async fn ollama_keeps_the_contract_of_a_chat_model() {
    let server = Server::bind().await;
    let model = server.model();
    let serving = server.serve(async |mut connection, _| {
        connection.begin().await;
        connection.chunk(line("bom ")).await;
        connection.chunk(line("dia")).await;
        connection.chunk(DONE).await;
        connection.end().await;
        connection
    });
    both(conformance(&model), async {}).await.0.unwrap();
    serving.abort();
}

#[tokio::test]
async fn a_hundred_answers_stream_at_once_from_one_client() {
    let server = Server::bind().await;
    let model = server.model();
    let calls: Vec<_> = (0..100)
        .map(|n| {
            let model = model.clone();
            tokio::spawn(async move { model.chat(ask(&n.to_string())).await.map(|reply| (n, reply.text)) })
        })
        .collect();
    let client = async {
        for call in calls {
            let (n, text) = call.await.unwrap().unwrap();
            assert_eq!(text, format!("eco {n}"));
        }
    };
    let script = async {
        let mut open = Vec::new();
        for _ in 0..100 {
            let mut connection = server.accept().await;
            let asked =
                connection.request().await.body["messages"][0]["content"].as_str().unwrap().to_owned();
            connection.begin().await;
            connection.chunk(line("eco ")).await;
            open.push((connection, asked));
        }
        // Only now, with all hundred in the middle of their answers, does any of them go on.
        for (mut connection, asked) in open {
            connection.chunk(line(&asked)).await;
            connection.chunk(DONE).await;
            connection.end().await;
        }
    };
    both(client, script).await;
}

#[tokio::test]
async fn what_no_provider_could_serve_is_never_sent() {
    let server = Server::bind().await;
    let model = server.model();
    let (answer, ()) = both(model.chat(ask("a").with_max_output(Tokens::new(0))), async {}).await;
    assert!(matches!(answer, Err(Error::BadRequest { .. })));
    let connected = tokio::time::timeout(std::time::Duration::from_millis(20), server.accept()).await;
    assert!(connected.is_err(), "it connected");
}
