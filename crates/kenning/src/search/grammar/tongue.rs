//! How each language speaks of time. A further language is one more row.
//!
//! Everything is written as it is compared: lower case, without accents (see `fold`).

/// One language's words for time.
pub(super) struct Tongue {
    /// January to December: name and short forms.
    pub(super) months: [&'static [&'static str]; 12],
    /// Monday to Sunday.
    pub(super) weekdays: [&'static [&'static str]; 7],
    /// Winter, spring, summer, autumn, in the order they begin in a year, winter before all.
    pub(super) seasons: [&'static [&'static str]; 4],
    /// Day, week, month, year, in every form they are counted in.
    pub(super) units: [&'static [&'static str]; 4],
    /// One to twelve, in every form.
    pub(super) numbers: [&'static [&'static str]; 12],
    /// Days by their distance from today.
    pub(super) days: &'static [(&'static str, i32)],
    /// "this" week.
    pub(super) this: &'static [&'static str],
    /// "last" week.
    pub(super) last: &'static [&'static str],
    /// Stands behind "two weeks".
    pub(super) ago_behind: &'static [&'static str],
    /// Stands before "zwei Wochen".
    pub(super) ago_before: &'static [&'static str],
    /// Stands before the first day that counts.
    pub(super) since: &'static [&'static str],
    /// Stands before the first day that does not.
    pub(super) before: &'static [&'static str],
    /// Stands before a time that something was in.
    pub(super) within: &'static [&'static str],
    /// "between" one time "and" another, "from" one "to" another.
    pub(super) ranges: &'static [(&'static str, &'static str)],
    /// What may stand between those and the time: articles, "year".
    pub(super) fillers: &'static [&'static str],
    /// What is asked about a time without saying what about: "what happened", "notes from".
    pub(super) asking: &'static [&'static str],
}

/// Every language.
pub(super) const TONGUES: [Tongue; 2] = [
    Tongue {
        months: [
            &["january", "jan"],
            &["february", "feb"],
            &["march", "mar"],
            &["april", "apr"],
            &["may"],
            &["june", "jun"],
            &["july", "jul"],
            &["august", "aug"],
            &["september", "sep", "sept"],
            &["october", "oct"],
            &["november", "nov"],
            &["december", "dec"],
        ],
        weekdays: [
            &["monday"],
            &["tuesday"],
            &["wednesday"],
            &["thursday"],
            &["friday"],
            &["saturday"],
            &["sunday"],
        ],
        seasons: [&["winter"], &["spring"], &["summer"], &["autumn", "fall"]],
        units: [
            &["day", "days"],
            &["week", "weeks"],
            &["month", "months"],
            &["year", "years"],
        ],
        numbers: [
            &["a", "an", "one"],
            &["two"],
            &["three"],
            &["four"],
            &["five"],
            &["six"],
            &["seven"],
            &["eight"],
            &["nine"],
            &["ten"],
            &["eleven"],
            &["twelve"],
        ],
        days: &[("today", 0), ("yesterday", -1), ("tomorrow", 1)],
        this: &["this"],
        last: &["last", "previous", "past"],
        ago_behind: &["ago"],
        ago_before: &[],
        since: &["since"],
        before: &["before"],
        within: &["in", "during", "on", "from", "for"],
        ranges: &[("between", "and"), ("from", "to"), ("from", "until")],
        fillers: &["the", "year", "month", "of"],
        asking: &[
            "note",
            "notes",
            "noted",
            "happen",
            "happened",
            "did",
            "do",
            "done",
            "write",
            "wrote",
            "written",
            "work",
            "worked",
            "new",
            "change",
            "changed",
            "changes",
            "edit",
            "edited",
            "add",
            "added",
            "create",
            "created",
            "modified",
            "everything",
            "anything",
            "find",
            "show",
            "list",
            "entries",
            "entry",
            "journal",
            "summary",
            "go",
            "going",
        ],
    },
    Tongue {
        months: [
            &["januar", "jan", "janner"],
            &["februar", "feb", "feber"],
            &["marz", "maerz", "mrz"],
            &["april", "apr"],
            &["mai"],
            &["juni", "jun"],
            &["juli", "jul"],
            &["august", "aug"],
            &["september", "sep", "sept"],
            &["oktober", "okt"],
            &["november", "nov"],
            &["dezember", "dez"],
        ],
        weekdays: [
            &["montag"],
            &["dienstag"],
            &["mittwoch"],
            &["donnerstag"],
            &["freitag"],
            &["samstag", "sonnabend"],
            &["sonntag"],
        ],
        seasons: [
            &["winter"],
            &["fruhling", "fruehling", "fruhjahr", "fruehjahr"],
            &["sommer"],
            &["herbst"],
        ],
        units: [
            &["tag", "tage", "tagen"],
            &["woche", "wochen"],
            &["monat", "monate", "monaten"],
            &["jahr", "jahre", "jahren"],
        ],
        numbers: [
            &["ein", "eine", "einem", "einen", "einer"],
            &["zwei"],
            &["drei"],
            &["vier"],
            &["funf", "fuenf"],
            &["sechs"],
            &["sieben"],
            &["acht"],
            &["neun"],
            &["zehn"],
            &["elf"],
            &["zwolf", "zwoelf"],
        ],
        days: &[
            ("heute", 0),
            ("gestern", -1),
            ("vorgestern", -2),
            ("morgen", 1),
        ],
        this: &["diese", "diesem", "diesen", "dieser", "dieses"],
        last: &[
            "letzte",
            "letztem",
            "letzten",
            "letzter",
            "letztes",
            "vorige",
            "vorigem",
            "vorigen",
            "voriger",
            "voriges",
            "vergangene",
            "vergangenem",
            "vergangenen",
            "vergangener",
            "vergangenes",
        ],
        ago_behind: &[],
        ago_before: &["vor"],
        since: &["seit", "ab"],
        before: &["vor"],
        within: &["im", "in", "am", "vom", "von", "wahrend", "fur", "aus"],
        ranges: &[("zwischen", "und"), ("von", "bis"), ("vom", "bis")],
        fillers: &["der", "den", "dem", "des", "jahr", "jahre", "monat", "zum"],
        asking: &[
            "notiz",
            "notizen",
            "notiert",
            "passiert",
            "passierte",
            "geschah",
            "geschehen",
            "gemacht",
            "geschrieben",
            "gearbeitet",
            "neu",
            "neues",
            "geandert",
            "anderungen",
            "bearbeitet",
            "erstellt",
            "alles",
            "zeig",
            "zeige",
            "finde",
            "eintrag",
            "eintrage",
            "tagebuch",
            "habe",
            "haben",
            "war",
            "los",
        ],
    },
];

/// Whether some language says it so.
pub(super) fn says(word: &str, list: impl Fn(&'static Tongue) -> &'static [&'static str]) -> bool {
    TONGUES.iter().any(|tongue| list(tongue).contains(&word))
}

/// Returns the place of the list that has the word, in whichever language.
pub(super) fn place<const N: usize>(
    word: &str,
    lists: impl Fn(&'static Tongue) -> &'static [&'static [&'static str]; N],
) -> Option<usize> {
    TONGUES
        .iter()
        .find_map(|tongue| lists(tongue).iter().position(|list| list.contains(&word)))
}
