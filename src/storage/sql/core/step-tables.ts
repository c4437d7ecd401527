/** Tables of steps: their work, and what they derive, which hangs on the version (`doc`) of a memory that says it. */

/** A step to be done for a version of a memory, recorded in the transaction that makes it necessary. */
export interface JobsTable {
  user_id: number;
  doc: number;
  step: string;
  /** Of the step; of the step that embeds, the vector space. */
  version: number;
  /** Tries that failed. */
  attempts: number;
  /** Null where it is parked. */
  due_at: number | null;
  /** 1 while a process is at it, until `due_at`. */
  taken: number;
  /** 1 where the version was there before the work for it: of a back-fill, or to be done again. */
  is_older: number;
  error: string | null;
  error_code: string | null;
  failed_at: number | null;
}

/** That a version has been derived, and how. */
export interface DerivationsTable {
  user_id: number;
  doc: number;
  /** Of the step. */
  version: number;
  is_english: number;
  /** Null where all of it was derived. */
  skip_reason: string | null;
  derived_at: number;
}

/** A name with a type. Seen as long as a live memory mentions it or another name of it. */
export interface EntitiesTable {
  user_id: number;
  id: string;
  /** As shown. */
  name: string;
  /** What its name in texts is compared by: case and accents folded. */
  name_key: string;
  /** As shown; differs from `found_type` once it is corrected. */
  type: string;
  /** The type that derivation gives the name. */
  found_type: string;
  /** Itself, or the entity that it was merged into. */
  canonical_id: string;
  /** `rule` where two names were taken for one by a rule that is not certain. */
  merged_by: 'rule' | 'person' | null;
  /** 1 where a person wrote its name or type. */
  corrected: number;
  /** 1 where it was typed with certainty, so that it is known in all memories of the user. */
  is_certain: number;
  created_at: number;
  updated_at: number;
  trashed_at: number | null;
}

/** An entity in a version of a memory; place and spelling of its first mention. */
export interface EntityMentionsTable {
  user_id: number;
  entity_id: string;
  doc: number;
  name: string;
  /** In UTF-16 units of the content. */
  start_at: number;
  end_at: number;
  mentions: number;
  confidence: number;
  found_by: string;
}

/** A fact in a version of a memory: the clause that says it. */
export interface FactMentionsTable {
  user_id: number;
  fact_id: string;
  doc: number;
  start_at: number;
  end_at: number;
  /** direct, hedged, planned, inferred */
  basis: string;
  confidence: number;
  speaker: string | null;
  /** The time that the clause states, as written. */
  said_time: string | null;
}

/** A relationship that is not certain enough to be made: from the memory of `doc` to an earlier one. */
export interface EdgeCandidatesTable {
  user_id: number;
  doc: number;
  target_id: string;
  type: string;
  confidence: number;
  reason: string;
  /** JSON, see `EdgeEvidence`. */
  evidence: string;
  created_at: number;
  /** `auto-semantic` where the rules found it, `auto-llm` where an LLM proposed it. */
  creation_method: string;
}

/** Its name is made of its topics when it is read, so that none outlives the memories that have it. */
export interface CommunitiesTable {
  user_id: number;
  id: string;
  algorithm: string;
  /** The community that a person merged it into. */
  merged_into: string | null;
  /** Where its topics are shown: itself, or what it means after all merges. */
  root_id: string;
  /** 0 for one that the last detection did not find: it is known for the sake of a merge. */
  is_current: number;
  /** Topics shown with this root: the order of lists. */
  size: number;
  created_at: number;
  updated_at: number;
}

export interface CommunityTopicsTable {
  user_id: number;
  community_id: string;
  topic_id: string;
  /** Memories that the topic shares with others of the community, summed over these. */
  strength: number;
}

/** A segment of a user's index, as `SegmentRef` says; `data` is what the job `index_segments` writes. */
export interface IndexSegmentsTable {
  user_id: number;
  space: number;
  number: number;
  epoch: number;
  last_rev: number;
  last_doc: number;
  last_part: number;
  whole: number;
  entries: number;
  added: number;
  data: Buffer;
}

/** State and resolution that a thread took at a time. */
export interface NarrativeMovesTable {
  user_id: number;
  narrative_id: string;
  rev: number;
  state: string;
  resolution_id: string | null;
  at: number;
}
