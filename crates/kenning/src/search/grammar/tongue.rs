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
    /// Of those, the ones that reach up to today: the "past" week.
    pub(super) past: &'static [&'static str],
    /// Stands behind "two weeks".
    pub(super) ago_behind: &'static [&'static str],
    /// Stands before "zwei Wochen".
    pub(super) ago_before: &'static [&'static str],
    /// Stands before the first day that counts.
    pub(super) since: &'static [&'static str],
    /// Stands before a time that is over when it begins.
    pub(super) after: &'static [&'static str],
    /// Stands before the first day that does not count.
    pub(super) before: &'static [&'static str],
    /// Stands before a time that counts to its end.
    pub(super) until: &'static [&'static str],
    /// The same, but it stands before much else.
    pub(super) by: &'static [&'static str],
    /// Of those, the ones that may stand before what happened then: "since the move in June 2023".
    pub(super) reaching: &'static [&'static str],
    /// Stands before "the move in June" where it is one that everybody knows of.
    pub(super) known: &'static [&'static str],
    /// The beginning, the middle and the end of a time.
    pub(super) parts: [&'static [&'static str]; 3],
    /// Stands behind a time that something began in.
    pub(super) onward: &'static [&'static str],
    /// Stands behind a time that something ended in.
    pub(super) backward: &'static [&'static str],
    /// "from" a time "on".
    pub(super) from_on: &'static [(&'static str, &'static str)],
    /// Stands before a time that something was in.
    pub(super) within: &'static [&'static str],
    /// "between" one time "and" another, "from" one "to" another.
    pub(super) ranges: &'static [(&'static str, &'static str)],
    /// Joins two times that nothing opens: 2022 "to" 2024.
    pub(super) to: &'static [&'static str],
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
        past: &["past"],
        ago_behind: &["ago"],
        ago_before: &[],
        since: &[
            "since",
            "starting",
            "starting in",
            "starting from",
            "beginning in",
            "beginning with",
            "not before",
            "no earlier than",
            "not earlier than",
        ],
        after: &["after", "later than", "newer than", "following"],
        before: &["before", "prior to", "earlier than", "older than"],
        until: &[
            "until",
            "till",
            "til",
            "up to",
            "up until",
            "through",
            "not after",
            "no later than",
            "not later than",
        ],
        by: &["by"],
        reaching: &["since", "after", "before", "until", "till"],
        known: &["the", "my", "our", "his", "her", "their"],
        parts: [
            &["beginning", "start", "early"],
            &["middle", "mid"],
            &["end", "late"],
        ],
        onward: &[
            "onward",
            "onwards",
            "or later",
            "and later",
            "or after",
            "and after",
            "or newer",
            "and newer",
            "and beyond",
        ],
        backward: &[
            "or earlier",
            "and earlier",
            "or before",
            "and before",
            "or older",
            "and older",
        ],
        from_on: &[("from", "on")],
        within: &[
            "in",
            "during",
            "on",
            "from",
            "for",
            "over",
            "within",
            "throughout",
        ],
        ranges: &[
            ("between", "and"),
            ("from", "to"),
            ("from", "until"),
            ("from", "till"),
            ("from", "through"),
        ],
        to: &["to", "until", "till", "through"],
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
        past: &[],
        ago_behind: &[],
        ago_before: &["vor"],
        since: &["seit", "ab", "nicht vor", "fruhestens"],
        after: &["nach", "spater als", "neuer als", "junger als"],
        before: &["vor", "fruher als", "alter als"],
        until: &[
            "bis",
            "bis zu",
            "bis zum",
            "bis einschliesslich",
            "nicht nach",
            "nicht spater als",
            "spatestens",
        ],
        // "nach Berlin", "vor dem Haus" and "bis Hamburg" are places.
        by: &[],
        reaching: &["seit"],
        known: &[],
        parts: [&["anfang", "beginn"], &["mitte"], &["ende"]],
        onward: &[
            "oder spater",
            "und spater",
            "oder danach",
            "und danach",
            "oder neuer",
            "und neuer",
        ],
        backward: &[
            "oder fruher",
            "und fruher",
            "oder davor",
            "und davor",
            "oder alter",
            "und alter",
        ],
        from_on: &[("von", "an"), ("vom", "an"), ("ab", "an")],
        within: &[
            "im",
            "in",
            "am",
            "vom",
            "von",
            "wahrend",
            "fur",
            "aus",
            "uber",
            "innerhalb",
        ],
        ranges: &[("zwischen", "und"), ("von", "bis"), ("vom", "bis")],
        to: &["bis"],
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

/// Returns how many words of a phrase in some language some words end with, the most if there are more.
pub(super) fn ends_with(
    words: &[&str],
    list: impl Fn(&'static Tongue) -> &'static [&'static str],
) -> Option<usize> {
    longest(list, |phrase| words.ends_with(phrase))
}

/// Returns how many words of a phrase in some language some words start with.
pub(super) fn starts_with(
    words: &[&str],
    list: impl Fn(&'static Tongue) -> &'static [&'static str],
) -> Option<usize> {
    longest(list, |phrase| words.starts_with(phrase))
}

fn longest(
    list: impl Fn(&'static Tongue) -> &'static [&'static str],
    is_there: impl Fn(&[&str]) -> bool,
) -> Option<usize> {
    let phrases = TONGUES.iter().flat_map(list);
    let lengths = phrases.filter_map(|phrase| {
        let words: Vec<&str> = phrase.split(' ').collect();
        is_there(&words).then_some(words.len())
    });
    lengths.max()
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
