//! The table of vendors' tokens: what each one begins with and what follows.
//!
//! To add a vendor, add a row: a head of at least three bytes that is rare in prose, then the parts after it.
//! Where the vendor documents a length, the row keeps it; what goes on longer is not a token.

use super::shape::{
    ALNUM, ALPHA, ANY_HEX, AZURE, BASE64, Class, DIGIT, DOT, EQUALS, HEX, LOWER, LOWNUM, OPAQUE,
    Part, QUERY64, UPNUM, URL64, WORD,
};

/// One vendor's token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) pattern: &'static str,
    /// The texts it may begin with.
    pub(super) heads: &'static [&'static str],
    /// What follows the head.
    pub(super) parts: &'static [Part],
    /// What stands before the head, where the head is not the beginning.
    pub(super) lead: Option<Lead>,
    /// Least entropy after the head, in tenths of a bit per byte.
    pub(super) entropy_min: u8,
    /// Whether letters may touch it on both sides: only for shapes that nothing else has.
    pub(super) is_glued: bool,
    /// Whether the head is a name beside the secret and stays readable.
    pub(super) is_named: bool,
}

/// A run in front of the head.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lead {
    pub(super) class: Class,
    pub(super) min: usize,
    pub(super) max: usize,
}

/// Placeholders such as `ghp_aaaa…` have less variety than this.
const ENTROPY_MIN: u8 = 25;

const fn token(
    pattern: &'static str,
    heads: &'static [&'static str],
    parts: &'static [Part],
) -> Token {
    Token {
        pattern,
        heads,
        parts,
        lead: None,
        entropy_min: ENTROPY_MIN,
        is_glued: false,
        is_named: false,
    }
}

impl Token {
    /// The head is so rare that even a body of equal letters counts.
    const fn loose(mut self) -> Token {
        self.entropy_min = 0;
        self
    }

    /// Words have this shape too; only a varied body counts.
    const fn varied(self) -> Token {
        self.entropy(30)
    }

    /// Sets the least entropy, in tenths of a bit per byte.
    const fn entropy(mut self, entropy_min: u8) -> Token {
        self.entropy_min = entropy_min;
        self
    }

    /// Says whether the row asks for more variety than usual.
    pub(super) const fn is_varied(&self) -> bool {
        self.entropy_min > ENTROPY_MIN
    }

    const fn glued(mut self) -> Token {
        self.is_glued = true;
        self
    }

    const fn named(mut self) -> Token {
        self.is_named = true;
        self
    }

    const fn led_by(mut self, class: Class, min: usize, max: usize) -> Token {
        self.lead = Some(Lead { class, min, max });
        self
    }
}

const fn run(class: Class, min: usize, max: usize) -> Part {
    Part::Run { class, min, max }
}

const fn text(literal: &'static str) -> Part {
    Part::Text(literal)
}

/// Long enough for every token in use; keeps a run from walking through megabytes.
const LONG: usize = 4096;
/// Nothing, and none of these bytes may follow.
const STOP: Part = run(URL64, 0, 0);
const PAD: Part = run(EQUALS, 0, 3);
const UUID: &[Part] = &[
    run(ANY_HEX, 8, 8),
    text("-"),
    run(ANY_HEX, 4, 4),
    text("-"),
    run(ANY_HEX, 4, 4),
    text("-"),
    run(ANY_HEX, 4, 4),
    text("-"),
    run(ANY_HEX, 12, 12),
];

// Of two rows with the same head, the later one is tried first.
#[rustfmt::skip]
pub(super) const TOKENS: &[Token] = &[
    // Language models.
    token("openai-key", &["sk-"], &[run(ALNUM, 32, 64)]).varied(),
    token("openai-key", &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], &[run(URL64, 40, 250)]).varied(),
    token("openai-session", &["sess-"], &[run(ALNUM, 40, 40)]).varied(),
    token("openrouter-key", &["sk-or-v1-"], &[run(HEX, 64, 64)]),
    token("anthropic-key", &["sk-ant-api0", "sk-ant-admin0"],
        &[run(DIGIT, 1, 1), text("-"), run(URL64, 95, 95), Part::Ends("AA")]),
    token("anthropic-key", &["sk-ant-"],
        &[run(LOWER, 3, 6), run(DIGIT, 2, 2), text("-"), run(URL64, 80, 130)]).entropy(50),
    token("huggingface-token", &["hf_", "api_org_"], &[run(ALPHA, 34, 34)]).varied(),
    token("groq-key", &["gsk_"], &[run(ALNUM, 52, 52)]),
    token("xai-key", &["xai-"], &[run(ALNUM, 70, 90)]),
    token("perplexity-key", &["pplx-"], &[run(ALNUM, 40, 64)]),
    token("replicate-token", &["r8_"], &[run(ALNUM, 37, 40)]),
    token("nvidia-key", &["nvapi-"], &[run(URL64, 60, 80)]),
    token("langsmith-key", &["lsv2_pt_", "lsv2_sk_"], &[run(HEX, 32, 32), text("_"), run(HEX, 10, 10)]),
    token("elevenlabs-key", &["sk_"], &[run(HEX, 48, 48)]),
    token("pinecone-key", &["pcsk_"], &[run(WORD, 50, 90)]),
    token("tavily-key", &["tvly-"], &[run(URL64, 24, 64)]).varied(),
    token("firecrawl-key", &["fc-"], &[run(HEX, 32, 32)]),
    // Code hosting, packages, builds.
    token("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], &[run(ALNUM, 36, 76)]),
    token("github-token", &["ghs_"],
        &[run(DIGIT, 4, 12), text("_"), text("eyJ"), run(URL64, 10, LONG), text("."), run(URL64, 10, LONG),
        text("."), run(URL64, 10, LONG)]),
    token("github-fine-grained-token", &["github_pat_"], &[run(WORD, 50, 100)]),
    token("gitlab-token", &["glpat-"],
        &[run(URL64, 27, 300), text("."), run(LOWNUM, 2, 2), Part::Maybe("."), run(LOWNUM, 7, 7)]),
    token("gitlab-token", &["glpat-", "gldt-", "glft-", "glsoat-", "glrt-", "glrtr-", "glffct-", "glimt-", "glcbt-"],
        &[run(URL64, 20, 26)]),
    token("gitlab-token", &["glrt-t"],
        &[run(DIGIT, 1, 1), text("_"), run(URL64, 20, 300), Part::Maybe("."), run(LOWNUM, 0, 2),
        Part::Maybe("."), run(LOWNUM, 0, 7)]),
    token("gitlab-token", &["glcbt-"], &[run(ALNUM, 1, 5), text("_"), run(URL64, 20, 20)]),
    token("gitlab-token", &["glptt-", "glagent-", "gloas-"], &[run(URL64, 40, 64)]),
    token("gitlab-token", &["GR1348941"], &[run(URL64, 20, 20)]),
    token("gitlab-session", &["_gitlab_session="], &[run(LOWNUM, 32, 32)]).named(),
    token("bitbucket-token", &["ATBB"], &[run(ALNUM, 32, 32)]).varied(),
    token("atlassian-token", &["ATATT3", "ATCTT3"], &[run(OPAQUE, 160, 220)]),
    token("npm-token", &["npm_"], &[run(ALNUM, 36, 36)]),
    token("pypi-token", &["pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"], &[run(URL64, 50, LONG)]),
    token("rubygems-token", &["rubygems_"], &[run(HEX, 48, 48)]),
    token("nuget-key", &["oy2"], &[run(LOWNUM, 43, 43)]).varied(),
    token("crates-token", &["cio"], &[run(ALNUM, 32, 32)]).varied(),
    token("clojars-token", &["CLOJARS_"], &[run(LOWNUM, 60, 60)]),
    token("docker-token", &["dckr_pat_", "dckr_oat_"], &[run(URL64, 27, 40)]),
    token("artifactory-key", &["AKCp"], &[run(ALNUM, 69, 69)]),
    token("artifactory-token", &["cmVmd"], &[run(ALNUM, 59, 59)]),
    token("buildkite-token", &["bkua_"], &[run(HEX, 40, 40)]),
    token("circleci-token", &["CCIPAT_", "CCIPRJ_"], &[run(ALNUM, 22, 22), text("_"), run(HEX, 40, 40)]),
    token("sonar-token", &["squ_", "sqp_", "sqa_"], &[run(ALNUM, 40, 40)]),
    token("sourcegraph-token", &["sgp_"], &[run(ANY_HEX, 40, 40)]).varied(),
    token("sourcegraph-token", &["sgp_local_"], &[run(ANY_HEX, 40, 40)]),
    token("sourcegraph-token", &["sgp_"], &[run(ANY_HEX, 16, 16), text("_"), run(ANY_HEX, 40, 40)]),
    token("sentry-token", &["sntryu_"], &[run(HEX, 64, 64)]),
    token("sentry-token", &["sntrys_eyJpYXQiO"], &[run(BASE64, 80, 400), PAD, text("_"), run(BASE64, 40, 50)]),
    token("snyk-token", &["snyk_uat.", "snyk_sat."], &[run(OPAQUE, 40, LONG)]),
    token("octopus-key", &["API-"], &[run(UPNUM, 26, 26)]).varied(),
    token("readme-key", &["rdme_"], &[run(LOWNUM, 70, 70)]),
    token("postman-key", &["PMAK-"], &[run(ANY_HEX, 24, 24), text("-"), run(ANY_HEX, 34, 34)]),
    token("linear-key", &["lin_api_", "lin_oauth_"], &[run(ALNUM, 40, 64)]),
    token("jetbrains-token", &["perm:", "perm-"],
        &[run(BASE64, 8, 200), PAD, text("."), run(BASE64, 4, 200), PAD, text("."), run(BASE64, 24, 60)]),
    token("trello-token", &["ATTA"], &[run(ANY_HEX, 64, 64)]),
    token("figma-token", &["figd_", "figo_", "figu_"], &[run(URL64, 40, 64)]),
    // Clouds.
    token("aws-key-id", &["AKIA", "ASIA", "ABIA", "ACCA"], &[run(UPNUM, 16, 16)]),
    token("aws-key-id", &["A3T"], &[run(UPNUM, 17, 17)]),
    token("aws-bedrock-key", &["ABSK"], &[run(BASE64, 109, 269), PAD]),
    token("aws-bedrock-key", &[concat!("bedrock-api-key-YmVkcm9jay5h", "bWF6b25hd3MuY29t")], &[run(BASE64, 0, LONG), PAD]).loose(),
    token("gcp-key", &["AIza"], &[run(URL64, 35, 35)]).varied(),
    token("google-oauth-secret", &["GOCSPX-"], &[run(URL64, 28, 28)]),
    token("google-oauth-token", &["ya29."], &[run(OPAQUE, 50, LONG)]),
    token("google-oauth-token", &["1//0"], &[run(URL64, 40, 120)]).varied(),
    token("firebase-key", &["AAAA"], &[run(URL64, 7, 7), text(":"), run(URL64, 140, 140)]),
    token("azure-client-secret", &["0Q~", "1Q~", "2Q~", "3Q~", "4Q~", "5Q~", "6Q~", "7Q~", "8Q~", "9Q~"],
        &[run(AZURE, 31, 34)])
        .led_by(AZURE, 3, 3),
    token("azure-sas", &["sig="], &[run(QUERY64, 40, 90)]).varied().named(),
    token("azure-devops-token", &["AZDO"], &[run(ALNUM, 4, 4)]).led_by(ALNUM, 76, 76),
    token("alibaba-key-id", &["LTAI"], &[run(ALNUM, 16, 24)]).varied(),
    token("yandex-key", &["AQVN"], &[run(URL64, 35, 38)]),
    token("yandex-key", &["YCA", "YCN", "YCM"], &[run(URL64, 37, 37)]).varied(),
    token("yandex-token", &["t1."], &[run(URL64, 1, LONG), PAD, text("."), run(URL64, 86, 86), PAD]),
    token("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], &[run(HEX, 64, 64)]),
    token("heroku-key", &["HRKU-AA"], &[run(URL64, 58, 58)]),
    token("heroku-key", &["HRKU-"], UUID),
    token("cloudflare-token", &["cfat_", "cfut_", "cfk_"], &[run(WORD, 48, 48)]),
    token("cloudflare-origin-key", &["v1.0-"], &[run(HEX, 24, 24), text("-"), run(HEX, 146, 146)]),
    token("cloudflare-turnstile-secret", &["0x4AAAAAA"], &[run(URL64, 22, 30)]),
    token("vercel-token", &["vcp_", "vci_", "vca_", "vcr_", "vck_"], &[run(ALNUM, 24, 60)]),
    token("netlify-token", &["nfp_", "nfc_", "nfo_"], &[run(ALNUM, 36, 40)]),
    token("flyio-token", &["fo1_"], &[run(URL64, 43, 43)]),
    token("flyio-token", &["fm1a_", "fm1r_", "fm2_"], &[run(BASE64, 100, LONG), PAD]),
    token("render-key", &["rnd_"], &[run(ALNUM, 28, 32)]),
    token("supabase-key", &["sbp_"], &[run(HEX, 40, 40)]),
    token("supabase-key", &["sb_secret_"], &[run(URL64, 28, 40)]),
    token("neon-key", &["napi_"], &[run(LOWNUM, 60, 70)]),
    token("planetscale-token", &["pscale_tkn_", "pscale_oauth_", "pscale_pw_"], &[run(OPAQUE, 32, 64)]),
    token("databricks-token", &["dapi", "dkea", "dsapi"],
        &[run(ANY_HEX, 32, 32), Part::Maybe("-"), run(DIGIT, 0, 1)]),
    token("clickhouse-key", &["4b1d"], &[run(ALNUM, 38, 38)]).varied(),
    token("terraform-token", &[".atlasv1."], &[run(URL64, 60, 70)]).led_by(ALNUM, 14, 14),
    token("vault-token", &["hvs.", "hvb.", "hvr."], &[run(URL64, 24, 400)]).varied(),
    token("doppler-token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        &[Part::Maybe("prd."), Part::Maybe("dev."), Part::Maybe("stg."), run(ALNUM, 40, 44)]),
    token("pulumi-token", &["pul-"], &[run(HEX, 40, 40)]),
    token("scalingo-token", &["tk-us-"], &[run(URL64, 48, 48)]),
    token("prefect-key", &["pnu_"], &[run(ALNUM, 36, 36)]),
    token("infracost-key", &["ico-"], &[run(ALNUM, 32, 32)]),
    token("harness-key", &["pat.", "sat."],
        &[run(URL64, 22, 22), text("."), run(HEX, 24, 24), text("."), run(ALNUM, 20, 20)]),
    token("openshift-token", &["sha256~"], &[run(URL64, 43, 43)]),
    token("tailscale-key", &["tskey-"],
        &[run(LOWER, 2, 12), text("-"), run(ALNUM, 10, 30), text("-"), run(ALNUM, 20, 60)]).loose(),
    token("defined-networking-token", &["dnkey-"], &[run(OPAQUE, 79, 79)]),
    token("authress-key", &["sc_", "ext_", "scauth_", "authress_"],
        &[run(LOWNUM, 5, 30), text("."), run(LOWNUM, 4, 6), text(".acc"), run(URL64, 10, 34), text("."),
        run(OPAQUE, 30, 120)]),
    // Watching and measuring.
    token("grafana-token", &["glc_"], &[run(BASE64, 32, 400), PAD]).varied(),
    token("grafana-token", &["glsa_"], &[run(ALNUM, 32, 32), text("_"), run(ANY_HEX, 8, 8)]),
    token("grafana-key", &["eyJrIjoi"], &[run(ALNUM, 70, 400), PAD]),
    token("dynatrace-token", &["dt0c01.", "dt0s01."], &[run(ALNUM, 24, 24), text("."), run(ALNUM, 64, 64)]),
    token("new-relic-key", &["NRAK-"], &[run(ALNUM, 27, 27)]),
    token("new-relic-key", &["NRJS-"], &[run(HEX, 19, 19)]),
    token("new-relic-key", &["NRII-"], &[run(URL64, 32, 32)]),
    token("posthog-key", &["phx_"], &[run(ALNUM, 40, 50)]),
    token("honeycomb-key", &["hcaik_", "hcxik_"], &[run(LOWNUM, 58, 58)]),
    // Talking.
    token("slack-token", &["xoxb-", "xoxa-", "xoxp-", "xoxo-"],
        &[run(DIGIT, 10, 14), text("-"), run(DIGIT, 10, 14), STOP]),
    token("slack-token", &["xoxb-", "xoxa-", "xoxp-", "xoxo-", "xoxs-", "xoxr-", "xoxe-"],
        &[run(DIGIT, 5, 14), text("-"), run(URL64, 12, 200)]),
    token("slack-token", &["xoxa-", "xoxr-"], &[run(DIGIT, 1, 1), text("-"), run(URL64, 8, 200)]).entropy(20),
    token("slack-token", &["xoxe.xoxp-", "xoxe.xoxb-", "xoxe-", "xoxc-", "xoxd-"],
        &[run(DIGIT, 1, 1), text("-"), run(URL64, 100, 250)]).varied(),
    token("slack-app-token", &["xapp-", "XAPP-"],
        &[run(DIGIT, 1, 1), text("-"), run(ALNUM, 8, 14), text("-"), run(DIGIT, 8, 16), Part::Maybe("-"),
        run(ALNUM, 0, 80)]),
    token("slack-webhook", &["hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"],
        &[run(BASE64, 24, 90)]).glued().named(),
    token("teams-webhook", &["webhook.office.com/webhookb2/"],
        &[run(LOWNUM, 8, 8), text("-"), run(URL64, 27, 27), text("@"), run(OPAQUE | BASE64, 40,
        300)]).glued().named(),
    token("teams-webhook", &["outlook.office.com/webhook/"],
        &[run(LOWNUM, 8, 8), text("-"), run(URL64, 27, 27), text("@"), run(OPAQUE | BASE64, 40,
        300)]).glued().named(),
    token("teams-webhook", &[".logic.azure.com"],
        &[Part::Maybe(":443"), text("/workflows/"), run(OPAQUE | BASE64, 24, 300)]).glued().named(),
    token("discord-webhook", &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
        &[run(DIGIT, 17, 20), text("/"), run(URL64, 60, 80)]).glued().named(),
    token("discord-token", DISCORD_HEADS,
        &[run(URL64, 20, 25), text("."), run(URL64, 6, 7), text("."), run(URL64, 27, 40)]),
    token("telegram-token", &[":AA"], &[run(URL64, 32, 33)]).led_by(DIGIT, 8, 10),
    token("twilio-key", TWILIO_HEADS, &[run(HEX, 31, 31)]),
    token("sendgrid-key", &["SG."], &[run(URL64, 22, 22), text("."), run(URL64, 43, 43)]).glued(),
    token("sendgrid-key", &["SG."], &[run(OPAQUE, 66, 66)]),
    token("sendinblue-key", &["xkeysib-", "xsmtpsib-"], &[run(HEX, 64, 64), text("-"), run(ALNUM, 16, 16)]),
    token("mailgun-key", &["key-", "pubkey-"], &[run(HEX, 32, 32)]),
    token("mailchimp-key", &["-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"],
        &[run(DIGIT, 0, 1)]).led_by(HEX, 32, 32),
    token("resend-key", &["re_"], &[run(ALNUM, 8, 8), text("_"), run(ALNUM, 24, 24)]).varied(),
    token("mattermost-webhook", &["/hooks/"], &[run(LOWNUM, 26, 26)]).varied().glued().named(),
    // Money and shops.
    token("stripe-key", &["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"],
        &[run(ALNUM, 24, 247)]).loose(),
    token("stripe-webhook-secret", &["whsec_"], &[run(BASE64, 32, 64)]),
    token("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_"], &[run(ALNUM, 32, 40)]),
    token("square-token", &["sq0atp-", "sq0csp-", "sq0idp-"], &[run(URL64, 22, 60)]),
    token("square-token", &["EAAA"], &[run(URL64, 60, 60)]),
    token("flutterwave-key", &["FLWSECK_TEST-", "FLWSECK-", "FLWPUBK_TEST-"], &[run(LOWNUM, 32, 32), text("-X")]),
    token("flutterwave-key", &["FLWSECK_TEST", "FLWSECK_TEST-"], &[run(LOWNUM, 12, 12)]),
    token("gocardless-token", &["live_", "sandbox_"], &[run(OPAQUE, 40, 40)]).varied(),
    token("lob-key", &["live_", "test_"], &[run(HEX, 35, 35)]),
    token("lob-key", &["live_pub_", "test_pub_"], &[run(HEX, 31, 31)]),
    token("plaid-token", &["access-sandbox-", "access-development-", "access-production-"], UUID),
    token("easypost-key", &["EZAK", "EZTK"], &[run(ALNUM, 54, 54)]),
    token("shippo-token", &["shippo_live_", "shippo_test_"], &[run(HEX, 40, 40)]),
    token("duffel-token", &["duffel_live_", "duffel_test_"], &[run(OPAQUE, 43, 43)]),
    // Passwords as systems keep them: not the password, but what guessing is tried on.
    token("password-hash", &["$2a$", "$2b$", "$2x$", "$2y$"], &[run(DIGIT, 2, 2), text("$"), run(BASE64 | DOT, 53, 53)]),
    token("password-hash", &["$1$"], &[run(BASE64 | DOT, 1, 8), text("$"), run(BASE64 | DOT, 22, 22)]),
    token("password-hash", &["$5$", "$6$"], &[run(BASE64 | DOT, 1, 16), text("$"), run(BASE64 | DOT, 43, 86)]),
    token("password-hash", &["$5$rounds=", "$6$rounds="],
        &[run(DIGIT, 1, 9), text("$"), run(BASE64 | DOT, 1, 16), text("$"), run(BASE64 | DOT, 43, 86)]),
    token("password-hash", &["$y$"], &[run(BASE64 | DOT, 2, 8), text("$"), run(BASE64 | DOT, 1, 86), text("$"),
        run(BASE64 | DOT, 43, 43)]),
    token("password-hash", &["$argon2i", "$argon2d"],
        &[Part::Maybe("d"), text("$v="), run(DIGIT, 1, 3), text("$m="), run(DIGIT, 1, 9), text(",t="), run(DIGIT, 1, 3),
        text(",p="), run(DIGIT, 1, 3), text("$"), run(BASE64, 8, 86), text("$"), run(BASE64, 16, 172)]),
    // Everything else.
    token("1password-token", &["ops_eyJ"], &[run(URL64 | BASE64, 200, LONG), PAD]).varied(),
    token("1password-secret-key", &["A3-"],
        &[run(UPNUM, 6, 6), text("-"), run(UPNUM, 11, 11), text("-"), run(UPNUM, 5, 5), text("-"), run(UPNUM, 5, 5),
        text("-"), run(UPNUM, 5, 5)]),
    token("1password-secret-key", &["A3-"],
        &[run(UPNUM, 6, 6), text("-"), run(UPNUM, 6, 6), text("-"), run(UPNUM, 5, 5), text("-"), run(UPNUM, 5, 5),
        text("-"), run(UPNUM, 5, 5), text("-"), run(UPNUM, 5, 5)]),
    token("age-secret-key", &["AGE-SECRET-KEY-1"], &[run(UPNUM, 58, 58)]).loose(),
    token("adobe-client-secret", &["p8e-", "P8E-"], &[run(ANY_HEX, 32, 32)]),
    token("airtable-token", &["pat"], &[run(ALNUM, 14, 14), text("."), run(HEX, 64, 64)]),
    token("beamer-token", &["b_0", "b_1", "b_2", "b_3", "b_4", "b_5", "b_6", "b_7", "b_8", "b_9"],
        &[run(OPAQUE, 43, 43)]).varied(),
    token("contentful-token", &["CFPAT-"], &[run(URL64, 43, 43)]),
    token("dropbox-token", &["sl."], &[run(URL64, 130, LONG)]),
    token("facebook-token", &["EAAM", "EAAC", "EAAB", "EAAG"], &[run(ALNUM, 100, 400)]),
    token("frameio-token", &["fio-u-"], &[run(OPAQUE, 64, 64)]),
    token("intra42-secret", &["s-s4t2ud-", "s-s4t2af-"], &[run(HEX, 64, 64)]),
    token("launchdarkly-key", &["sdk-", "api-", "mob-"], UUID),
    token("mapbox-token", &["sk.eyJ1", "tk.eyJ1"], &[run(URL64, 40, 120), text("."), run(URL64, 20, 30)]),
    token("mapbox-token", &["pk."], &[run(ALNUM, 60, 60), text("."), run(ALNUM, 22, 22)]),
    token("notion-token", &["ntn_"], &[run(DIGIT, 11, 11), run(ALNUM, 35, 35)]),
    token("notion-token", &["secret_"], &[run(ALNUM, 43, 43)]).varied(),
    token("settlemint-token", &["sm_pat_", "sm_aat_", "sm_sat_"], &[run(ALNUM, 16, 16)]),
    token("typeform-token", &["tfp_"], &[run(OPAQUE, 59, 59)]),
    token("jwt", &["eyJ", "ewog"],
        &[run(URL64, 10, LONG), text("."), text("ey"), run(URL64, 10, LONG), text("."), run(URL64, 0, LONG), PAD]),
];

/// The first three letters of a Discord bot token: its account number, in base64, begins with two digits.
const DISCORD_HEADS: &[&str] = &[
    "MTA", "MTE", "MTI", "MTM", "MTQ", "MTU", "MTY", "MTc", "MTg", "MTk", "MjA", "MjE", "MjI",
    "MjM", "MjQ", "MjU", "MjY", "Mjc", "Mjg", "Mjk", "MzA", "MzE", "MzI", "MzM", "MzQ", "MzU",
    "MzY", "Mzc", "Mzg", "Mzk", "NDA", "NDE", "NDI", "NDM", "NDQ", "NDU", "NDY", "NDc", "NDg",
    "NDk", "NTA", "NTE", "NTI", "NTM", "NTQ", "NTU", "NTY", "NTc", "NTg", "NTk", "NjA", "NjE",
    "NjI", "NjM", "NjQ", "NjU", "NjY", "Njc", "Njg", "Njk", "NzA", "NzE", "NzI", "NzM", "NzQ",
    "NzU", "NzY", "Nzc", "Nzg", "Nzk", "ODA", "ODE", "ODI", "ODM", "ODQ", "ODU", "ODY", "ODc",
    "ODg", "ODk", "OTA", "OTE", "OTI", "OTM", "OTQ", "OTU", "OTY", "OTc", "OTg", "OTk",
];

const TWILIO_HEADS: &[&str] = &[
    "SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc",
    "SKd", "SKe", "SKf",
];

/// Counts the heads of the table.
pub(super) const fn n_heads() -> usize {
    let mut count = 0;
    let mut token = 0;
    while token < TOKENS.len() {
        count += TOKENS[token].heads.len();
        token += 1;
    }
    count
}
