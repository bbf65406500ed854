//! What goes wrong on the way: every error says what and where, and nothing says the key.

use super::super::error::Trouble;
use super::stub::{End, Reply, Stub};
use super::*;

const WORD: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n";
const END: &str =
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

async fn with(replies: impl IntoIterator<Item = Reply>) -> (Stub, Provider) {
    let stub = Stub::start(replies).await;
    let provider = with_key(provider(ProviderKind::OpenAi, &stub.url));
    (stub, provider)
}

/// Asks once and returns what went wrong, the address left out.
async fn failure(provider: Provider) -> (Trouble, String, String) {
    let url = provider.base_url.clone();
    let error = ask(&model(provider), &question()).await.1.unwrap_err();
    let shown = format!("{error:?} {error} {}", error.hint());
    assert!(!shown.contains(&key()), "{shown}");
    let told = |text: &str| text.replace(&url, "URL");
    (error.trouble, told(&error.to_string()), told(error.hint()))
}

#[tokio::test]
async fn a_busy_server_is_asked_again_when_it_wants() {
    let busy = r#"{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}"#;
    let (stub, provider) = with([
        Reply::json(429, busy).header("retry-after: 0"),
        Reply::json(503, "<html>").header("retry-after: 0"),
        Reply::events([WORD, END].concat()),
    ])
    .await;
    let (events, reply) = ask(&model(provider), &question()).await;
    assert_eq!((events.len(), reply.unwrap().text.as_str()), (1, "Hel"));
    assert_eq!(stub.asked().len(), 3);
}

#[tokio::test]
async fn a_server_that_wants_an_hour_is_told_of() {
    let busy = Reply::json(429, r#"{"error":{"message":"Quota"}}"#).header("retry-after: 3600");
    let (stub, provider) = with([busy]).await;
    let (trouble, message, _) = failure(provider).await;
    assert_eq!(trouble, Trouble::Busy);
    assert_eq!(message, "test (URL) is busy (status 429): Quota");
    assert_eq!(stub.asked().len(), 1);
}

#[tokio::test]
async fn what_broke_off_before_the_first_word_is_asked_again() {
    let (stub, provider) = with([
        Reply::events("").end(End::Cut),
        Reply::events([WORD, END].concat()),
    ])
    .await;
    assert!(ask(&model(provider), &question()).await.1.is_ok());
    assert_eq!(stub.asked().len(), 2);
}

#[tokio::test]
async fn what_broke_off_in_the_middle_is_not() {
    for end in [End::Cut, End::Whole] {
        let (stub, provider) = with([Reply::events(WORD).end(end)]).await;
        let (events, reply) = ask(&model(provider), &question()).await;
        assert_eq!(events, [ChatEvent::Text("Hel".to_owned())]);
        assert_eq!(reply.unwrap_err().trouble, Trouble::Cut);
        assert_eq!(stub.asked().len(), 1);
    }
}

#[tokio::test]
async fn refusals_are_told_apart() {
    let check = async |status: u16, body: &str, expected: (Trouble, &str, &str)| {
        let (_stub, provider) = with([Reply::json(status, body)]).await;
        let (trouble, message, hint) = failure(provider).await;
        assert_eq!((trouble, message.as_str(), hint.as_str()), expected);
    };
    let echo = format!(
        "{{\"error\":{{\"message\":\"Incorrect API key provided: {}\"}}}}",
        key()
    );
    check(
        401,
        &echo,
        (
            Trouble::KeyRefused,
            "test (URL) does not take the key in TEST_KEY (status 401)",
            "check what TEST_KEY holds",
        ),
    )
    .await;
    let echo = format!("{{\"detail\":\"bad\\nrequest: {}\"}}", key());
    check(
        422,
        &echo,
        (
            Trouble::Refused,
            "test (URL) answers with status 422: bad request: …",
            "`ken doctor` tests the provider",
        ),
    )
    .await;
    check(
        400,
        r#"{"error":"tiny does not support tools"}"#,
        (
            Trouble::NoTools,
            "test (URL) answers with status 400: tiny does not support tools",
            "choose a model that knows tools, or set `tools = false`",
        ),
    )
    .await;
    let long = r#"{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size","type":"exceed_context_size_error"}}"#;
    check(400, long, (
        Trouble::TooLong,
        "test (URL) answers with status 400: request (9000 tokens) exceeds the available context size",
        "ask with fewer or shorter texts, or raise the context of the model",
    ))
    .await;
    check(200, "{\"choices\": [", (
        Trouble::BadReply,
        "test (URL): the reply cannot be understood: EOF while parsing a list at line 1 column 13",
        "correct `kind` or `base_url` of [llm.providers.test] in the settings",
    ))
    .await;
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let target = Stub::start([Reply::events([WORD, END].concat())]).await;
    let away = format!(
        "location: {}/chat/completions",
        target.url.replace("127.0.0.1", "localhost")
    );
    for status in [301, 302, 307, 308] {
        let (_stub, provider) = with([Reply::json(status, "").header(&away)]).await;
        let (trouble, message, _) = failure(provider).await;
        assert_eq!(trouble, Trouble::Refused);
        assert_eq!(message, "test (URL) sends us on to localhost");
    }
    assert!(target.asked().is_empty());
}

#[tokio::test]
async fn nobody_there() {
    let mut provider = provider(ProviderKind::OpenAi, "http://127.0.0.1:1/v1");
    provider.total = Duration::from_millis(50);
    let (trouble, message, hint) = failure(provider).await;
    assert_eq!(trouble, Trouble::Unreachable);
    assert!(
        message.starts_with("cannot connect to test (URL): "),
        "{message}"
    );
    assert_eq!(
        hint,
        "start the server, or correct `base_url` of [llm.providers.test] in the settings; `ken doctor` tests it"
    );
}

#[tokio::test]
async fn a_missing_key_is_named_by_its_variable() {
    let (stub, mut provider) = with([]).await;
    provider.key = Key::Missing {
        variable: "TEST_KEY".to_owned(),
    };
    let (trouble, message, hint) = failure(provider).await;
    assert_eq!(trouble, Trouble::KeyMissing);
    assert_eq!(
        message,
        "the key of the provider test should be in TEST_KEY, which is not set"
    );
    assert!(hint.starts_with("set TEST_KEY, or "), "{hint}");
    assert!(stub.asked().is_empty());
}

#[tokio::test]
async fn nobody_waits_for_ever() {
    // Before the head, before the first word, and in the middle.
    for begun in [None, Some(""), Some(WORD)] {
        let mut reply = Reply::events(begun.unwrap_or_default()).end(End::Stall);
        if begun.is_none() {
            reply.head.clear();
        }
        let (mut stub, mut provider) = with([reply]).await;
        let short = Duration::from_millis(60);
        match begun {
            Some(WORD) => provider.total = short,
            _ => provider.first_token = short,
        }
        let (trouble, message, _) = failure(provider).await;
        assert_eq!(trouble, Trouble::TimedOut, "{begun:?}");
        assert_eq!(message, "test (URL) took too long");
        stub.client_gone().await;
    }
}

#[tokio::test]
async fn a_dropped_question_closes_the_connection() {
    for body in ["", WORD] {
        let (mut stub, provider) = with([Reply::events(body).end(End::Stall)]).await;
        let model = model(provider);
        let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            let request = question();
            let mut events = |event| drop(told.send(event));
            model.chat(&request, &mut events).await.map(drop)
        });
        if body.is_empty() {
            while stub.asked().is_empty() {
                tokio::task::yield_now().await;
            }
        } else {
            heard.recv().await.unwrap();
        }
        task.abort();
        stub.client_gone().await;
    }
}

#[tokio::test]
async fn a_reply_without_end_is_not_read_to_its_end() {
    let endless = format!("data: {}", "x".repeat(5 << 20));
    let (_stub, provider) = with([Reply::events(endless)]).await;
    let (trouble, message, _) = failure(provider).await;
    assert_eq!(
        (trouble, message.as_str()),
        (Trouble::BadReply, "test (URL): the reply is too large")
    );
}

#[tokio::test]
async fn what_the_settings_rule_out_is_not_sent() {
    let (stub, mut provider) = with([]).await;
    provider.tools = false;
    let mut request = question();
    request.tools = vec![weather()];
    let error = ask(&model(provider), &request).await.1.unwrap_err();
    assert_eq!(error.trouble, Trouble::NoTools);
    assert_eq!(error.to_string(), "test/tiny cannot call tools");
    assert!(stub.asked().is_empty());
}

#[tokio::test]
async fn a_proxy_is_told_the_whole_address() {
    let stub = Stub::start([Reply::events([WORD, END].concat())]).await;
    let mut provider = with_key(provider(ProviderKind::OpenAi, "http://models.example/v1"));
    provider.proxies.own = Some(stub.url.replace("http://", "http://me:secret@"));
    ask(&model(provider), &question()).await.1.unwrap();
    let head = stub.asked()[0].head.clone();
    assert!(
        head.starts_with("post http://models.example/v1/chat/completions http/1.1\r\n"),
        "{head}"
    );
    assert!(
        head.contains("proxy-authorization: basic bwu6c2vjcmv0\r\n"),
        "{head}"
    );
    assert!(head.contains("host: models.example\r\n"), "{head}");
}
