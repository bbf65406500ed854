//! What a name promises: the last word says what kind of value follows, the words before it how much that value has
//! to prove.

use super::card::is_card;
use super::shape::entropy;
use super::tokens;
use super::value::{is_opaque, is_password, is_random, is_strong, is_uuid, is_wordy};

/// What the last word of the name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A password: short and chosen by a person.
    Password,
    /// A password, in a language that may put an ending on the word.
    Word,
    /// `pass`, `pw`: short for password where the word stands by itself.
    Pass,
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
    /// A signature, which opens what its URL names.
    Signature,
    /// A word that promises something only with a random value right behind it.
    Near,
    /// The number of a payment card.
    Card,
}

/// How much a value has to prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// A sign says that it is the value of the name.
    Signed,
    /// It stands in a query string, where every key opens something.
    Query,
    /// Only a sentence says so, or the line above.
    Told,
}

impl Kind {
    /// Says whether the word means password.
    pub(super) fn is_password(self) -> bool {
        matches!(self, Kind::Password | Kind::Word | Kind::Pass)
    }
}

/// Decides whether `value` under a name that ends with `kind` is a credential, and what to call it.
///
/// `name` is in lower case and stops before the word that gave `kind`.
pub(super) fn judge(kind: Kind, name: &[u8], value: &[u8], proof: Proof) -> Option<&'static str> {
    match kind {
        Kind::Password | Kind::Word | Kind::Pass => {
            let is_real = match proof {
                Proof::Told => is_strong(value),
                Proof::Signed | Proof::Query => is_password(value),
            };
            is_real.then_some("password")
        }
        Kind::Auth => is_opaque(value, 16).then_some("auth"),
        Kind::Account => account(name, value),
        Kind::Bundle => is_bundle(value).then_some("sidekiq-secret"),
        Kind::Signature => (proof == Proof::Query && is_random(value, 32)).then_some("signature"),
        Kind::Card => is_card(value).then_some("card-number"),
        Kind::Near => None,
        _ if has_any(name, PUBLIC) => None,
        Kind::Secret => {
            let is_chosen = match proof {
                Proof::Told => is_strong(value),
                Proof::Signed | Proof::Query => {
                    value.len() >= 8 && is_password(value) && !is_wordy(value)
                }
            };
            (is_chosen || is_uuid(value)).then_some("secret")
        }
        Kind::Token => token(name, value),
        Kind::Key => key(name, value, proof),
    }
}

/// Decides what a cell below a telling header is; a column of passwords holds nothing else.
pub(super) fn judge_cell(kind: Kind, name: &[u8], value: &[u8]) -> Option<&'static str> {
    judge(kind, name, value, Proof::Signed)
        .or_else(|| tokens::at(value, 0).map(|span| span.pattern))
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
    let is_long = is_opaque(value, length_min) || is_random(value, length_min);
    (is_long || is_uuid(value) || is_vendor && is_number).then_some("token")
}

/// A key is believed by the word before it, as in API key, or by a value that is random beyond doubt.
fn key(name: &[u8], value: &[u8], proof: Proof) -> Option<&'static str> {
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
    let is_told =
        is_secret && (is_opaque(value, length_min) || is_random(value, 16) || is_uuid(value));
    let is_open = has_any(name, OPEN_KEYS) || is_other_word(stem);
    let is_proven = match proof {
        Proof::Query => is_random(value, 20),
        _ if stem.is_empty() => is_random(value, 24),
        _ => is_random(value, 16),
    };
    (is_told || is_proven && !is_open).then_some("api-key")
}

/// Says whether `key` ends another word, such as monkey.
pub(super) fn is_other_word(stem: &[u8]) -> bool {
    const WORDS: [&[u8]; 8] = [
        b"mon", b"tur", b"hoc", b"whis", b"don", b"joc", b"lac", b"dar",
    ];
    WORDS.iter().any(|word| stem.ends_with(word))
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

/// Words that make a key one that guards nothing: places in tables, caches, sentences and keyrings.
#[rustfmt::skip]
pub(super) const OPEN_KEYS: &[&[u8]] = &[
    b"public", b"pub", b"cache", b"primary", b"foreign", b"sort", b"partition", b"object", b"index", b"group", b"map",
    b"dict", b"row", b"hash", b"lookup", b"translation", b"i18n", b"websocket", b"gpg", b"pgp", b"recv", b"finger",
    b"etag", b"commit", b"unique", b"idempotency", b"shortcut", b"search", b"blob", b"verif", b"host_key", b"known",
    b"sitekey", b"site", b"vapid", b"registry", b"distribution",
];

/// Words that say the value is meant to be seen, or guards nothing.
pub(super) const PUBLIC: &[&[u8]] = &[
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
