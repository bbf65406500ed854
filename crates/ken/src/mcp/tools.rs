//! The table of tools: the same for MCP and for `ken tools`, always in this order.

use anyhow::Result;
use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};

use super::arguments::{
    AskArguments, ContextArguments, GetArguments, LinksArguments, ListArguments, MultiGetArguments,
    RememberArguments, SearchArguments, StatusArguments, TraverseArguments, VerifyArguments,
};
use super::reply::Reply;
use super::{answer, check, find, memory, read, schema, walk};
use crate::searcher::Searchers;
use crate::wire::{
    AskResponse, ContextResponse, GetOutput, LinksOutput, ListOutput, MultiGetOutput,
    RememberResponse, SearchOutput, StatusOutput, TraverseOutput, VerifyOutput,
};

/// One tool.
pub(crate) struct ToolRow {
    pub(crate) name: &'static str,
    title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) input: fn() -> JsonObject,
    output: fn() -> JsonObject,
    /// Whether it writes into a vault, which not everybody may.
    pub(crate) writes: bool,
    pub(super) run: fn(&Searchers, JsonObject) -> Result<Reply>,
}

impl ToolRow {
    /// Returns the definition that a client is told.
    pub(super) fn definition(&self) -> Tool {
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(!self.writes)
            .destructive(false)
            .idempotent(!self.writes)
            .open_world(false);
        let mut tool = Tool::new(self.name, self.description, (self.input)())
            .with_title(self.title)
            .with_raw_output_schema((self.output)().into())
            .with_annotations(annotations);
        // Clients with many tools show the model their names only. Who never sees what `search` does
        // never asks the notes; the others can be looked up from there.
        if self.name == SEARCH_NAME {
            let mut meta = MetaObject::new();
            meta.0.insert(ALWAYS_LOAD.to_owned(), true.into());
            tool.meta = Some(meta);
        }
        tool
    }
}

/// Asks Claude Code to show a tool whole from the start.
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";
const SEARCH_NAME: &str = "search";
const SEARCH: &str = "Finds passages in the person's notes by word and by meaning, best first. \
    Each result has the passage, its path and lines and an id. `evidence` tells \
    how well the notes answer; with `none` the results are empty and the notes do not say. `get` \
    returns more of a note.";

/// Every tool.
pub(crate) const TOOLS: &[ToolRow] = &[
    ToolRow {
        name: SEARCH_NAME,
        title: "Search notes",
        description: SEARCH,
        input: schema::input::<SearchArguments>,
        output: schema::output::<SearchOutput>,
        writes: false,
        run: find::search,
    },
    ToolRow {
        name: "memory_search",
        title: "Search memory",
        description: "The same as `search`, under the name that agents with a memory look for: \
            finds passages in the person's notes by word and by meaning. With evidence `none` the \
            notes do not say.",
        input: schema::input::<SearchArguments>,
        output: schema::output::<SearchOutput>,
        writes: false,
        run: find::search,
    },
    ToolRow {
        name: "ask",
        title: "Answer from notes",
        description: "Answers a question with one to three sentences of the person's notes, verbatim, \
            each with path and lines, and the span that answers it. No model is asked: it is quick, \
            and every quote stands where it says. With evidence `none` the notes do not say.",
        input: schema::input::<AskArguments>,
        output: schema::output::<AskResponse>,
        writes: false,
        run: answer::ask,
    },
    ToolRow {
        name: "get",
        title: "Read a note",
        description: "Returns a note or some of its lines, verbatim with credentials masked, by \
            path, name, alias, #id or ken:// address. A long note is cut and says where to go on.",
        input: schema::input::<GetArguments>,
        output: schema::output::<GetOutput>,
        writes: false,
        run: read::get,
    },
    ToolRow {
        name: "multi_get",
        title: "Read several notes",
        description: "Returns several notes or parts of notes in one call, each named as `get` \
            takes it. What cannot be opened is listed under `missing`.",
        input: schema::input::<MultiGetArguments>,
        output: schema::output::<MultiGetOutput>,
        writes: false,
        run: read::multi_get,
    },
    ToolRow {
        name: "traverse",
        title: "Walk along links",
        description: "Walks along links from a note, in both directions, towards a question or \
            towards what is like the note, and returns the notes it came by with the way to each.",
        input: schema::input::<TraverseArguments>,
        output: schema::output::<TraverseOutput>,
        writes: false,
        run: walk::traverse,
    },
    ToolRow {
        name: "links",
        title: "Links of a note",
        description: "Returns where a note leads, which notes link to it, and which of its links \
            lead nowhere.",
        input: schema::input::<LinksArguments>,
        output: schema::output::<LinksOutput>,
        writes: false,
        run: walk::links,
    },
    ToolRow {
        name: "status",
        title: "What is indexed",
        description: "Returns the domains that can be asked, how many notes each has, and how old \
            its index is.",
        input: schema::input::<StatusArguments>,
        output: schema::output::<StatusOutput>,
        writes: false,
        run: read::status,
    },
    ToolRow {
        name: "list_notes",
        title: "List notes",
        description: "Lists notes by path, all or those below a folder or with a tag, page by page.",
        input: schema::input::<ListArguments>,
        output: schema::output::<ListOutput>,
        writes: false,
        run: read::list_notes,
    },
    ToolRow {
        name: "verify_citations",
        title: "Check citations",
        description: "Checks whether the quotes of an answer stand in the notes it cites. Takes the \
            answer as Markdown, or its citations one by one. `all_verified` means that every quote \
            stands where it is said to; of each other one it says why not and where it stands.",
        input: schema::input::<VerifyArguments>,
        output: schema::output::<VerifyOutput>,
        writes: false,
        run: check::verify_citations,
    },
    ToolRow {
        name: "context",
        title: "What to know first",
        description: "Returns what the notes say about the opening message of a conversation, and the \
            notes that always come along, as labelled blocks in <relevant-context>. One call at the \
            beginning is enough.",
        input: schema::input::<ContextArguments>,
        output: schema::output::<ContextResponse>,
        writes: false,
        run: memory::context,
    },
    ToolRow {
        name: "remember",
        title: "Write something down",
        description: "Adds a text to the note of the day in the person's vault, where it is found from \
            then on. For what is worth knowing in later conversations, in words that make sense \
            without this one. Credentials are masked.",
        input: schema::input::<RememberArguments>,
        output: schema::output::<RememberResponse>,
        writes: true,
        run: memory::remember,
    },
];
