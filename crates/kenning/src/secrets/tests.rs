//! Tests of masking. No credential stands in this file: each one is put together when the test runs.

mod opened;
mod planted;

use proptest::prelude::*;

use super::shape::{self, Class, Part};
use super::vendors::{TOKENS, Token};
use super::{Finding, mask};

/// Replaces `{}` in `template` by a secret and expects `expected`, a pattern, in its place.
#[track_caller]
fn check(template: &str, secret: &str, expected: &str) {
    let (clean, _) = mask(template.replace("{}", secret));
    assert_eq!(
        clean.as_str(),
        template.replace("{}", &format!("[REDACTED:{expected}]"))
    );
}

#[track_caller]
fn check_unchanged(text: &str) {
    let (clean, findings) = mask(text.to_owned());
    assert_eq!(clean.as_str(), text);
    assert_eq!(findings, []);
}

/// A number generator with a fixed beginning, so that a failing test fails again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn text(&mut self, class: Class, length: usize) -> String {
        let bytes: Vec<u8> = (0..128u8).filter(|&byte| shape::is(byte, class)).collect();
        (0..length)
            .map(|_| bytes[self.below(bytes.len())] as char)
            .collect()
    }

    /// A token of the given row, as short as the row allows.
    fn token(&mut self, token: &Token, head: &str) -> String {
        let mut text = token
            .lead
            .map_or(String::new(), |lead| self.text(lead.class, lead.max));
        text.push_str(head);
        for part in token.parts {
            match *part {
                Part::Text(literal) => text.push_str(literal),
                Part::Run { class, min, .. } => text.push_str(&self.text(class, min)),
                Part::Ends(literal) => text.replace_range(text.len() - literal.len().., literal),
                Part::Maybe(_) => {}
            }
        }
        text
    }
}

fn letters(seed: u64, length: usize) -> String {
    Dice(seed).text(shape::ALNUM, length)
}

fn hex(seed: u64, length: usize) -> String {
    Dice(seed).text(shape::HEX, length)
}

/// Short, with letters, digits and signs, as people choose them.
fn password() -> String {
    ["kL9", "mm2z"].join("#")
}

#[test]
fn every_vendor_row_masks_what_it_describes() {
    for token in TOKENS {
        for (seed, head) in token.heads.iter().enumerate() {
            let secret = Dice(seed as u64 + 7).token(token, head);
            let (clean, findings) = mask(format!("see {secret} here"));
            assert!(!clean.contains(&secret), "{} {head}", token.pattern);
            assert!(!findings.is_empty(), "{} {head}", token.pattern);
        }
    }
}

#[test]
fn tokens_are_masked_whatever_their_body() {
    for seed in 0..2000 {
        let secret = a_token(seed);
        let (clean, _) = mask(format!("the token {secret} of the service"));
        assert!(!clean.contains(&secret), "{secret}");
    }
}

#[test]
fn only_the_secret_is_replaced() {
    let password = password();
    for template in [
        "password = \"{}\"",
        "password='{}'",
        "PASSWORD={}",
        "export PGPASSWORD=\"{}\" # for psql",
        "password: {}",
        "- **Password**: `{}`",
        "Password: {}\nnext line",
        "| password | {} |",
        "\"password\": \"{}\",",
        "{\\\"password\\\": \\\"{}\\\"}",
        "'db_password' => '{}',",
        "<password>{}</password>",
        "<password>\n    {}\n</password>",
        "mysql --password={} -h db",
        "mysql --password {} -h db",
        "spring.datasource.password={}",
        "Server=db;Uid=app;Pwd={};Database=x",
        "ALTER USER app WITH PASSWORD '{}'",
        "CREATE USER app IDENTIFIED BY '{}'",
        "password: str = \"{}\"",
        "var password string = \"{}\"",
        "password := `{}`",
        "System.setProperty(\"db.password\", \"{}\")",
        "machine api.corp.net login bob password {}",
        "sshpass -p {} ssh host",
        "DB_PASSWORD_PROD={}",
        "Mot de passe : {}",
        "Contraseña: {}",
    ] {
        check(template, &password, "password");
    }
    check("password: {}", &format!("Größe{password}é"), "password");
}

#[test]
fn names_decide_what_a_value_must_prove() {
    check("client_secret: {}", &letters(1, 24), "secret");
    check("JWT_SECRET=\"{}\"", &letters(2, 12), "secret");
    check("api_key = {}", &hex(3, 32), "api-key");
    check("apiKey: \"{}\"", &letters(4, 24), "api-key");
    check("API key: {}", &letters(5, 32), "api-key");
    check("https://x.io/v1?api_key={}&page=2", &hex(6, 32), "api-key");
    check("PrivateKey = {}", &(letters(7, 43) + "="), "api-key");
    check(
        "os.environ[\"SERVICE_API_KEY\"] = \"{}\"",
        &letters(8, 40),
        "api-key",
    );
    check(
        "//registry.npmjs.org/:_authToken={}",
        &letters(9, 36),
        "token",
    );
    check("config.set('api_token', '{}')", &letters(10, 32), "token");
    check(
        "aws_secret_access_key = {}",
        &letters(11, 40),
        "aws-secret-key",
    );
    check(
        "AWS_ACCOUNT_ID={}",
        &Dice(12).text(shape::DIGIT, 12),
        "aws-account-id",
    );
    check_unchanged(&format!("cache_key = {}", hex(13, 32)));
    check_unchanged(&format!("public_key: {}", letters(14, 43)));
    check_unchanged(&format!("csrf_token={}", letters(15, 32)));
    check_unchanged(&format!("clientId = \"{}\"", hex(16, 32)));
    check_unchanged(&format!("next_page_token: \"{}\"", letters(17, 32)));
}

#[test]
fn logins_are_masked_wherever_they_stand() {
    check(
        "postgres://app:{}@db.corp.net:5432/app",
        &letters(1, 12),
        "url-password",
    );
    check(
        "see [repo](https://bob:{}@git.corp.net/x.git)",
        &letters(2, 10),
        "url-password",
    );
    check("redis://:{}@cache:6379/0", &letters(3, 20), "url-password");
    check("Authorization: Bearer {}", &letters(4, 40), "authorization");
    check("-H 'Authorization: token {}'", &hex(5, 40), "authorization");
    check("send Bearer {} along", &letters(6, 40), "bearer-token");
    check(
        "curl -s -u bob:{} https://corp.net",
        &letters(7, 12),
        "curl-password",
    );
    check(
        "curl https://corp.net \\\n  --user 'bob:{}'",
        &letters(8, 12),
        "curl-password",
    );
    // "bob:Secret99xy" in base64.
    check(
        "Authorization: Basic {}",
        &["Ym9iOl", "NlY3Jl", "dDk5eHk="].concat(),
        "basic-auth",
    );
}

#[test]
fn what_stands_for_a_credential_is_kept() {
    for text in [
        "How do I reset my password: click the link",
        "password = input(\"Enter password: \")",
        "password: ${{ secrets.DB_PASSWORD }}",
        "password: process.env.DB_PASSWORD,",
        "password=\"your-password-here\"",
        "password: changeme123",
        "password: SecretStr",
        "const password = document.querySelector('input[type=\"password\"]');",
        "api_key = os.getenv(\"API_KEY\")",
        "API_KEY=<your key>",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "token = jwt.encode(payload, key, algorithm=\"HS256\")",
        "max_tokens: 128000",
        "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "AKIAXXXXXXXXXXXXXXXX",
        "https://username:password@example.com",
        "https://${USER}:${PASS}@example.com",
        "https://medium.com/@user/some:thing@else",
        "curl -u $USER:$PASS https://example.com",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "session_id: 550e8400-e29b-41d4-a716-446655440000",
        "| `STENCIL_PASS_DEPTH_PASS` | 0x0B96 |",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
        "integrity=\"sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC\"",
        "![](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4)",
    ] {
        check_unchanged(text);
    }
}

#[test]
fn private_keys_are_masked_over_several_lines() {
    let marker = |word: &str, kind: &str| format!("-----{word} {kind}PRIVATE KEY-----");
    let lines = [letters(1, 64), letters(2, 64), letters(3, 40)];
    for kind in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "] {
        let key = format!(
            "{}\n{}\n{}",
            marker("BEGIN", kind),
            lines.join("\n"),
            marker("END", kind)
        );
        let (clean, findings) = mask(format!("before\n{key}\nafter\n"));
        assert_eq!(
            clean.as_str(),
            "before\n[REDACTED:private-key]\n\n\n\n\nafter\n"
        );
        assert_eq!(
            findings,
            [Finding {
                line: 2,
                pattern: "private-key"
            }]
        );
    }
    check_unchanged(&format!(
        "{}\n...\n{}",
        marker("BEGIN", ""),
        marker("END", "")
    ));
    let quoted = format!(
        "{}\\n{}\\n{}",
        marker("BEGIN", ""),
        lines.join("\\n"),
        marker("END", "")
    );
    check("{\"key\": \"{}\"}", &quoted, "private-key");
    let cut_off = format!("{}\n{}", marker("BEGIN", "RSA "), lines.join("\n"));
    let (clean, _) = mask(format!("{cut_off}\n\nSome prose.\n"));
    assert_eq!(
        clean.as_str(),
        "[REDACTED:private-key]\n\n\n\n\nSome prose.\n"
    );
}

#[test]
fn findings_name_pattern_and_line_only() {
    let text = format!(
        "# Keys\n\nghp_{}\nnothing\npassword: {}\n",
        letters(1, 36),
        password()
    );
    let (_, findings) = mask(text);
    let expected = [
        Finding {
            line: 3,
            pattern: "github-token",
        },
        Finding {
            line: 5,
            pattern: "password",
        },
    ];
    assert_eq!(findings, expected);
}

#[test]
fn clean_text_is_not_copied() {
    let text = String::from("A note about tokens, keys and passwords, without any of them.");
    let before = text.as_ptr();
    let (clean, _) = mask(text);
    assert_eq!(clean.as_ptr(), before);
}

#[test]
fn a_mask_may_uncover_its_neighbour() {
    // A body that repeats itself is a token by its vendor only.
    let first = "aB3dE6gH1".repeat(4);
    let second = Dice(2).text(shape::URL64, 22);
    let glued = format!("npm_{first}SG.{second}.{}", Dice(3).text(shape::URL64, 43));
    let (clean, _) = mask(glued);
    assert_eq!(
        clean.as_str(),
        "[REDACTED:npm-token][REDACTED:sendgrid-key]"
    );
}

/// Pieces from which a hostile note may be made.
#[rustfmt::skip]
const JOINTS: [&str; 84] = [
    "password", "PASS=", "token", "secret: ", "api_key", "\"", "'", "`", " = ", ": ", "://", "user:", "@",
    "-----BEGIN ", "PRIVATE KEY-----", "-----END ", "\n", "\r\n", "\\n", "Bearer ", "Authorization: Basic ",
    "curl -u ", "eyJ", ".", "ghp_", "sk-ant-api03-", "SG.", "AKIA", "0x", "wallet", "|", "<", "</", ">",
    "[REDACTED:", "]", "\\", "…", "é", "ß", "--", "8Q~", ":AA", "-us1", "=", "machine login ", "password:: ",
    "pw:", "pass:", " is ", "|---|\n", "| password |\n", "user,password\n", ",", ";", "\t", " ", "\u{200b}", "**",
    "%5F", "\\_", "<wbr>", "seed ", "abandon ", "zebra ", "card ", "4111 1111 1111 1111", "MII", "mysql -p",
    "Login: ", " / ", "{{", "${", "}}", "Private-Lines: 3\n", "key ", "- ", "## ", "```\n", "пароль: ",
    "கடவுச்சொல்: ", "🙂", "[", "(",
];

fn fragment() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(JOINTS.to_vec()).prop_map(str::to_owned),
        3 => "[A-Za-z0-9+/_-]{1,70}",
        1 => "\\PC{0,8}",
        2 => any::<u64>().prop_map(a_token),
    ]
}

fn a_token(seed: u64) -> String {
    let mut dice = Dice(seed);
    let token = &TOKENS[dice.below(TOKENS.len())];
    let head = token.heads[dice.below(token.heads.len())];
    dice.token(token, head)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn masking_keeps_lines_and_is_idempotent(fragments in prop::collection::vec(fragment(), 0..24)) {
        let text = fragments.concat();
        let (clean, findings) = mask(text.clone());
        prop_assert_eq!(clean.matches('\n').count(), text.matches('\n').count());
        prop_assert_eq!(findings.is_empty(), clean.as_str() == text);
        let n_lines = text.matches('\n').count() as u32 + 1;
        prop_assert!(findings.iter().all(|finding| (1..=n_lines).contains(&finding.line)));
        let (again, more) = mask(clean.as_str().to_owned());
        prop_assert_eq!(again, clean);
        prop_assert_eq!(more, []);
    }

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        let (clean, _) = mask(text.clone());
        prop_assert_eq!(clean.matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn text_without_keywords_is_unchanged(text in "[ b-dhlnoq-uvz,.!?\n]{0,400}") {
        let (clean, _) = mask(text.clone());
        prop_assert_eq!(clean.as_str(), text);
    }
}
