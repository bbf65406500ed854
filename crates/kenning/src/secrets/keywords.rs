//! The prefilter: one pass over the text that finds the places where a credential could begin.
//!
//! Every keyword has at least three bytes. The pass keeps the last three bytes, folded to five bits each (which
//! also folds case), and looks the number up in a table made by the compiler: about one cycle a byte, and nothing
//! to build when the program starts.

use super::names::Kind;
use super::vendors::{self, TOKENS};
use super::{command, pem};

/// Who looks at the neighbourhood of a keyword.
#[derive(Debug, Clone, Copy)]
pub(super) enum Detector {
    /// The token with this position in the vendor table.
    Token(u16),
    /// The name in `name = value`.
    Name(Kind),
    /// `scheme://user:password@host`.
    Url,
    /// `Bearer value`.
    Bearer,
    /// An `Authorization` header.
    Authorization,
    /// `curl -u user:password`.
    Curl,
    /// The first line of a private key.
    Pem,
    /// The body of a private key without its frame.
    PemBody,
    /// The private lines of a PuTTY key.
    Putty,
    /// Sixty-four hexadecimal digits near the word wallet.
    EthereumKey,
    /// The program with this position in the table of commands.
    Command(u16),
    /// `Login: name / password`.
    Pair,
    /// The number of a payment card nearby.
    Card,
    /// A recovery phrase behind the word.
    Phrase,
    /// `echo password | program`.
    Printed,
    /// `program <<< password`.
    Here,
    /// A number that opens something.
    Pin,
}

/// A text that a credential begins with, or that stands before one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keyword {
    pub(super) text: &'static str,
    pub(super) detector: Detector,
    /// Words are found in any case, vendors' prefixes only as the vendor writes them.
    is_word: bool,
}

const fn word(text: &'static str, detector: Detector) -> Keyword {
    Keyword {
        text,
        detector,
        is_word: true,
    }
}

const fn password(text: &'static str) -> Keyword {
    word(text, Detector::Name(Kind::Password))
}

/// A password in a language that puts endings on words.
const fn foreign(text: &'static str) -> Keyword {
    word(text, Detector::Name(Kind::Word))
}

const fn key(text: &'static str) -> Keyword {
    word(text, Detector::Name(Kind::Key))
}

const fn pair(text: &'static str) -> Keyword {
    word(text, Detector::Pair)
}

const fn card(text: &'static str) -> Keyword {
    word(text, Detector::Card)
}

const fn phrase(text: &'static str) -> Keyword {
    word(text, Detector::Phrase)
}

const fn pin(text: &'static str) -> Keyword {
    word(text, Detector::Pin)
}

// Letters beyond ASCII are compared as they are, so that words which begin with one stand here in each case.
#[rustfmt::skip]
const WORDS: &[Keyword] = &[
    password("password"), password("passwd"), password("passphrase"), password("passcode"), password("pwd"),
    password("psw"), password("_pass"), password("-pass"), password("identified by"), password("sshpass -p"),
    word("pass", Detector::Name(Kind::Pass)), word("pw:", Detector::Name(Kind::Pass)),
    word("pw=", Detector::Name(Kind::Pass)), word("pw ", Detector::Name(Kind::Pass)),
    word("pw*", Detector::Name(Kind::Pass)), word("pw|", Detector::Name(Kind::Pass)),
    word("pw\t", Detector::Name(Kind::Pass)), word("pw\n", Detector::Name(Kind::Pass)),
    word("pw,", Detector::Name(Kind::Pass)), word("pw;", Detector::Name(Kind::Pass)),
    word("pw\"", Detector::Name(Kind::Pass)),
    // Arabic, Danish, Dutch, Finnish, French, German, Greek, Hungarian, Italian, Norwegian, Portuguese, Romanian,
    // Russian, Spanish, Swedish, Tamil, Turkish; Czech and Polish.
    foreign("كلمة المرور"), foreign("كلمة السر"), foreign("كلمة مرور"), foreign("الرقم السري"),
    foreign("adgangskode"), foreign("kodeord"), foreign("wachtwoord"), foreign("salasana"),
    foreign("mot de passe"), foreign("mdp"), foreign("passwort"), foreign("kennwort"),
    foreign("κωδικός"), foreign("Κωδικός"), foreign("ΚΩΔΙΚΟΣ"), foreign("κωδικό"), foreign("συνθηματικό"), foreign("Συνθηματικό"),
    foreign("jelszó"), foreign("jelszava"), foreign("parola"), foreign("parolă"), foreign("passord"),
    foreign("senha"), foreign("palavra-passe"), foreign("palavra passe"),
    foreign("пароль"), foreign("Пароль"), foreign("ПАРОЛЬ"), foreign("пароля"),
    foreign("contraseña"), foreign("CONTRASEÑA"), foreign("contrasena"), foreign("lösenord"), foreign("LÖSENORD"),
    foreign("heslo"), foreign("hasło"), foreign("கடவுச்சொல்"), foreign("şifre"), foreign("Şifre"), foreign("ŞİFRE"), foreign("sifre"),
    foreign("zugangscode"), foreign("zugangswort"), foreign("toegangscode"), foreign("code d'accès"), foreign("código de ac"),
    foreign("codice di accesso"), foreign("codice d'accesso"), foreign("код доступа"), foreign("Код доступа"),
    foreign("clave de acceso"), foreign("clave del"), foreign("clave de la"), foreign("clave wifi"), foreign("clave:"),
    foreign("pääsykoodi"), foreign("hozzáférési kód"), foreign("erişim kodu"), foreign("رمز الدخول"), foreign("رمز المرور"),
    word("secret", Detector::Name(Kind::Secret)),
    word("credential", Detector::Name(Kind::Secret)),
    word("token", Detector::Name(Kind::Token)),
    word("_pat", Detector::Name(Kind::Token)),
    word("tkn", Detector::Name(Kind::Token)),
    word("jeton", Detector::Name(Kind::Token)),
    word("токен", Detector::Name(Kind::Token)),
    key("key"), key("schlüssel"), key("clé"), key("clef"), key("clave"), key("chiave"), key("chave"), key("sleutel"), key("nyckel"),
    key("nøgle"), key("nøkkel"), key("avain"), key("kulcs"), key("cheie"), key("anahtar"), key("ключ"), key("Ключ"),
    key("κλειδί"), key("Κλειδί"), key("مفتاح"), key("திறவுகோல்"),
    word("access", Detector::Name(Kind::Near)),
    word("private", Detector::Name(Kind::Near)),
    word("unseal", Detector::Name(Kind::Near)),
    word("totp", Detector::Name(Kind::Near)),
    word("signature", Detector::Name(Kind::Signature)),
    word("auth", Detector::Name(Kind::Auth)),
    word("sonar.login", Detector::Name(Kind::Auth)),
    word("sonar_login", Detector::Name(Kind::Auth)),
    word("account_id", Detector::Name(Kind::Account)),
    word("client_id", Detector::Name(Kind::Account)),
    word("tenant_id", Detector::Name(Kind::Account)),
    word("access_id", Detector::Name(Kind::Account)),
    word("accessid", Detector::Name(Kind::Account)),
    word("contribsys__com", Detector::Name(Kind::Bundle)),
    pair("login"), pair("logon"), pair("user"), pair("account"), pair("creds"), pair("credential"), pair("zugang"),
    pair("benutzer"), pair("anmeld"), pair("utilisateur"), pair("identifiant"), pair("usuario"), pair("usuário"),
    pair("utente"), pair("gebruiker"), pair("bruger"), pair("bruker"), pair("användar"), pair("käyttäj"), pair("tunnus"),
    pair("felhaszn"), pair("utilizator"), pair("kullanıcı"), pair("логин"), pair("Логин"), pair("пользовател"),
    pair("Пользовател"), pair("χρήστη"), pair("Χρήστη"), pair("المستخدم"), pair("பயனர்"),
    card("card"), card("visa"), card("amex"), card("karte"), card("carte"), card("tarjeta"), card("carta"),
    card("cartão"), card("kaart"), card("kort"), card("kártya"), card("карт"), card("Карт"), card("κάρτα"), card("Κάρτα"),
    card("بطاقة"), card("அட்டை"), card("kredi kart"),
    phrase("seed"), phrase("mnemonic"), phrase("recovery phrase"), phrase("backup phrase"), phrase("secret phrase"),
    phrase("wallet"), phrase("bip39"), phrase("bip-39"), phrase("wiederherstellung"), phrase("récupération"),
    phrase("recuperaci"), phrase("recupero"),
    pin("pin"), pin("puk"), pin("passcode"), pin("geheimzahl"), pin("digicode"), pin("tunnusluku"), pin("door code"),
    pin("gate code"), pin("alarm code"), pin("lock code"), pin("safe code"), pin("entry code"), pin("keypad code"),
    pin("türcode"), pin("alarmcode"), pin("deurcode"), pin("portkod"), pin("dörrkod"), pin("dørkode"), pin("ovikoodi"),
    pin("code de la porte"), pin("code porte"), pin("código de la puerta"), pin("código da porta"), pin("kapı kodu"),
    pin("пин"), pin("Пин"), pin("ПИН"), pin("код домофона"), pin("Код домофона"), pin("الرقم السري"), pin("رمز الباب"),
    word("echo ", Detector::Printed), word("printf ", Detector::Printed), word("<<<", Detector::Here),
    word("://", Detector::Url),
    word("bearer", Detector::Bearer),
    word("authorization", Detector::Authorization),
    word("curl ", Detector::Curl),
    word("-----begin", Detector::Pem),
    word("private-lines:", Detector::Putty),
    word("wallet", Detector::EthereumKey),
    word("private key", Detector::EthereumKey),
    word("ethereum", Detector::EthereumKey),
];

const N_KEYWORDS: usize =
    WORDS.len() + command::n_names() + pem::BODY_HEADS.len() + vendors::n_heads();

static KEYWORDS: [Keyword; N_KEYWORDS] = keywords();

const fn keywords() -> [Keyword; N_KEYWORDS] {
    let mut table = [WORDS[0]; N_KEYWORDS];
    let mut filled = 0;
    // Tokens come last, and the last entry of a bucket is tried first: a vendor's name beats a general one.
    while filled < WORDS.len() {
        table[filled] = WORDS[filled];
        filled += 1;
    }
    let mut program = 0;
    while program < command::n_names() {
        table[filled] = word(command::name(program), Detector::Command(program as u16));
        filled += 1;
        program += 1;
    }
    let mut body = 0;
    while body < pem::BODY_HEADS.len() {
        table[filled] = Keyword {
            text: pem::BODY_HEADS[body],
            detector: Detector::PemBody,
            is_word: false,
        };
        filled += 1;
        body += 1;
    }
    let mut token = 0;
    while token < TOKENS.len() {
        let heads = TOKENS[token].heads;
        let mut head = 0;
        while head < heads.len() {
            table[filled] = Keyword {
                text: heads[head],
                detector: Detector::Token(token as u16),
                is_word: false,
            };
            filled += 1;
            head += 1;
        }
        token += 1;
    }
    table
}

const N_BUCKETS: usize = 1 << 15;

/// The last keyword of each bucket, plus one; zero for none.
static FIRST: [u16; N_BUCKETS] = buckets().0;
/// The keyword before this one in the same bucket, plus one.
static NEXT: [u16; N_KEYWORDS] = buckets().1;

const fn buckets() -> ([u16; N_BUCKETS], [u16; N_KEYWORDS]) {
    let mut first = [0; N_BUCKETS];
    let mut next = [0; N_KEYWORDS];
    let table = keywords();
    let mut index = 0;
    while index < N_KEYWORDS {
        let text = table[index].text.as_bytes();
        let bucket = roll(roll(roll(0, text[0]), text[1]), text[2]);
        next[index] = first[bucket];
        first[bucket] = index as u16 + 1;
        index += 1;
    }
    (first, next)
}

/// The fourth byte of each keyword, folded like the others: it rules out most of a bucket without a comparison.
/// Keywords of three bytes have none.
static FOURTH: [u8; N_KEYWORDS] = fourths();

const NO_FOURTH: u8 = 32;

const fn fourths() -> [u8; N_KEYWORDS] {
    let mut fourths = [NO_FOURTH; N_KEYWORDS];
    let table = keywords();
    let mut index = 0;
    while index < N_KEYWORDS {
        let text = table[index].text.as_bytes();
        if text.len() > 3 {
            fourths[index] = text[3] & 31;
        }
        index += 1;
    }
    fourths
}

const fn roll(window: usize, byte: u8) -> usize {
    ((window << 5) | (byte & 31) as usize) & (N_BUCKETS - 1)
}

/// Returns the first position at or after `from` where a keyword may stand, and the keywords to try there.
pub(super) fn next(text: &[u8], from: usize) -> Option<(usize, Bucket)> {
    let tail = text.get(from..)?;
    let (&[first, second], rest) = tail.split_first_chunk::<2>()?;
    let mut window = roll(roll(0, first), second);
    for (offset, &byte) in rest.iter().enumerate() {
        window = roll(window, byte);
        if FIRST[window] != 0 {
            return Some((
                from + offset,
                Bucket {
                    entry: FIRST[window],
                },
            ));
        }
    }
    None
}

/// The keywords that share their first three bytes, up to folding.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket {
    entry: u16,
}

impl Bucket {
    /// Returns the next keyword of the bucket that `text` really begins with.
    pub(super) fn next_in(&mut self, text: &[u8]) -> Option<&'static Keyword> {
        let seen = text.get(3).map_or(NO_FOURTH, |byte| byte & 31);
        while self.entry != 0 {
            let index = self.entry as usize - 1;
            self.entry = NEXT[index];
            let is_likely = FOURTH[index] == seen || FOURTH[index] == NO_FOURTH;
            if is_likely && KEYWORDS[index].begins(text) {
                return Some(&KEYWORDS[index]);
            }
        }
        None
    }
}

impl Keyword {
    fn begins(&self, text: &[u8]) -> bool {
        let Some(seen) = text.get(..self.text.len()) else {
            return false;
        };
        if self.is_word {
            seen.eq_ignore_ascii_case(self.text.as_bytes())
        } else {
            seen == self.text.as_bytes()
        }
    }
}

/// Lists the vendor tokens whose head `text` begins with, each with the length of the head.
pub(super) fn tokens_at(text: &[u8]) -> impl Iterator<Item = (u16, usize)> + '_ {
    let mut bucket = match text {
        [first, second, third, ..] => Bucket {
            entry: FIRST[roll(roll(roll(0, *first), *second), *third)],
        },
        _ => Bucket { entry: 0 },
    };
    std::iter::from_fn(move || bucket.next_in(text)).filter_map(|keyword| match keyword.detector {
        Detector::Token(token) => Some((token, keyword.text.len())),
        _ => None,
    })
}
