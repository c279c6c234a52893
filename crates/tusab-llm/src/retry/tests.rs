use super::*;
use crate::Message;
use crate::testing::{Answer, ScriptedModel, conformance};

fn limited(seconds: u64) -> Error {
    let retry_after = Some(Duration::from_secs(seconds));
    Error::RateLimited { provider: Provider::Groq, retry_after, response: None }
}

fn overloaded() -> Error {
    Error::Overloaded { provider: Provider::Groq, status: 529, retry_after: None, response: None }
}

fn ask() -> ChatRequest {
    ChatRequest::new([Message::user("oi")])
}

/// The answer or error, how many calls it took, and how long on the clock of the test.
async fn tried(script: ScriptedModel, policy: RetryPolicy) -> (Result<String, Error>, usize, Duration) {
    let model = Retrying::new(Arc::new(script.clone()), policy);
    let start = Instant::now();
    let answer = model.chat(ask()).await.map(|reply| reply.text);
    (answer, script.requests().len(), start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn a_call_that_may_succeed_is_made_again_after_a_growing_wait() {
    let script = ScriptedModel::new()
        .then(Answer::refuse(overloaded()))
        .then(Answer::refuse(overloaded()))
        .then(Answer::text("Olá"));
    let (answer, calls, took) = tried(script, RetryPolicy::default()).await;
    assert_eq!((answer.unwrap().as_str(), calls), ("Olá", 3));
    // 500 ms and 1 s, half of each by chance; the test's clock runs in whole milliseconds.
    assert!((750..=1502).contains(&took.as_millis()), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn the_providers_own_wait_is_kept() {
    let script = ScriptedModel::new().then(Answer::refuse(limited(20))).then(Answer::text("Olá"));
    let (answer, calls, took) = tried(script, RetryPolicy::default()).await;
    assert_eq!((answer.unwrap().as_str(), calls, took.as_secs()), ("Olá", 2, 20));
}

#[tokio::test(start_paused = true)]
async fn a_wait_past_the_budget_is_not_begun() {
    let script = ScriptedModel::new().then(Answer::refuse(limited(61))).then(Answer::text("Olá"));
    let (answer, calls, took) = tried(script, RetryPolicy::default()).await;
    assert_eq!(answer.unwrap_err().retry_after(), Some(Duration::from_secs(61)));
    assert_eq!((calls, took), (1, Duration::ZERO));

    // The waits before count, too.
    let script = ScriptedModel::new().with_fallback(|_| Answer::refuse(limited(25)));
    let policy = RetryPolicy::default().with_tries(NonZeroU32::MAX);
    let (answer, calls, took) = tried(script, policy).await;
    assert!(answer.is_err());
    assert_eq!((calls, took.as_secs()), (3, 50));
}

#[tokio::test(start_paused = true)]
async fn the_last_error_is_given_when_the_tries_are_used_up() {
    let script = ScriptedModel::new().with_fallback(|_| Answer::refuse(overloaded()));
    let (answer, calls, _) = tried(script.clone(), RetryPolicy::default()).await;
    assert!(matches!(answer, Err(Error::Overloaded { .. })));
    assert_eq!(calls, 3);
    let (_, calls, _) =
        tried(ScriptedModel::new().then(Answer::refuse(overloaded())), RetryPolicy::never()).await;
    assert_eq!(calls, 1);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_succeed_is_not_tried_again() {
    let source = std::io::Error::other("refused").into();
    let stage = Stage::Connect;
    let absent =
        Error::Network { provider: Provider::Ollama, address: String::new(), stage, source, response: None };
    for error in [Error::OutOfCredit { provider: Provider::Groq, response: None }, absent] {
        let (answer, calls, _) =
            tried(ScriptedModel::new().then(Answer::refuse(error)), RetryPolicy::default()).await;
        assert!(answer.is_err());
        assert_eq!(calls, 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_inside_the_answer_is_tried_again_only_before_the_first_word() {
    let usage = Delta::Usage(crate::Usage::new(crate::Tokens::new(1), crate::Tokens::new(0)));
    let script =
        ScriptedModel::new().then(Answer::deltas([usage]).then_fail(overloaded())).then(Answer::text("Olá"));
    let (answer, calls, _) = tried(script, RetryPolicy::default()).await;
    assert_eq!((answer.unwrap().as_str(), calls), ("Olá", 2));

    let script = ScriptedModel::new()
        .then(Answer::deltas([Delta::Text("Ol".to_owned())]).then_fail(overloaded()))
        .then(Answer::text("Olá"));
    let (answer, calls, _) = tried(script, RetryPolicy::default()).await;
    assert_eq!((answer.unwrap_err().partial(), calls), (Some("Ol"), 1));
}

#[tokio::test]
async fn it_keeps_the_contract_of_a_chat_model() {
    let script = ScriptedModel::new().with_fallback(|_| Answer::text("bom dia"));
    conformance(&Retrying::new(Arc::new(script), RetryPolicy::default())).await.unwrap();
}

#[tokio::test]
async fn the_words_come_in_their_order_and_dropping_cancels() {
    let script = ScriptedModel::new().then(Answer::deltas([Delta::Text("a".to_owned())]).then_hang());
    let model = Retrying::new(Arc::new(script.clone()), RetryPolicy::default());
    let mut stream = model.stream(ask()).await.unwrap();
    assert_eq!(stream.next().await.unwrap().unwrap(), Delta::Text("a".to_owned()));
    assert_eq!(script.open_streams(), 1);
    drop(stream);
    assert_eq!(script.open_streams(), 0);
}

#[test]
fn waits_grow_and_stay_within_their_bounds() {
    let policy = RetryPolicy::default();
    for (tried, least, most) in
        [(1, 250, 500), (2, 500, 1000), (4, 2000, 4000), (5, 4000, 8000), (99, 4000, 8000)]
    {
        assert_eq!(policy.wait(tried, 0).as_millis(), least);
        assert_eq!(policy.wait(tried, u64::MAX).as_millis(), most);
        let wait = policy.wait(tried, random()).as_millis();
        assert!((least..=most).contains(&wait), "{wait}");
    }
    assert_ne!(random(), random());
}
