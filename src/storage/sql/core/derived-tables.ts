import type { DeliveryState } from '../../../domain/webhooks/webhook.ts';

/**
 * Tables of the steps: their jobs, and derived rows, each of which belongs to a version (`doc`) of a memory.
 */

/** A step to be done for a version of a memory, recorded in the transaction that makes it necessary. */
export interface JobsTable {
  user_id: number;
  doc: number;
  step: string;
  /** Version of the step; the vector space for the step that embeds. */
  version: number;
  /** Failed tries. */
  attempts: number;
  /** Null if it is parked. */
  due_at: number | null;
  /** 1 while a process works on it, until `due_at`. */
  taken: number;
  /** 1 if the version is older than its job: from a back-fill, or to be repeated. */
  is_older: number;
  error: string | null;
  error_code: string | null;
  failed_at: number | null;
}

/** Record of the derivation of a version. */
export interface DerivationsTable {
  user_id: number;
  doc: number;
  /** Version of the step. */
  version: number;
  is_english: number;
  /** Null if all of it was derived. */
  skip_reason: string | null;
  derived_at: number;
}

/** A name with a type. Visible as long as a live memory mentions it or another name of it. */
export interface EntitiesTable {
  user_id: number;
  id: string;
  /** The name shown. */
  name: string;
  /** Key that compares its name in texts: case and accents folded. */
  name_key: string;
  /** The type shown; differs from `found_type` once it is corrected. */
  type: string;
  /** The type that derivation gives the name. */
  found_type: string;
  /** Itself, or the entity that it was merged into. */
  canonical_id: string;
  /** `rule` if an uncertain rule merged it. */
  merged_by: 'rule' | 'person' | null;
  /** 1 if a person changed its name or type. */
  corrected: number;
  /** 1 if its type is certain, so that it is found in all memories of the user. */
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

/** A fact in a version of a memory, with the clause that states it. */
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
  /** The time stated in the clause, as written. */
  said_time: string | null;
  /** 1 if a newer memory replaces this part of the version. */
  outdated: number;
}

/** A relationship too uncertain to be made: from the memory of `doc` to an earlier one. */
export interface EdgeCandidatesTable {
  user_id: number;
  doc: number;
  target_id: string;
  type: string;
  confidence: number;
  reason: string;
  /** See `reasonKindOf`. */
  reason_kind: string;
  /** JSON, see `RelationshipEvidence`. */
  evidence: string;
  created_at: number;
  /** `auto-semantic` if the rules found it, `auto-llm` if an LLM proposed it. */
  creation_method: string;
}

/**
 * The name of a community is computed from its topics at
 * each read, so that it does not outlive their memories.
 */
export interface CommunitiesTable {
  user_id: number;
  id: string;
  algorithm: string;
  /** The community that a person merged it into. */
  merged_into: string | null;
  /** The community that shows its topics: itself, or the result of all merges. */
  root_id: string;
  /** 0 if the last detection did not find it: it stays because of a merge. */
  is_current: number;
  /** Number of topics shown with this root: the order of lists. */
  size: number;
  created_at: number;
  updated_at: number;
}

export interface CommunityTopicsTable {
  user_id: number;
  community_id: string;
  topic_id: string;
  /**
   * Number of memories that the topic shares with another topic of the community, summed over those topics.
   */
  strength: number;
}

/** A segment of a user's index, see `SegmentRef`; the job `index_segments` writes `data`. */
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

/** State and resolution of a thread from a time on. */
export interface NarrativeMovesTable {
  user_id: number;
  narrative_id: string;
  rev: number;
  state: string;
  resolution_id: string | null;
  at: number;
}

/** Patterns in the memories of a user. Visible if a live memory shows it or a person edited it. */
interface PatternsTable {
  user_id: number;
  id: string;
  /** Key by which a later detection finds it: type, owner and words. */
  pattern_key: string;
  type: string;
  name: string;
  description: string;
  /** The topic of most of its memories. */
  context: string | null;
  /** The name of its owner, or `user`. */
  owner: string;
  target: string;
  /** The alternative that the target is preferred to. */
  against: string | null;
  /** 1 if it states something to avoid. */
  negated: number;
  confidence: number;
  /** `confidence` before feedback: as detected, or as set by a person. */
  base_confidence: number;
  positive_count: number;
  negative_count: number;
  /** The last feedback that had text. */
  feedback: string | null;
  /** Fields that a person set, separated by commas; empty if none. */
  edited: string;
  is_active: number;
  metadata: string | null;
  /** The memory from which name, description and target take their words. */
  worded_by: string | null;
  first_seen_at: number;
  last_seen_at: number;
  created_at: number;
  updated_at: number;
}

interface PatternEvidenceTable {
  user_id: number;
  pattern_id: string;
  memory_id: string;
  seen_at: number;
}

interface BehaviourStatesTable {
  user_id: number;
  /** JSON object. */
  state: string;
  updated_at: number;
}

/** Changed records in the order of their commits: see `nextRev`. */
interface ChangesTable {
  user_id: number;
  rev: number;
  /** Tells records apart that changed together. */
  part: number;
  kind: string;
  action: string;
  record_id: string;
}

export interface PatternDatabase {
  imports: ImportsTable;
  query_traces: { user_id: number; id: string; created_at: number; trace: string };
  changes: ChangesTable;
  patterns: PatternsTable;
  pattern_evidence: PatternEvidenceTable;
  behaviour_states: BehaviourStatesTable;
}

/** An import of memories; its counts are of the records that it was sent. */
interface ImportsTable {
  user_id: number;
  id: string;
  source: string;
  format: string | null;
  created_at: number;
  updated_at: number;
  undone_at: number | null;
  created: number;
  unchanged: number;
  updated: number;
  kept_edits: number;
  conversations: number;
  facts: number;
  artifacts: number;
  in_trash: number;
  refused: number;
}

export interface ArtifactsTable {
  user_id: number;
  id: string;
  /** The user's revision at its creation: the order of lists. */
  seq: number;
  content: string;
  type: string;
  name: string | null;
  description: string | null;
  memory_id: string | null;
  conversation_id: string | null;
  metadata: string | null;
  created_at: number;
  updated_at: number;
  trashed_at: number | null;
  external_id: string | null;
  import_id: string | null;
  /** See `Imported`. */
  import_digest: string | null;
}

export interface WebhookDatabase {
  oauth_records: OAuthRecordsTable;
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
}

/** Records of the authorization server; see `OAuthRecord`. */
interface OAuthRecordsTable {
  model: string;
  id: string;
  payload: string;
  grant_id: string | null;
  key_id: string | null;
  created_at: number;
  expires_at: number;
  consumed_at: number | null;
}

interface WebhooksTable {
  user_id: number;
  id: string;
  url: string;
  label: string;
  /** Not a hash: each message is signed with it. */
  secret: string;
  /** JSON; null: all. */
  kinds: string | null;
  actions: string | null;
  created_at: number;
  rev: number;
  part: number;
  due_at: number | null;
  leased_until: number;
}

interface WebhookDeliveriesTable {
  user_id: number;
  id: string;
  webhook_id: string;
  state: DeliveryState;
  body: string;
  attempts: number;
  due_at: number;
  last_status: number | null;
  last_error: string | null;
  created_at: number;
  updated_at: number;
}
