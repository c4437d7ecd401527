import type { SpaceStatus } from '../../../domain/embedding/embed-step.ts';
import type {
  ArtifactsTable,
  CommunitiesTable,
  CommunityTopicsTable,
  DerivationsTable,
  EdgeCandidatesTable,
  EntitiesTable,
  EntityMentionsTable,
  FactMentionsTable,
  IndexSegmentsTable,
  JobsTable,
  NarrativeMovesTable,
  PatternDatabase,
  WebhookDatabase,
} from './derived-tables.ts';

/**
 * The tables of both engines. Times are epoch milliseconds, booleans 0 or 1, lists and objects JSON
 * text. Every user-owned table has `user_id` first in its primary key and in each of its indexes.
 */
export interface Database extends PatternDatabase, WebhookDatabase {
  store_info: { key: string; value: string };
  store_counters: { name: string; value: number };
  users: UsersTable;
  api_keys: ApiKeysTable;
  user_counters: UserCountersTable;
  memories: MemoriesTable;
  memory_versions: MemoryVersionsTable;
  vector_spaces: VectorSpacesTable;
  memory_vectors: MemoryVectorsTable;
  memory_edges: MemoryEdgesTable;
  conversations: ConversationsTable;
  topics: TopicsTable;
  user_terms: UserTermsTable;
  index_segments: IndexSegmentsTable;
  memory_topics: { user_id: number; topic_id: string; memory_id: string };
  facts: FactsTable;
  fact_sources: { user_id: number; fact_id: string; memory_id: string };
  fact_versions: FactVersionsTable;
  search_feedback: SearchFeedbackTable;
  artifacts: ArtifactsTable;
  trash_entries: TrashEntriesTable;
  narratives: NarrativesTable;
  narrative_memories: NarrativeMemoriesTable;
  narrative_topics: NarrativeTopicsTable;
  narrative_moves: NarrativeMovesTable;
  topic_words: { user_id: number; word: string; topic_id: string };
  topic_merges: TopicMergesTable;
  topic_origins: TopicOriginsTable;
  idempotency_keys: IdempotencyKeysTable;
  jobs: JobsTable;
  derivations: DerivationsTable;
  entities: EntitiesTable;
  entity_mentions: EntityMentionsTable;
  fact_mentions: FactMentionsTable;
  fact_entities: { user_id: number; entity_id: string; fact_id: string; role: 'subject' | 'object' };
  derived_topics: { user_id: number; topic_id: string; doc: number; score: number };
  vetoes: { user_id: number; doc: number; kind: string; item_key: string };
  named_times: { user_id: number; doc: number; from_at: number; to_at: number };
  edge_candidates: EdgeCandidatesTable;
  communities: CommunitiesTable;
  community_topics: CommunityTopicsTable;
  backfills: { step: string; version: number; cursor: string };
}

/** Vector spaces: vectors of different spaces cannot be compared. At most one space per role is `serving`. */
export interface VectorSpacesTable extends Pick<SpaceStatus, 'state' | 'role'> {
  id: number;
  model: string;
  dimension: number;
  version: string;
  /** JSON: address of the model's server, never with a key; null for a model without a server. */
  source: string | null;
  /** The cosine at which two texts are plausibly related; null until it is measured. */
  half_similarity_at: number | null;
  created_at: number;
}

/** A vector of a version, one byte per number; part 0 is the whole text. */
export interface MemoryVectorsTable {
  user_id: number;
  doc: number;
  space: number;
  part: number;
  /** The user's change counter at the write, for a vector written after its version was committed. */
  late_rev: number | null;
  vector: Buffer;
  /** See `sumOf`; null in older rows until a job has computed it. */
  crc: number | null;
}

export interface UsersTable {
  id: number;
  public_id: string;
  name: string;
  email: string;
  created_at: number;
  updated_at: number;
}

export interface ApiKeysTable {
  id: string;
  user_id: number;
  prefix: string;
  secret_hash: string;
  label: string;
  scopes: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  requests_per_minute: number | null;
}

/** `rev` numbers the user's changes; updating it first makes a user's transactions run one after another. */
interface UserCountersTable {
  user_id: number;
  rev: number;
  /** Raised when rows are erased, so that caches are read again. */
  epoch: number;
  /** Live memories, and terms in their documents: the user's own term statistics. */
  documents: number;
  document_terms: number;
  /** Id of the user's newest vector space: a process that does not know it reads the spaces again. */
  newest_space: number;
  /** Last change in the written index segments, and their format: see `SegmentStore.behind`. */
  segments_rev: number;
  segments_of: string;
}

/** Identity of a memory; its content is in its versions. */
interface MemoriesTable {
  user_id: number;
  id: string;
  seq: number;
  /** Its open version. */
  doc: number;
  conversation_id: string;
  session_id: string;
  chain_id: string | null;
  chain_version: number | null;
  created_at: number;
  /** See `Memory`. */
  external_id: string | null;
  import_id: string | null;
  trashed_at: number | null;
}

interface MemoryVersionsTable {
  user_id: number;
  doc: number;
  /** `seq` of its memory. It rises with time: its index grows at the end, unlike an index of ids. */
  memory_seq: number;
  rev: number;
  opened_at: number;
  closed_at: number | null;
  trashed: number;
  content: string;
  memory_type: string;
  memory_type_user_set: number;
  name: string | null;
  role: string | null;
  context: string | null;
  topics: string;
  event_time: number | null;
  valid_from: number | null;
  valid_to: number | null;
  code_context: string | null;
  task_id: string | null;
  outcome: string | null;
  importance: number | null;
  effective_state: string;
  outdated_parts: string | null;
  /** JSON of an `Author`, `keyId` first. */
  created_by: string | null;
  updated_at: number;
  term_count: number;
  traits: number;
  speaker: string;
  metadata: string | null;
  /** See `metadataKeysOf`. */
  metadata_keys: string;
  /** The import that wrote it over an earlier version; that of a first version is in `memories`. */
  import_id: string | null;
}

export interface MemoryEdgesTable {
  user_id: number;
  id: string;
  source_id: string;
  target_id: string;
  type: string;
  confidence: number;
  creation_method: string;
  reason: string | null;
  created_at: number;
  seq: number;
  /** Time of removal; the edge is kept for reads of earlier times. */
  removed_at: number | null;
  accepted_at: number | null;
  /** JSON, see `RelationshipEvidence`; null for an edge that a person or an agent made. */
  evidence: string | null;
  /** 1 if derivation itself removed it: it may come back, unlike a deleted edge. */
  withdrawn: number;
}

export interface ConversationsTable {
  user_id: number;
  id: string;
  title: string;
  summary: string | null;
  created_at: number;
  updated_at: number;
  last_activity_at: number;
  /**
   * The user's revision at its creation: its memories have a higher `seq` and are found by that range, since
   * an index by conversation would write to another page for each memory (a third of the pages of a create).
   */
  since_rev: number;
  memory_count: number;
  agent_session_id: string | null;
  implicit: number;
  last_session_id: string | null;
  trashed_at: number | null;
  /** Id of its title in the keyword index. */
  doc: number;
  term_count: number;
  /** 1 if the title was made from a memory and follows it. */
  auto_titled: number;
  external_id: string | null;
  metadata: string | null;
  import_id: string | null;
}

export interface TopicsTable {
  user_id: number;
  id: string;
  name: string;
  normalized_name: string;
  /** Itself, or the topic that it was merged into. */
  canonical_id: string;
  created_at: number;
  updated_at: number;
}

interface TopicMergesTable {
  user_id: number;
  id: string;
  source_id: string;
  target_id: string;
  state: string;
  memories_moved: number;
  created_at: number;
  undone_at: number | null;
}

/** A topic of a memory from before a merge, which the memory now shows as another topic. */
interface TopicOriginsTable {
  user_id: number;
  topic_id: string;
  memory_id: string;
  shown_as: string;
  /** Its spelling and place in the memory's list before the merge. */
  name: string;
  position: number;
}

/** Each term that a memory of the user contains or once contained, once. */
interface UserTermsTable {
  user_id: number;
  term: string;
}

/** A former state of a fact, until an edit. */
interface FactVersionsTable {
  user_id: number;
  fact_id: string;
  /** From 1. */
  number: number;
  opened_at: number;
  closed_at: number;
  subject: string;
  predicate: string;
  object: string;
  confidence: number;
}

export interface FactsTable {
  user_id: number;
  id: string;
  subject: string;
  predicate: string;
  object: string;
  confidence: number;
  /** 1 if it was derived from memories: it is then hidden without a live one among `fact_sources`. */
  sourced: number;
  extracted_at: number | null;
  created_at: number;
  updated_at: number;
  trashed_at: number | null;
  /** Its id in the keyword index, which edits do not change. */
  doc: number;
  term_count: number;
  /** Key by which equal facts of several memories are one; null for a fact stated by hand. */
  fact_key: string | null;
  negated: number;
  /** 1 if a person changed it: derivation then only adds sources. */
  corrected: number;
  external_id: string | null;
  import_id: string | null;
  /** See `Imported`. */
  import_digest: string | null;
  valid_from: number | null;
  valid_to: number | null;
}

/** Feedback on a search result; `number` rises with time. */
interface SearchFeedbackTable {
  user_id: number;
  number: number;
  memory_id: string;
  action: string;
  query: string | null;
  search_method: string | null;
  search_session_id: string | null;
  position: number | null;
  created_at: number;
}

/** Deleted records, a row for each that is restored as one. The records stay in their tables, marked. */
export interface TrashEntriesTable {
  user_id: number;
  id: string;
  kind: string;
  record_id: string;
  title: string;
  counts: string;
  payload: string;
  /** The user's revision after the delete, unique per entry: their order of writing. */
  rev: number;
  deleted_at: number;
  /** Set when erasing begins; once the row is gone, so is the text from the files. */
  erased_at: number | null;
  /** Set while the memories of a conversation are moved: see `moveSteps` in `trash-store.ts`. */
  moving: number | null;
  /** `seq` up to which its memories have been moved. */
  moved_to: number;
  /** Number of memories that only `moving` hides. */
  hidden_rows: number;
}

export interface NarrativesTable {
  user_id: number;
  id: string;
  title: string;
  state: string;
  /** The first memory, or the first that is not erased: the root if no live memory is left in it. */
  first_root_id: string;
  resolution_id: string | null;
  /** The user's revision at its last change: the order of lists. */
  rev: number;
  created_at: number;
  updated_at: number;
  trashed_at: number | null;
}

/** Positions of a thread are 0 to n-1 over all its rows, those of memories in the trash included. */
interface NarrativeMemoriesTable {
  user_id: number;
  narrative_id: string;
  memory_id: string;
  position: number;
}

/** Topics stated by the user; a thread without any shows those of its memories. */
interface NarrativeTopicsTable {
  user_id: number;
  narrative_id: string;
  position: number;
  name: string;
  normalized_name: string;
}

interface IdempotencyKeysTable {
  user_id: number;
  key: string;
  fingerprint: string;
  status: number;
  body: string;
  etag: string | null;
  created_at: number;
}

/** Tables whose rows belong to a user. */
export type UserTable = {
  [T in keyof Database]: Database[T] extends { user_id: number } ? T : never;
}[keyof Database];
