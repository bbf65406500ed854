//! Queries into requests.

use insta::assert_snapshot;
use jiff::civil::date;

use super::super::parse;

/// Shows a request on one line: words, `|`, filter, then what else there is. Today is Thursday,
/// 5 March 2026.
fn check(text: &str) -> String {
    let request = parse(text, date(2026, 3, 5));
    let mut out = request.words;
    if request.is_prefix {
        out.push('*');
    }
    if let Some(filter) = request.filter {
        out += &format!(" | {filter}");
    }
    for name in request.pinned {
        out += &format!(" | pinned {name}");
    }
    for tag in request.tags {
        out += &format!(" | tag {tag}");
    }
    if let Some(day) = request.as_of {
        out += &format!(" | as of {day}");
    }
    for notice in request.notices {
        out += &format!("\n! {notice}");
    }
    out
}

#[test]
fn words_only_rank() {
    assert_snapshot!(check("roof repair"), @"roof repair");
    assert_snapshot!(check("  how do I repair the roof?  "), @"how do I repair the roof?");
    assert_snapshot!(check(""), @"");
    assert_snapshot!(check("foo:bar https://x.org/a?b=c 12:30 a:b"), @"foo:bar https://x.org/a?b=c 12:30 a:b");
    assert_snapshot!(check("C++ C# .NET emoji 🎉 §3 me@example.org"), @"C++ C# .NET emoji 🎉 §3 me@example.org");
    assert_snapshot!(check("- -5 -3.5 --no-verify -> foo-bar _rrf_fuse -v"), @"- -5 -3.5 --no-verify -> foo-bar _rrf_fuse -v");
    assert_snapshot!(check("since last month"), @"since last month");
    assert_snapshot!(check("roof or wall and not gutter"), @"roof or wall and not gutter");
    assert_snapshot!(check(r#"f(x) foo() a) :) 5" x/y"#), @r#"f(x) foo() a) :) 5" x/y"#);
    assert_snapshot!(check("file:///home/me path::Path std::path::Path"), @"file:///home/me path::Path std::path::Path");
}

#[test]
fn a_star_asks_for_the_start_of_the_last_word() {
    assert_snapshot!(check("roo*"), @"roo*");
    assert_snapshot!(check("roof rep* tag:x"), @"roof rep* | tag:x");
    assert_snapshot!(check("roo* repair"), @"roo repair");
    assert_snapshot!(check("* ** *bold* 2*3"), @"* ** *bold* 2*3");
    assert_snapshot!(check("(roo*) x"), @"roo x | roo");
}

#[test]
fn phrases_must_be_there() {
    assert_snapshot!(check(r#""star wars""#), @r#"star wars | "star wars""#);
    assert_snapshot!(check(r#"say "they said \"hi\" twice" now"#), @r#"say they said "hi" twice now | "they said \"hi\" twice""#);
    assert_snapshot!(check("“star wars” „krieg der sterne“"), @r#"star wars krieg der sterne | "star wars" AND "krieg der sterne""#);
    assert_snapshot!(check(r#""" x"#), @"x");
    assert_snapshot!(check(r#""C:\\dir\x""#), @r#"C:\dir\x | "C:\\dir\\x""#);
}

#[test]
fn a_hyphen_excludes() {
    assert_snapshot!(check("meeting -work"), @"meeting | NOT work");
    assert_snapshot!(check("-draft"), @" | NOT draft");
    assert_snapshot!(check(r#"-"star wars" -/x+/ -tag:a -[b] -(c d)"#), @r#" | NOT "star wars" AND NOT /x+/ AND NOT tag:a AND NOT [b] AND NOT (c AND d)"#);
    assert_snapshot!(check("meeting -(work meetup)"), @"meeting | NOT (work AND meetup)");
    assert_snapshot!(check("-#work -[[Roof]]"), @r#" | NOT tag:work AND NOT "[[Roof""#);
    assert_snapshot!(check("-foo:bar -https://x.org"), @" | NOT foo:bar AND NOT https://x.org");
    assert_snapshot!(check("-_rrf_fuse -🎉 -猫 -_-"), @"-_- | NOT _rrf_fuse AND NOT 🎉 AND NOT 猫");
    assert_snapshot!(check(r#"-[1] -#1 -( -[[ -"x"#), @r#"
    -[1] -#1 -( -[[ -"x
    ! the link was not closed, so [[ was read as text
    ! the quote was not closed, so it was read as text
    ! the bracket was not closed, so ( was read as text
    "#);
}

#[test]
fn a_hyphen_may_stand_for_what_the_word_before_had_in_front() {
    assert_snapshot!(check("Inhaberkarten und -marken"), @"Inhaberkarten und -marken");
    assert_snapshot!(check("Wirkung der Ehenichtigkeit oder -auflösung"), @"Wirkung der Ehenichtigkeit oder -auflösung");
    assert_snapshot!(check("Heizung und -#work -marken"), @"Heizung und | NOT tag:work AND NOT marken");
    assert_snapshot!(check("huurovereenkomst en -beëindiging"), @"huurovereenkomst en -beëindiging");
    assert_snapshot!(check("vuokrasopimus tai -maksu"), @"vuokrasopimus tai -maksu");
    assert_snapshot!(check("tag:haus und -marken"), @"und -marken | tag:haus");
    assert_snapshot!(check("meeting and -work"), @"meeting and | NOT work");
}

#[test]
fn or_and_brackets_are_meant_literally() {
    assert_snapshot!(check("meeting work OR meetup personal"), @"meeting work meetup personal | (meeting AND work) OR (meetup AND personal)");
    assert_snapshot!(check("meeting (work OR meetup) personal"), @"meeting work meetup personal | work OR meetup");
    assert_snapshot!(check("(roof repair)"), @"roof repair | roof AND repair");
    assert_snapshot!(check("((a b) OR (c -d)) OR e"), @"a b c e | (a AND b) OR (c AND NOT d) OR e");
    assert_snapshot!(check("a OR b OR c"), @"a b c | a OR b OR c");
    assert_snapshot!(check("foo OR -bar tag:x"), @"foo | foo OR (NOT bar AND tag:x)");
    assert_snapshot!(check("(Hello, world! & C++)"), @"Hello, world! & C++ | Hello AND world AND C++");
    assert_snapshot!(check("(f(x) OR g(y))"), @"f(x) g(y) | f(x) OR g(y)");
    assert_snapshot!(check("#a OR #b"), @" | tag:a OR tag:b");
    assert_snapshot!(check("[[A]] OR (b [[C d|shown]])"), @r#"A b C d | "[[A" OR (b AND "[[C d") | pinned A | pinned C d"#);
    assert_snapshot!(check("a or b"), @"a or b");
}

#[test]
fn regular_expressions() {
    assert_snapshot!(check(r"/\d{4}-\d{2}/"), @r" | /\d{4}-\d{2}/");
    assert_snapshot!(check("x /a b/i"), @"x | /a b/");
    assert_snapshot!(check("path:/usr/local /usr/bin /etc/hosts"), @"/usr/bin /etc/hosts | path:/usr/local");
    assert_snapshot!(check(r"path:/^daily\/2026/"), @r" | path:/^daily\/2026/");
    assert_snapshot!(check("match-case:/Foo/"), @" | match-case:/Foo/");
    assert_snapshot!(check("1 / 2 and 3 / 4 // /"), @"1 / 2 and 3 / 4 // /");
    assert_snapshot!(check("/(?=x)/ y"), @r"
    (?=x) y
    ! /(?=x)/ is not a regular expression that works here, so it was read as words
    ");
    assert_snapshot!(check("/[/]/"), @" | /[/]/");
}

#[test]
fn operators_take_words_phrases_expressions_and_brackets() {
    assert_snapshot!(check(r#"file:.jpg path:"Daily notes/2022-07""#), @r#" | file:.jpg AND path:"Daily notes/2022-07""#);
    assert_snapshot!(check(r#"content:"happy cat" content:dog"#), @r#"happy cat dog | content:"happy cat" AND content:dog"#);
    assert_snapshot!(check("match-case:HappyCat ignore-case:ikea"), @"HappyCat ikea | match-case:HappyCat AND ikea");
    assert_snapshot!(check(r#"match-case:(Foo path:Bar "Baz qux")"#), @r#"Foo Baz qux | match-case:Foo AND match-case:(path:Bar) AND match-case:"Baz qux""#);
    assert_snapshot!(check("match-case:(a ignore-case:b)"), @"a b | match-case:a AND b");
    assert_snapshot!(check(r#"content:(a OR "b c") content:->"#), @r#"a b c -> | (content:a OR content:"b c") AND content:"->""#);
    assert_snapshot!(check(r#"tag:#work tag:Home/garden, tag:"a b" tag:(x OR #y)"#), @r#" | tag:work AND tag:Home/garden AND tag:"a b" AND (tag:x OR tag:y)"#);
    assert_snapshot!(check("tag:/^pro/"), @" | tag:/^pro/");
    assert_snapshot!(check("line:(mix flour) block:(dog cat)"), @"mix flour dog cat | line:(mix AND flour) AND block:(dog AND cat)");
    assert_snapshot!(check("section:(dog OR -cat)"), @"dog | section:(dog OR NOT cat)");
    assert_snapshot!(check(r#"task:call task-todo:(call OR "e mail") task-done:/x/"#), @r#"call call e mail | task:call AND task-todo:(call OR "e mail") AND task-done:/x/"#);
    assert_snapshot!(check(r#"task:"" -task-todo:"""#), @r#" | task:"" AND NOT task-todo:"""#);
    assert_snapshot!(check("TAG:x Path:y"), @" | tag:x AND path:y");
    assert_snapshot!(check("path:foo(1).md (path:foo)"), @r#" | path:"foo(1).md" AND path:foo"#);
    assert_snapshot!(check("-line:(a b)"), @" | NOT line:(a AND b)");
}

#[test]
fn properties() {
    assert_snapshot!(check("[due]"), @" | [due]");
    assert_snapshot!(check("[status:Draft]"), @" | [status:Draft]");
    assert_snapshot!(check("[aliases:null]"), @" | [aliases:null]");
    assert_snapshot!(check("[n:<5] [n:>=5] [n: = 3]"), @" | [n:<5] AND [n:>=5] AND [n:=3]");
    assert_snapshot!(check("[due:<2026-01-01] [due:>last week]"), @" | [due:<2026-01-01] AND [due:>last week]");
    assert_snapshot!(check("[status:Draft OR in progress]"), @" | [status:Draft] OR [status:in progress]");
    assert_snapshot!(check(r#"[p:/[a-z]+/ OR "x]y"]"#), @r#" | [p:/[a-z]+/] OR [p:"x]y"]"#);
    assert_snapshot!(check("[status:-done]"), @" | [status] AND NOT [status:done]");
    assert_snapshot!(check(r#"["due date":x] [due date:2026]"#), @" | [due date:x] AND [due date:2026]");
    assert_snapshot!(check("[time:12:30] [temp:-5]"), @" | [time:12:30] AND [temp:-5]");
    assert_snapshot!(check("[a:(b OR c) d]"), @" | ([a:b] OR [a:c]) AND [a:d]");
    assert_snapshot!(check("([a] OR [b:x])"), @" | [a] OR [b:x]");
    assert_snapshot!(check("[n:<abc]"), @r"
     | [n:<abc]
    ! “<abc” names neither a number nor a date, so it was compared as text
    ");
    assert_snapshot!(check("[1] [x] [ ] [a](b) [text](url) a[i]"), @"[1] [x] [ ] [a](b) [text](url) a[i]");
    assert_snapshot!(check("[p:]"), @r"
    [p:]
    ! [p:] has no value, so it was read as text
    ");
    assert_snapshot!(check("[p:match-case:x]"), @" | [p:match-case:x]");
}

#[test]
fn links_and_tags() {
    assert_snapshot!(check("[[Roof repair]] costs"), @"Roof repair costs | pinned Roof repair");
    assert_snapshot!(check("[[Roof#Cost|the costs]] ![[Plan]]"), @"Roof Plan | pinned Roof | pinned Plan");
    assert_snapshot!(check("#work meeting #home/garden, x"), @"work meeting home/garden x | tag work | tag home/garden");
    assert_snapshot!(check("#123 #!sh C# a#b #"), @"#123 #!sh C# a#b #");
    assert_snapshot!(check("[[]] [[ ]]"), @"[[]] [[ ]]");
    assert_snapshot!(check("#work #work"), @"work work | tag work");
}

#[test]
fn dates() {
    assert_snapshot!(check("since:2026-03"), @" | since:2026-03-01");
    assert_snapshot!(check("before:2026 plan"), @"plan | before:2026-01-01");
    assert_snapshot!(check("on:2026-03-05"), @" | since:2026-03-05 AND before:2026-03-06");
    assert_snapshot!(check("on:last month"), @" | since:2026-02-01 AND before:2026-03-01");
    assert_snapshot!(check("since:yesterday report"), @"report | since:2026-03-04");
    assert_snapshot!(check("since:3 days ago budget"), @"budget | since:2026-03-02");
    assert_snapshot!(check(r#"since:"last week" x"#), @"x | since:2026-02-23");
    assert_snapshot!(check("since:vor 3 Tagen x"), @"x | since:2026-03-02");
    assert_snapshot!(check("since:march 2025 x"), @"x | since:2025-03-01");
    assert_snapshot!(check("before:30d"), @" | before:2026-02-03");
    assert_snapshot!(check("-since:1y"), @" | NOT since:2025-03-05");
    assert_snapshot!(check("as-of:2026-02"), @" | as of 2026-02-28");
    assert_snapshot!(check("as-of:this month notes"), @"notes | as of 2026-03-05");
    assert_snapshot!(check("as-of:2025 as-of:2024"), @r"
     | as of 2024-12-31
    ! only the last as-of: counts
    ");
    assert_snapshot!(check("(since:2026-01 OR on:today)"), @" | since:2026-01-01 OR (since:2026-03-05 AND before:2026-03-06)");
    assert_snapshot!(check("created:2024 x"), @"x | created:>=2024-01-01 AND created:<2025-01-01");
    assert_snapshot!(check("modified:last-week"), @" | modified:>=2026-02-23 AND modified:<2026-03-02");
    assert_snapshot!(check("published:>2023-05 y"), @"y | published:>=2023-06-01");
    assert_snapshot!(check("created:\"last week\" modified:<=2023"), @" | (created:>=2026-02-23 AND created:<2026-03-02) AND modified:<2024-01-01");
    assert_snapshot!(check("since:2024 before:2025-03"), @" | since:2024-01-01 AND before:2025-03-01");
    assert_snapshot!(check("created:someday"), @r"
    created:someday
    ! “someday” is not a date, so created: was read as text
    ");
    assert_snapshot!(check("on:heute"), @" | since:2026-03-05 AND before:2026-03-06");
}

#[test]
fn brackets_and_quotes_without_a_partner_are_read_as_text() {
    assert_snapshot!(check("(roof repair"), @r"
    ( roof repair
    ! the bracket was not closed, so ( was read as text
    ");
    assert_snapshot!(check("line:(roof repair"), @r"
    line:( roof repair
    ! the bracket was not closed, so ( was read as text
    ");
    assert_snapshot!(check("-(a b"), @r"
    -( a b
    ! the bracket was not closed, so ( was read as text
    ");
    assert_snapshot!(check("((a b)"), @r"
    ( a b | a AND b
    ! the bracket was not closed, so ( was read as text
    ");
    assert_snapshot!(check("roof OR wall)"), @r"
    roof wall) | roof OR wall
    ! there was no bracket to close, so ) was read as text
    ");
    assert_snapshot!(check(r#""star wars"#), @r#"
    "star wars
    ! the quote was not closed, so it was read as text
    "#);
    assert_snapshot!(check(r#"path:"star wars"#), @r#"
    path:"star wars
    ! the quote was not closed, so it was read as text
    "#);
}

#[test]
fn operators_without_a_value_are_read_as_text() {
    assert_snapshot!(check("tag: work"), @r"
    tag: work
    ! tag: needs a value right behind the colon, so it was read as text
    ");
    assert_snapshot!(check("tag:"), @r"
    tag:
    ! tag: needs a value right behind the colon, so it was read as text
    ");
    assert_snapshot!(check("tag:#"), @r"
    tag:#
    ! tag: needs a value right behind the colon, so it was read as text
    ");
    assert_snapshot!(check("() line:()"), @r"
    () line:()
    ! line:() asks for nothing, so it was read as text
    ");
    assert_snapshot!(check(r#"since: since:soonish on:"next blue moon""#), @r#"
    since: since:soonish on:"next blue moon"
    ! since: needs a value right behind the colon, so it was read as text
    ! “soonish” is not a date, so since: was read as text
    ! “next blue moon” is not a date, so on: was read as text
    "#);
    assert_snapshot!(check("-as-of:today"), @r"
    -as-of:today
    ! as-of: cannot be excluded, so it was read as text
    ");
    assert_snapshot!(check("[[Roof"), @r"
    [[Roof
    ! the link was not closed, so [[ was read as text
    ");
    assert_snapshot!(check("[status:x"), @r"
    [status:x
    ! the bracket was not closed, so [ was read as text
    ");
    assert_snapshot!(check(r#"content:"""#), @r#"
    content:""
    ! content: needs a value right behind the colon, so it was read as text
    "#);
    assert_snapshot!(check("/(/ a"), @r"
    ( a
    ! /(/ is not a regular expression that works here, so it was read as words
    ");
    assert_snapshot!(check("/[b/ a"), @r"
    [b a
    ! /[b/ is not a regular expression that works here, so it was read as words
    ");
}

#[test]
fn or_without_two_sides_is_a_word() {
    assert_snapshot!(check("roof OR"), @r"
    roof OR
    ! OR needs something on both sides, so it was read as a word
    ");
    assert_snapshot!(check("OR"), @r"
    OR
    ! OR needs something on both sides, so it was read as a word
    ");
    assert_snapshot!(check("OR a"), @r"
    OR a
    ! OR needs something on both sides, so it was read as a word
    ");
    assert_snapshot!(check("a OR OR b"), @r"
    a OR b | a OR b
    ! OR needs something on both sides, so it was read as a word
    ");
    assert_snapshot!(check("(OR a) b"), @r"
    OR a b | a
    ! OR needs something on both sides, so it was read as a word
    ");
}

#[test]
fn deep_brackets_are_left_out() {
    assert_snapshot!(check("((((((((((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))))))))))"), @r"
    a | a
    ! the brackets are nested too deeply; the innermost were left out
    ");
}
