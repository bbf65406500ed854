//! Credentials as people write them into notes: each kind in many spellings, each secret made when the test runs.

use super::super::mask;
use super::super::shape;
use super::{Dice, hex, letters};

/// Words for password in the languages of the stemmers, with the sign or word that follows.
const WORDS: [&str; 24] = [
    "كلمة المرور: ",
    "adgangskode: ",
    "Kodeord = ",
    "wachtwoord: ",
    "password: ",
    "Salasana: ",
    "Mot de passe : ",
    "mdp: ",
    "Passwort: ",
    "Kennwort = ",
    "κωδικός: ",
    "Κωδικός πρόσβασης: ",
    "Jelszó: ",
    "parola d'accesso: ",
    "passord: ",
    "senha: ",
    "Palavra-passe: ",
    "parolă: ",
    "Пароль: ",
    "contraseña: ",
    "Lösenord: ",
    "கடவுச்சொல்: ",
    "şifre: ",
    "Şifresi: ",
];

/// Where a password may stand; `{}` is its place.
const PASSWORDS: [&str; 49] = [
    "password:: {}",
    "- (password:: {}) for the shop",
    "[password:: {}] and more",
    "password: >\n  {}\nuser: jo",
    "password: |\n  {}\n",
    "password: >-\n    {}\n",
    "passwords:\n  - {}\n  - none\n",
    "passwords: [\"{}\", none]",
    "Password:\n{}\n\nNext paragraph.",
    "Password:\n\n    {}\n",
    "## Password\n\n{}\n",
    "**Password**\n`{}`\n",
    "The password of the router:\n```\n{}\n```\n",
    "| site | password |\n|---|---|\n| shop | {} |\n",
    "site | user | Password\n--- | --- | ---\nshop | jo | `{}`\n",
    "| name | Kennwort |\n|:--|--:|\n| router | **{}** |\n",
    "site,user,password\nshop,jo,{}\n",
    "user;password;url\njo;\"{}\";https://shop.example\n",
    "site\tpw\nshop\t{}\n",
    "pw: {}",
    "PW = {}",
    "wifi pw: {} since May",
    "pass: {}",
    "- pass={}",
    "*Password:* {}",
    "**Password:** {}",
    "__Password__: {}",
    "_password_: `{}`",
    "Password (wifi): {}",
    "the password is {}",
    "The password for the router is {}.",
    "my password for the shop was \"{}\" until May",
    "Das Passwort lautet {}",
    "le mot de passe est {}",
    "Login: jo / {}",
    "login jo / {}",
    "\"site\",\"password\"\n\"shop\",\"{}\"\n",
    "Password\n--------\n{}\n",
    "my pw for the shop: {}",
    "Password → {}",
    "ssh jo@host (password {})",
    "user jo pw {}",
    "login: jo@corp.net / {}",
    "user: jo, {}",
    "Creds: admin:{}",
    "mysql -u root -p{} shop",
    "mysqldump -p'{}' shop > shop.sql",
    "redis-cli -h cache -a {} ping",
    "sshpass -p{} ssh jo@host",
];

/// Where a token may stand.
const TOKENS: [&str; 24] = [
    "https://maps.corp.net/v1?key={}",
    "https://maps.corp.net/v1?zoom=3&key={}&x=1",
    "The key for the weather service is {}",
    "weather api key {}",
    "Token `{}` (production)",
    "secret {}",
    "My access token for the printer: {}",
    "acme_key = \"{}\"",
    "acmeToken: '{}'",
    "ACME_TOKEN={}",
    "x-acme-key: {}",
    "API-Schlüssel: {}",
    "clé API : {}",
    "clave de API: {}",
    "API ключ: {}",
    "| service | api key |\n|---|---|\n| maps | {} |\n",
    "service,token\nmaps,{}\n",
    "token:\n  {}\n",
    "{} is the API key",
    "API key\n{}\n",
    "## API key\n\n`{}`\n",
    "tokens:\n  - {}\n",
    "api_token:: {}",
    "secret: {{x}}{}",
];

fn check_gone(text: &str, secret: &str) -> bool {
    let (clean, findings) = mask(text.to_owned());
    let is_gone = !clean.contains(secret) && !findings.is_empty();
    if !is_gone {
        eprintln!("stayed in clear: {text:?} -> {:?}", clean.as_str());
    }
    is_gone
}

/// Passwords of several makes: letters and digits, with signs, with `${` inside.
fn passwords(seed: u64) -> [String; 4] {
    let mut dice = Dice(seed);
    let mut part = |length| dice.text(shape::ALNUM, length);
    [
        format!("Tr0u{}&3", part(5)),
        format!("{}!9", part(9)),
        format!("k7{}", part(10)),
        format!("K9${{{}#4m", part(6)),
    ]
}

/// Tokens of several alphabets.
fn random(seed: u64) -> [String; 4] {
    let mut dice = Dice(seed);
    [
        hex(seed, 32),
        letters(seed, 40),
        dice.text(shape::LOWNUM, 32),
        dice.text(shape::BASE64, 43) + "=",
    ]
}

#[test]
fn passwords_are_masked_as_people_write_them() {
    let mut n_kept = 0;
    let mut n_all = 0;
    for (seed, template) in PASSWORDS.iter().enumerate() {
        for secret in passwords(seed as u64 + 1) {
            n_all += 1;
            n_kept += usize::from(!check_gone(&template.replace("{}", &secret), &secret));
        }
    }
    for (seed, word) in WORDS.iter().enumerate() {
        for secret in passwords(seed as u64 + 100) {
            n_all += 1;
            n_kept += usize::from(!check_gone(&format!("{word}{secret}"), &secret));
        }
    }
    assert!(n_kept * 50 <= n_all, "{n_kept} of {n_all} stayed in clear");
}

#[test]
fn plain_words_are_passwords_beside_a_user() {
    let word = ["sun", "flower"].concat();
    for template in [
        "| user | password |\n|---|---|\n| jo | {} |\n",
        "site,login,password\nshop,jo,{}\n",
    ] {
        assert!(check_gone(&template.replace("{}", &word), &word));
    }
    for text in [
        "| field | password |\n|---|---|\n| length | sunflower |\n",
        "| user | password |\n|---|---|\n| string | required |\n| jo | `<password>` |\n",
    ] {
        assert_eq!(mask(text.to_owned()).0.as_str(), text);
    }
}

#[test]
fn random_values_are_masked_near_telling_words() {
    let mut n_kept = 0;
    let mut n_all = 0;
    for (seed, template) in TOKENS.iter().enumerate() {
        for secret in random(seed as u64 + 1) {
            n_all += 1;
            n_kept += usize::from(!check_gone(&template.replace("{}", &secret), &secret));
        }
    }
    assert!(n_kept * 50 <= n_all, "{n_kept} of {n_all} stayed in clear");
}

#[test]
fn what_cuts_a_token_does_not_hide_it() {
    let (head, tail) = (letters(3, 16) + "7a", "9Z".to_owned() + &letters(4, 18));
    for seam in [
        "\u{200b}",
        "\u{feff}",
        "\u{2060}",
        "\u{ad}",
        "**",
        "\n",
        "\r\n",
        "\\\n",
        "\n  ",
        "\u{200b}\u{200b}",
    ] {
        let text = format!("see ghp_{head}{seam}{tail}\nthen");
        let (clean, _) = mask(text.clone());
        assert!(
            !clean.contains(&head) && !clean.contains(&tail),
            "{clean:?}"
        );
        assert_eq!(clean.matches('\n').count(), text.matches('\n').count());
        assert!(clean.ends_with("then"), "{clean:?}");
    }
    for joint in ["\\_", "%5F", "%5f", "\u{200b}_", "**_**"] {
        let text = format!("see ghp{joint}{head}{tail} there");
        assert_eq!(mask(text).0.as_str(), "see [REDACTED:github-token] there");
    }
}

#[test]
fn keys_are_masked_without_their_frame() {
    let body = |head: &str| {
        let mut dice = Dice(9);
        let first = format!("{head}{}", dice.text(shape::BASE64, 64 - head.len()));
        let lines: Vec<String> = (0..6).map(|_| dice.text(shape::BASE64, 64)).collect();
        format!(
            "{first}\n{}\n{}==",
            lines.join("\n"),
            dice.text(shape::BASE64, 22)
        )
    };
    for head in [
        "MIIEvQIBADANBgkq",
        "MIIEpAIBAAKCAQEA",
        "b3BlbnNzaC1rZXktdjEA",
        "+q7/",
    ] {
        let body = body(head);
        let (clean, findings) = mask(format!("My key\n\n{body}\n\nThe end.\n"));
        assert_eq!(findings.len(), 1, "{head}: {clean:?}");
        assert!(body.lines().all(|line| !clean.contains(line)), "{clean:?}");
        assert!(clean.ends_with("\nThe end.\n"));
    }
    for head in [
        "MIIDdzCCAl+gAwIB",
        "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A",
        "iVBORw0KGgo",
    ] {
        let text = body(head);
        assert_eq!(mask(text.clone()).0.as_str(), text, "{head}");
    }
}

#[test]
fn recovery_phrases_are_masked() {
    let list: Vec<&str> = include_str!("../phrase.txt").split_whitespace().collect();
    for (seed, n_words) in [12, 15, 18, 21, 24, 12, 24].into_iter().enumerate() {
        let mut dice = Dice(seed as u64 + 40);
        let words: Vec<&str> = (0..n_words).map(|_| list[dice.below(list.len())]).collect();
        let numbered: String = words
            .iter()
            .enumerate()
            .map(|(n, word)| format!("{}. {word}\n", n + 1))
            .collect();
        for text in [
            format!("# Wallet\n\n{}\n\nend", words.join(" ")),
            format!("My seed phrase is {}. Keep it.", words.join(" ")),
            format!("Recovery phrase:\n\n{numbered}\nend"),
            format!("mnemonic = \"{}\"", words.join(" ")),
            format!("{}\n", words.join(" ")),
        ] {
            let (clean, findings) = mask(text.clone());
            assert_eq!(findings.len(), 1, "{text}");
            assert!(
                words[1..]
                    .windows(2)
                    .all(|two| !clean.contains(&two.join(" "))),
                "{clean:?}"
            );
        }
    }
    for text in [
        "the seed of this idea was planted when about half of them stayed to work on the garden fence",
        "top, top right, right, bottom right, bottom, bottom left, left, top left, top, top",
    ] {
        assert_eq!(mask(text.to_owned()).0.as_str(), text);
    }
}

#[test]
fn cards_are_masked_where_the_note_says_so() {
    let card = |first: &str, length: usize| {
        let body = format!(
            "{first}{}",
            Dice(5).text(shape::DIGIT, length - 1 - first.len())
        );
        let digit = (0..10)
            .map(|digit| format!("{body}{digit}"))
            .find(|number| super::super::card::is_card(number.as_bytes()));
        digit.expect("one of ten digits checks")
    };
    for (first, length) in [("4", 16), ("52", 16), ("37", 15), ("6011", 16)] {
        let number = card(first, length);
        let grouped = number
            .as_bytes()
            .chunks(4)
            .map(|four| String::from_utf8_lossy(four).into_owned());
        let grouped: Vec<String> = grouped.collect();
        for written in [number.clone(), grouped.join(" "), grouped.join("-")] {
            for template in [
                "Visa: {}",
                "my credit card is {}",
                "Kreditkarte {} bis 12/27",
                "| card |\n|---|\n| {} |\n",
                "{} (Mastercard)",
            ] {
                assert!(check_gone(&template.replace("{}", &written), &written));
            }
            let order = format!("order {written} of May");
            assert_eq!(mask(order.clone()).0.as_str(), order);
        }
    }
}

#[test]
fn what_only_looks_random_is_kept() {
    for text in [
        "The password must be 128-bit, see RFC-2898.",
        "The key is SHA-256 of the file, the token is a JWT.",
        "password is required, and was changed in 2024-05-01",
        "Passwort ist erforderlich",
        "Kubernetes stores a Secret in etcd; the token is mounted at /var/run/secrets/kubernetes.io/serviceaccount",
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db-secret\ntype: Opaque\n",
        "    secretKeyRef:\n      name: mysql-pass\n      key: password\n",
        "imagePullSecrets:\n- name: regcred\n",
        "key: value1\nkeys:\n  - name\n  - place\n",
        "The commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixes the password field",
        "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "checksum = \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
        "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "id: 550e8400-e29b-41d4-a716-446655440000",
        "gpg --recv-keys 9DC858229FC7DD38854AE2D88D81803C0EBFCD88",
        "The public key is AAAAB3NzaC1yc2EAAAADAQABAAABAQDU8",
        "color: #ff00aa; background: #1a2b3c4d",
        "ISBN 978-3-16-148410-0, a card game",
        "$e^{i\\pi} + 1 = 0$ and $\\sum_{k=1}^{n} k^2$",
        "![](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4)",
        "| option | password |\n|---|---|\n| type | string |\n| required | yes |\n",
        "user, password, and then the token\nare asked for, in this order, again\n",
        "Login: see the wiki / help page",
        "User: octocat/hello-world",
        "we pass `{{name}}` and ${value} to it",
        "the message msg_018gCsTGsXkYJVqYPxTgDHBU, request id: acme_018gCsTGsXkYJVqYPxTgDHBU",
        "| `--password` | E2E-Verschlüsselungspasswort (wird abgefragt) |",
        "password: {{ vault_password }}",
        "password: \"${DB_PASSWORD:-}\"",
        "token: <%= token %>",
    ] {
        assert_eq!(mask(text.to_owned()).0.as_str(), text);
    }
}
