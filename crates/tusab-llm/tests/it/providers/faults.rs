//! What may go wrong on the way, the same for every provider.

use tusab_llm::{Delta, Error, Stage, Timeouts};

use super::subject::{ENOUGH, SHORT, Subject, ask, name, tells_no_secret};
use super::{anthropic, compatible, gemini, groq, ollama, openai};
use crate::server::{Server, both};

fn subjects() -> [Subject; 6] {
    [
        openai::subject(),
        groq::subject(),
        compatible::subject(),
        anthropic::subject(),
        gemini::subject(),
        ollama::subject(),
    ]
}

#[tokio::test]
async fn silence_ends_a_call_at_the_stage_where_it_fell() {
    for subject in subjects() {
        let server = Server::bind().await;
        // Only the limit that is to be reached is short: a busy machine may be slow with the rest.
        let with = |limits| subject.client(&server, limits).model(&subject.id()).unwrap();
        let no_start = with(Timeouts::default().with_first_byte(ENOUGH));
        let no_more = with(Timeouts::default().with_idle_gap(SHORT));
        let script = async {
            // Nothing at all; then a head without a body; then a word without an end.
            let mut connection = server.accept().await;
            connection.request().await;
            connection.closed().await;
            let mut connection = server.accept().await;
            connection.request().await;
            subject.begin(&mut connection).await;
            connection.closed().await;
            let mut connection = server.accept().await;
            connection.request().await;
            subject.begin(&mut connection).await;
            connection.chunk(&subject.first_word).await;
            connection.closed().await;
        };
        let client =
            async { [no_start.chat(ask()).await, no_start.chat(ask()).await, no_more.chat(ask()).await] };
        let [nothing, no_body, no_end] = both(client, script).await.0.map(Result::unwrap_err);
        for (error, head) in [(nothing, None), (no_body, Some(200))] {
            assert!(
                matches!(error, Error::Timeout { stage: Stage::FirstByte, limit: ENOUGH, .. }),
                "{error:?}"
            );
            assert!(error.is_retryable());
            assert_eq!((error.status(), error.request_id()), (head, head.map(|_| "req_1")), "{error:?}");
        }
        assert_eq!((no_end.status(), no_end.request_id()), (Some(200), Some("req_1")), "{no_end:?}");
        let Error::Interrupted { partial, source } = &no_end else { panic!("{no_end:?}") };
        assert_eq!(partial, "Ol");
        assert!(matches!(**source, Error::Timeout { stage: Stage::IdleGap, limit: SHORT, .. }), "{source:?}");
    }
}

#[tokio::test]
async fn a_reset_keeps_the_text() {
    for subject in subjects() {
        let server = Server::bind().await;
        let model = subject.chat_model(&server);
        let (seen, go_on) = tokio::sync::oneshot::channel();
        let client = async {
            let mut stream = model.stream(ask()).await.unwrap();
            loop {
                match stream.next().await.unwrap() {
                    Ok(Delta::Text(words)) => break assert_eq!(words, "Ol"),
                    other => drop(other.unwrap()),
                }
            }
            seen.send(()).unwrap();
            loop {
                match stream.next().await.unwrap() {
                    Ok(Delta::Usage(_)) => {}
                    end => break end.unwrap_err(),
                }
            }
        };
        let script = async {
            let mut connection = server.accept().await;
            connection.request().await;
            subject.begin(&mut connection).await;
            connection.chunk(&subject.first_word).await;
            // A reset overtakes what is still on its way, so it waits until that was read.
            go_on.await.unwrap();
            connection.reset();
        };
        let error = both(client, script).await.0;
        let Error::Interrupted { partial, source } = &error else { panic!("{error:?}") };
        assert_eq!(partial, "Ol");
        assert!(matches!(**source, Error::Network { stage: Stage::IdleGap, .. }), "{source:?}");
        assert_eq!((error.status(), error.request_id()), (Some(200), Some("req_1")), "{error:?}");
    }
}

/// The limits of a request are its own: shorter than those of the client, or longer.
#[tokio::test]
async fn a_request_brings_its_own_limits() {
    let long = Timeouts::default().first_byte;
    for subject in subjects() {
        let server = Server::bind().await;
        let with = |limits| subject.client(&server, limits).model(&subject.id()).unwrap();
        let patient = with(Timeouts::default());
        let hasty = with(Timeouts::default().with_first_byte(SHORT).with_idle_gap(SHORT));
        // Answers whoever still waits, once it is told to.
        let (go_on, told) = tokio::sync::watch::channel(false);
        let stream = subject.stream.clone();
        let serving = server.serve(move |mut connection, _| {
            let (mut told, stream) = (told.clone(), stream.clone());
            async move {
                told.wait_for(|go_on| *go_on).await.unwrap();
                connection.answer("200 OK", "Content-Type: text/event-stream\r\n", &stream).await;
                connection
            }
        });
        let client = async {
            let short = patient.chat(ask().with_first_byte_timeout(SHORT)).await.unwrap_err();
            let waiting = hasty.chat(ask().with_first_byte_timeout(long));
            let giving_up = async {
                let error = hasty.chat(ask()).await.unwrap_err();
                go_on.send(true).unwrap();
                error
            };
            let (waited, gave_up) = tokio::join!(waiting, giving_up);
            assert_eq!(waited.unwrap().text, subject.text);
            [short, gave_up]
        };
        for error in both(client, async {}).await.0 {
            assert!(
                matches!(error, Error::Timeout { stage: Stage::FirstByte, limit: SHORT, .. }),
                "{error:?}"
            );
        }
        serving.abort();
    }
}

#[tokio::test]
async fn a_request_brings_its_own_limit_between_two_pieces() {
    for subject in subjects() {
        let server = Server::bind().await;
        let model = subject.chat_model(&server);
        let script = async {
            let mut connection = server.accept().await;
            connection.request().await;
            subject.begin(&mut connection).await;
            connection.chunk(&subject.first_word).await;
            connection.closed().await;
        };
        let error = both(model.chat(ask().with_idle_gap_timeout(SHORT)), script).await.0.unwrap_err();
        let Error::Interrupted { source, .. } = &error else { panic!("{error:?}") };
        assert!(matches!(**source, Error::Timeout { stage: Stage::IdleGap, limit: SHORT, .. }), "{source:?}");
    }
}

#[tokio::test]
async fn a_line_without_end_is_refused_long_before_a_hundred_megabytes() {
    for subject in subjects() {
        let server = Server::bind().await;
        let model = subject.chat_model(&server);
        let script = async {
            let mut connection = server.accept().await;
            connection.request().await;
            subject.begin(&mut connection).await;
            connection.chunk(&subject.first_word).await;
            connection.chunk("data: ").await;
            let (piece, mut sent) = (vec![b'x'; 1024 * 1024], 0);
            while sent < 100 && connection.send_chunk(&piece).await {
                sent += 1;
            }
            sent
        };
        let (answer, sent) = both(model.chat(ask()), script).await;
        let error = answer.unwrap_err();
        assert_eq!(error.partial(), Some("Ol"));
        assert!(format!("{error:?}").contains("is longer than"), "{error:?}");
        // What was sent after it was refused stood in the buffers of the two sides.
        assert!(sent < 40, "{sent} MB were taken");
    }
}

#[tokio::test]
async fn garbage_is_a_typed_error() {
    for subject in subjects() {
        for (body, expected) in [
            ("<html>502 Bad Gateway</html>\n", "Protocol"),
            ("data: <html>\n\n", "Protocol"),
            ("data: {\"a\":\n\n", "Protocol"),
            ("\u{0}\u{1}\u{2}\n\n", "Any"),
            ("", "EndedEarly"),
            ("\n\n\n", "EndedEarly"),
        ] {
            let error = subject.streamed(body).await;
            let found = name(&error);
            let fits = match expected {
                "Any" => matches!(found.as_str(), "Protocol" | "EndedEarly"),
                expected => found == expected,
            };
            assert!(fits, "{} {body:?}: {error:?}", subject.model);
            assert_eq!((error.status(), error.request_id()), (Some(200), Some("req_1")), "{error:?}");
            tells_no_secret(&error);
        }
    }
}

/// Gateways answer 200 and put the error into the body.
#[tokio::test]
async fn an_error_page_with_a_good_status_is_the_error_that_it_says() {
    for subject in subjects().into_iter().filter(|subject| subject.content_type != "application/x-ndjson") {
        for (_, _, page, expected) in subject.refusals.iter().filter(|(_, _, page, _)| page.starts_with('{'))
        {
            let error = subject.streamed(page).await;
            // Where the status alone tells what the page does not, there is less to know.
            let known = [*expected, "Rejected", "Protocol"].contains(&name(&error).as_str());
            assert!(known, "{} {page}: {error:?}", subject.model);
            tells_no_secret(&error);
        }
        let error = subject.streamed(subject.refusals[0].2).await;
        assert_eq!(name(&error), subject.refusals[0].3);
    }
}

#[tokio::test]
async fn a_redirect_carries_neither_prompt_nor_key_elsewhere() {
    for subject in subjects() {
        let (server, elsewhere) = (Server::bind().await, Server::bind().await);
        let model = subject.chat_model(&server);
        let script = async {
            let mut connection = server.accept().await;
            connection.request().await;
            let location = format!("Location: http://{}/\r\n", elsewhere.authority());
            connection.answer("308 Permanent Redirect", &location, "").await;
        };
        let client = async {
            tokio::select! {
                answer = model.chat(ask()) => answer.unwrap_err(),
                _ = elsewhere.accept() => panic!("it was followed"),
            }
        };
        let error = both(client, script).await.0;
        assert!(matches!(error, Error::Protocol { .. }), "{error:?}");
        assert_eq!(error.status(), Some(308));
    }
}

#[tokio::test]
async fn dropping_a_stream_closes_its_connection() {
    for subject in subjects() {
        let server = Server::bind().await;
        let model = subject.chat_model(&server);
        let client = async {
            let mut stream = model.stream(ask()).await.unwrap();
            stream.next().await.unwrap().unwrap();
            drop(stream);
        };
        let script = async {
            let mut connection = server.accept().await;
            connection.request().await;
            subject.begin(&mut connection).await;
            connection.chunk(&subject.first_word).await;
            connection.closed().await;
        };
        both(client, script).await;
    }
}

#[tokio::test]
async fn a_hundred_answers_stream_at_once_on_one_thread() {
    for subject in subjects() {
        let server = Server::bind().await;
        let model = subject.chat_model(&server);
        let calls: Vec<_> = (0..100)
            .map(|_| {
                let model = std::sync::Arc::clone(&model);
                tokio::spawn(async move { model.chat(ask()).await.map(|reply| reply.text) })
            })
            .collect();
        let client = async {
            for call in calls {
                assert_eq!(call.await.unwrap().unwrap(), subject.text);
            }
        };
        let script = async {
            let mut open = Vec::new();
            let middle = subject.stream.len() / 2;
            for _ in 0..100 {
                let mut connection = server.accept().await;
                connection.request().await;
                subject.begin(&mut connection).await;
                connection.chunk(&subject.stream.as_bytes()[..middle]).await;
                open.push(connection);
            }
            // Only now, with all hundred in the middle of their answers, does any of them go on.
            for mut connection in open {
                connection.chunk(&subject.stream.as_bytes()[middle..]).await;
                connection.end().await;
            }
        };
        both(client, script).await;
    }
}
