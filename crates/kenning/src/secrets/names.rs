//! What a name promises: the last word says what kind of value follows, the words before it how much that value has
//! to prove.

use super::shape::entropy;
use super::value::{is_opaque, is_password, is_uuid};

/// What the last word of the name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A password: short and chosen by a person.
    Password,
    /// A secret or credential: chosen or generated.
    Secret,
    /// A token: generated.
    Token,
    /// A key: only with a word before it that makes it secret, as in API key.
    Key,
    /// `_auth`, `user_auth`, a login token.
    Auth,
    /// An account number, masked only for the vendors that treat it as confidential.
    Account,
    /// Bundler's name for the Sidekiq servers.
    Bundle,
}

/// Decides whether `value` under a name that ends with `kind` is a credential, and what to call it.
///
/// `name` is in lower case and stops before the word that gave `kind`.
pub(super) fn judge(kind: Kind, name: &[u8], value: &[u8]) -> Option<&'static str> {
    match kind {
        Kind::Password => is_password(value).then_some("password"),
        Kind::Auth => is_opaque(value, 16).then_some("auth"),
        Kind::Account => account(name, value),
        Kind::Bundle => is_bundle(value).then_some("sidekiq-secret"),
        _ if has_any(name, PUBLIC) => None,
        Kind::Secret => {
            (value.len() >= 8 && is_password(value) || is_uuid(value)).then_some("secret")
        }
        Kind::Token => token(name, value),
        Kind::Key => key(name, value),
    }
}

/// Without a telling word beside it, a token must be longer to be believed.
fn token(name: &[u8], value: &[u8]) -> Option<&'static str> {
    let is_vendor = has_any(name, VENDORS);
    let length_min = match is_vendor {
        true => 14,
        false if has_any(name, TOKEN_WORDS) => 16,
        false => 20,
    };
    if has_any(name, &[b"contribsys"]) && is_bundle(value) {
        return Some("sidekiq-secret");
    }
    let is_number =
        value.len() >= 16 && value.iter().all(u8::is_ascii_digit) && entropy(value) > 2.0;
    (is_opaque(value, length_min) || is_uuid(value) || is_vendor && is_number).then_some("token")
}

/// A key is secret only by the word before it: API key, not cache key.
fn key(name: &[u8], value: &[u8]) -> Option<&'static str> {
    let stem = name.trim_ascii_end();
    let stem = stem
        .strip_suffix(b"_")
        .or(stem.strip_suffix(b"-"))
        .or(stem.strip_suffix(b"."))
        .unwrap_or(stem);
    if has_any(name, &[b"aws"]) && stem.ends_with(b"access") {
        return (value.len() == 40 && is_opaque(value, 40)).then_some("aws-secret-key");
    }
    let is_vendor = has_any(name, VENDORS);
    let is_secret = is_vendor || KEY_WORDS.iter().any(|word| stem.ends_with(word));
    let length_min = if is_vendor { 14 } else { 16 };
    (is_secret && (is_opaque(value, length_min) || is_uuid(value))).then_some("api-key")
}

fn account(name: &[u8], value: &[u8]) -> Option<&'static str> {
    if has_any(name, &[b"aws"]) {
        let n_digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
        return (n_digits == 12 && value.len() <= 14).then_some("aws-account-id");
    }
    if has_any(name, &[b"sumo"]) {
        return (value.starts_with(b"su") && is_opaque(value, 14)).then_some("sumologic-id");
    }
    let is_azure = has_any(name, &[b"azure", b"arm_"]) || name.ends_with(b"ad_");
    (is_azure && is_uuid(value)).then_some("azure-id")
}

fn is_bundle(value: &[u8]) -> bool {
    value.len() == 17
        && value
            .iter()
            .enumerate()
            .all(|(position, byte)| match position {
                8 => *byte == b':',
                _ => byte.is_ascii_hexdigit(),
            })
}

/// Words that make a key a secret one.
const KEY_WORDS: &[&[u8]] = &[
    b"api",
    b"access",
    b"secret",
    b"private",
    b"auth",
    b"encryption",
    b"encrypt",
    b"signing",
    b"master",
    b"account",
    b"storage",
    b"license",
    b"licence",
    b"shared",
    b"consumer",
    b"app",
    b"application",
    b"service",
    b"admin",
    b"deploy",
    b"jwt",
    b"hmac",
    b"aes",
    b"session",
    b"client",
    b"project",
    b"subscription",
    b"webhook",
    b"role",
    b"rest",
    b"host",
    b"security",
    b"recovery",
];

/// Words that make a token one that opens something.
const TOKEN_WORDS: &[&[u8]] = &[
    b"api",
    b"access",
    b"auth",
    b"bearer",
    b"refresh",
    b"secret",
    b"bot",
    b"deploy",
    b"personal",
    b"service",
];

/// Words that say the value is meant to be seen, or guards nothing.
const PUBLIC: &[&[u8]] = &[
    b"public",
    b"pub_",
    b"publishable",
    b"csrf",
    b"xsrf",
    b"next",
    b"page",
    b"continuation",
    b"cursor",
    b"cancel",
    b"authenticity",
    b"idempotency",
];

/// Vendors whose keys have no prefix: their name beside the value stands in for one.
#[rustfmt::skip]
const VENDORS: &[&[u8]] = &[
    b"adafruit", b"adobe", b"airtable", b"algolia", b"alibaba", b"asana", b"atlassian", b"jira", b"confluence", b"aws",
    b"azure", b"beamer", b"bitbucket", b"bittrex", b"clickhouse", b"cloudflare", b"codecov", b"cohere", b"coinbase",
    b"confluent", b"contentful", b"datadog", b"deepgram", b"deepseek", b"digitalocean", b"discord", b"drone", b"dropbox",
    b"etsy", b"facebook", b"fastly", b"figma", b"finicity", b"finnhub", b"firebase", b"flickr", b"freshbooks", b"github",
    b"gitlab", b"gitter", b"google", b"heroku", b"hubspot", b"intercom", b"jfrog", b"kraken", b"kucoin", b"launchdarkly",
    b"linkedin", b"looker", b"mailchimp", b"mailgun", b"mattermost", b"maxmind", b"meraki", b"messagebird", b"mistral",
    b"netlify", b"nytimes", b"okta", b"openai", b"openweather", b"pagerduty", b"plaid", b"privateai", b"rapidapi",
    b"sendbird", b"sendgrid", b"sentry", b"shodan", b"shopify", b"slack", b"snyk", b"sonar", b"sourcegraph", b"spotify",
    b"square", b"stripe", b"sumo", b"supabase", b"telegram", b"travis", b"trello", b"turnstile", b"twilio", b"twitch",
    b"twitter", b"vercel", b"yandex", b"zendesk",
];

pub(super) fn has_any(name: &[u8], words: &[&[u8]]) -> bool {
    words
        .iter()
        .any(|word| name.windows(word.len()).any(|part| part == *word))
}
