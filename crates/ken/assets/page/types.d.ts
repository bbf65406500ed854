// Types of what the server answers, for the check of the scripts; browsers never see this file.

export interface Stage { stage: string; effect: string; value: number; score: number; detail: string }

export interface Hit {
  rank: number; id: string; domain?: string; path: string; title: string; section: string | null;
  breadcrumb: string[]; start_line: number | null; end_line: number | null; page: number | null; score: number;
  excerpt: string; highlights: [number, number][]; text: string; tags: string[]; date: string | null;
  picture?: string; also_in?: string[]; superseded_by?: string; uri: string; sources: string[]; explain?: Stage[];
}

export interface SearchAnswer {
  query: string; mode: string; evidence: string; confidence: number; took_ms: number; index_age_s: number | null;
  notices: string[]; hits: Hit[];
}

export interface Count { value: string; n: number }
export interface Facets { notes: number; tags: Count[]; folders: Count[]; months: Count[]; endings: Count[] }
export interface Domain { name: string; default: boolean; indexed: boolean }

export interface Preview {
  path: string; title: string; format: string; tags: string[]; date: string | null; n_lines: number;
  start_line: number; end_line: number; has_lines: boolean; uri: string; file: string | null; is_cut: boolean;
  html: string;
}

export interface Problem { title: string; status: number; detail: string; hint?: string }

/** What the address bar holds. */
export interface State {
  view: string; q: string;
  /** Domains that are asked, as a,b; the first one, if none is named. */
  domain: string;
  /** The note that is shown, its domain if that is another, the note whose link led to it, and the line. */
  note: string; of: string; from: string; line: number;
  /** Ask: the conversation, and what a new one is limited to. */
  c: string; scope: string;
  /** See: which part, the note in the middle, those whose links are shown, too, and how many rings. */
  see: string; center: string; open: string; rings: string;
  /** See: what a walk looks for and how far it is shown; where the map is looked at; the day of the calendar. */
  to: string; wide: string; hop: string; at: string; region: string; day: string;
}

export interface View { update(state: State): void; leave?(): void; key?(event: KeyboardEvent): boolean }

/** A passage that an answer may rest on, or a citation of it that was checked. */
export interface Citation {
  stage?: string; number: number; place?: string; domain?: string | null; attached?: boolean; section?: string | null; date?: string | null;
  excerpt?: string; path: string; title: string; id?: string | null; start_line: number | null; end_line: number | null;
  page: number | null; quote?: string | null; claim?: string | null; citation_verified?: boolean | null;
  citation_reason?: string | null; problem?: string | null;
}

export interface Outcome {
  answer: string; citations_status: string; n_verified: number; n_checked: number; verified: string; evidence: string;
  model: string | null; complete: boolean; notices: string[]; tools: string[];
}

export interface Memory { used: number; budget: number; dropped_turns?: number; conversation?: string; turn?: number }

export interface Turn {
  id: number; question: string; answer: string; state: string; sources: Citation[]; model: string | null; asked_at: number;
  alternatives: number[];
}

export interface Conversation { id: string; title: string; domains: string[]; scope: Scope | null; changed_at: number; n_turns: number; excerpt?: string }
export interface Talk extends Conversation { memory: Memory; turns: Turn[] }
export interface Scope { files: string[]; folders: string[]; tags: string[]; categories: string[]; domains: string[] }
