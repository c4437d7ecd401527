import type { ColumnTypes } from '../migrate.ts';
import { oauthTables, webhookTables } from './0001-connections.ts';

/**
 * Tables of vectors, of background work and of its results. A derived row belongs to the version (`doc`)
 * that states it: reads of an earlier time see the state of that time, and a memory takes its rows to the trash and back.
 */
export const derivedTables = (types: ColumnTypes): string[] => [
  ...vectorTables(types),
  ...jobTables(types),
  ...factTables(types),
  ...factHistoryTables(types),
  ...entityTables(types),
  ...derivedTopicTables(types),
  ...communityTables(types),
  ...patternTables(types),
  ...webhookTables(types),
  ...oauthTables(types),
];

const vectorTables = ({ text, integer, real, bytes, rowId, user, clustered }: ColumnTypes) => [
  // Vectors of versions: of the whole text, part 0, and of the parts of a long
  // one. One byte per number. The key begins with doc: new rows are at the end
  // of the user's rows, are read in that order, and go with their version.
  `CREATE TABLE vector_spaces (
    id ${rowId},
    model ${text} NOT NULL,
    dimension ${integer} NOT NULL,
    version ${text} NOT NULL,
    source ${text},
    half_similarity_at ${real},
    state ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    role ${text} NOT NULL DEFAULT 'main'
  )`,
  // Its row is the lock of the table above.
  "INSERT INTO store_counters (name, value) VALUES ('spaces', 0)",
  `CREATE TABLE memory_vectors (
    user_id ${user},
    doc ${integer} NOT NULL,
    space ${integer} NOT NULL,
    part ${integer} NOT NULL,
    late_rev ${integer},
    vector ${bytes} NOT NULL,
    crc ${integer},
    PRIMARY KEY (user_id, doc, space, part),
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE
  )${clustered}`,
  `CREATE INDEX memory_vectors_late ON memory_vectors (user_id, space, late_rev, doc, part)
    WHERE late_rev IS NOT NULL`,
  // A checksum of each vector detects changed ones; a job fills in missing sums, found by this index.
  'CREATE INDEX memory_vectors_without_crc ON memory_vectors (user_id, doc, space, part) WHERE crc IS NULL',
  // Rows and vectors of a user's index, for a process that has not loaded the user yet; jobs write them.
  `CREATE TABLE index_segments (
    user_id ${user},
    space ${integer} NOT NULL,
    number ${integer} NOT NULL,
    epoch ${integer} NOT NULL,
    last_rev ${integer} NOT NULL,
    last_doc ${integer} NOT NULL,
    last_part ${integer} NOT NULL,
    whole ${integer} NOT NULL,
    entries ${integer} NOT NULL,
    added ${integer} NOT NULL,
    data ${bytes} NOT NULL,
    PRIMARY KEY (user_id, space, number)
  )`,
];

const jobTables = ({ text, integer, user }: ColumnTypes) => [
  `CREATE TABLE jobs (
    user_id ${user},
    doc ${integer} NOT NULL,
    step ${text} NOT NULL,
    version ${integer} NOT NULL,
    attempts ${integer} NOT NULL,
    due_at ${integer},
    taken ${integer} NOT NULL,
    error ${text},
    error_code ${text},
    failed_at ${integer},
    is_older ${integer} NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, doc, step, version),
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE
  )`,
  // Users take turns, and new work comes before older: the index leads from one user with jobs to the next.
  'CREATE INDEX jobs_by_user ON jobs (step, version, is_older, user_id, doc) WHERE due_at IS NOT NULL',
  'CREATE INDEX jobs_parked ON jobs (step, version) WHERE due_at IS NULL',
  `CREATE TABLE backfills (
    step ${text} NOT NULL,
    version ${integer} NOT NULL,
    cursor ${text} NOT NULL,
    PRIMARY KEY (step, version)
  )`,
  `CREATE TABLE derivations (
    user_id ${user},
    doc ${integer} NOT NULL,
    version ${integer} NOT NULL,
    is_english ${integer} NOT NULL,
    skip_reason ${text},
    derived_at ${integer} NOT NULL,
    PRIMARY KEY (user_id, doc),
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE
  )`,
];

const factTables = ({ text, integer, real, user }: ColumnTypes) => [
  // Facts with the memories that they were derived from.
  `CREATE TABLE facts (
    user_id ${user},
    id ${text} NOT NULL,
    subject ${text} NOT NULL,
    predicate ${text} NOT NULL,
    object ${text} NOT NULL,
    confidence ${real} NOT NULL,
    sourced ${integer} NOT NULL,
    extracted_at ${integer},
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    trashed_at ${integer},
    doc ${integer} NOT NULL,
    term_count ${integer} NOT NULL,
    fact_key ${text},
    negated ${integer} NOT NULL DEFAULT 0,
    corrected ${integer} NOT NULL DEFAULT 0,
    external_id ${text},
    import_id ${text},
    import_digest ${text},
    valid_from ${integer},
    valid_to ${integer},
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, doc)
  )`,
  'CREATE INDEX facts_by_creation ON facts (user_id, created_at, doc)',
  'CREATE INDEX facts_by_confidence ON facts (user_id, confidence, doc)',
  'CREATE INDEX facts_by_length ON facts (user_id, term_count) WHERE trashed_at IS NULL',
  'CREATE UNIQUE INDEX facts_by_key ON facts (user_id, fact_key) WHERE fact_key IS NOT NULL',
  'CREATE UNIQUE INDEX facts_by_external_id ON facts (user_id, external_id) WHERE external_id IS NOT NULL',
  'CREATE INDEX facts_by_import ON facts (user_id, import_id, id) WHERE import_id IS NOT NULL',
  // Finds derived facts about the same subject, newest first, to compare their memories.
  'CREATE INDEX facts_by_subject ON facts (user_id, lower(subject), doc) WHERE fact_key IS NOT NULL',
  `CREATE TABLE fact_sources (
    user_id ${user},
    fact_id ${text} NOT NULL,
    memory_id ${text} NOT NULL,
    PRIMARY KEY (user_id, fact_id, memory_id),
    FOREIGN KEY (user_id, fact_id) REFERENCES facts (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, memory_id) REFERENCES memories (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX fact_sources_by_memory ON fact_sources (user_id, memory_id, fact_id)',
];

const factHistoryTables = ({ text, integer, real, user }: ColumnTypes) => [
  // The state of a fact before each edit, from `opened_at` until `closed_at`; the current state is in `facts`.
  `CREATE TABLE fact_versions (
    user_id ${user},
    fact_id ${text} NOT NULL,
    number ${integer} NOT NULL,
    opened_at ${integer} NOT NULL,
    closed_at ${integer} NOT NULL,
    subject ${text} NOT NULL,
    predicate ${text} NOT NULL,
    object ${text} NOT NULL,
    confidence ${real} NOT NULL,
    PRIMARY KEY (user_id, fact_id, number),
    FOREIGN KEY (user_id, fact_id) REFERENCES facts (user_id, id) ON DELETE CASCADE
  )`,
  `CREATE TABLE fact_mentions (
    user_id ${user},
    fact_id ${text} NOT NULL,
    doc ${integer} NOT NULL,
    start_at ${integer} NOT NULL,
    end_at ${integer} NOT NULL,
    basis ${text} NOT NULL,
    confidence ${real} NOT NULL,
    speaker ${text},
    said_time ${text},
    outdated ${integer} NOT NULL,
    PRIMARY KEY (user_id, fact_id, doc),
    FOREIGN KEY (user_id, fact_id) REFERENCES facts (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE
  )`,
  'CREATE INDEX fact_mentions_by_doc ON fact_mentions (user_id, doc, fact_id)',
];

const entityTables = ({ text, integer, real, user }: ColumnTypes) => [
  `CREATE TABLE entities (
    user_id ${user},
    id ${text} NOT NULL,
    name ${text} NOT NULL,
    name_key ${text} NOT NULL,
    type ${text} NOT NULL,
    found_type ${text} NOT NULL,
    canonical_id ${text} NOT NULL,
    merged_by ${text},
    corrected ${integer} NOT NULL,
    is_certain ${integer} NOT NULL,
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    trashed_at ${integer},
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, name_key, found_type)
  )`,
  'CREATE INDEX entities_by_canonical ON entities (user_id, canonical_id)',
  `CREATE TABLE entity_mentions (
    user_id ${user},
    entity_id ${text} NOT NULL,
    doc ${integer} NOT NULL,
    name ${text} NOT NULL,
    start_at ${integer} NOT NULL,
    end_at ${integer} NOT NULL,
    mentions ${integer} NOT NULL,
    confidence ${real} NOT NULL,
    found_by ${text} NOT NULL,
    PRIMARY KEY (user_id, entity_id, doc),
    FOREIGN KEY (user_id, entity_id) REFERENCES entities (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE
  )`,
  'CREATE INDEX entity_mentions_by_doc ON entity_mentions (user_id, doc, entity_id)',
  `CREATE TABLE fact_entities (
    user_id ${user},
    entity_id ${text} NOT NULL,
    fact_id ${text} NOT NULL,
    role ${text} NOT NULL,
    PRIMARY KEY (user_id, entity_id, fact_id, role),
    FOREIGN KEY (user_id, entity_id) REFERENCES entities (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, fact_id) REFERENCES facts (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX fact_entities_by_fact ON fact_entities (user_id, fact_id, entity_id, role)',
];

const derivedTopicTables = ({ text, integer, real, user, clustered }: ColumnTypes) => [
  `CREATE TABLE derived_topics (
    user_id ${user},
    topic_id ${text} NOT NULL,
    doc ${integer} NOT NULL,
    score ${real} NOT NULL,
    PRIMARY KEY (user_id, topic_id, doc),
    FOREIGN KEY (user_id, topic_id) REFERENCES topics (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE
  )`,
  'CREATE INDEX derived_topics_by_doc ON derived_topics (user_id, doc, topic_id)',
  // Derived records that an LLM found not worth keeping.
  `CREATE TABLE vetoes (
    user_id ${user},
    doc ${integer} NOT NULL,
    kind ${text} NOT NULL,
    item_key ${text} NOT NULL,
    PRIMARY KEY (user_id, doc, kind, item_key),
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE
  )${clustered}`,
  // Times named in the texts of versions, ordered by their ends: a search reads those within a range.
  `CREATE TABLE named_times (
    user_id ${user},
    to_at ${integer} NOT NULL,
    from_at ${integer} NOT NULL,
    doc ${integer} NOT NULL,
    PRIMARY KEY (user_id, to_at, from_at, doc),
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE
  )${clustered}`,
  'CREATE INDEX named_times_by_doc ON named_times (user_id, doc)',
  `CREATE TABLE edge_candidates (
    user_id ${user},
    doc ${integer} NOT NULL,
    target_id ${text} NOT NULL,
    type ${text} NOT NULL,
    confidence ${real} NOT NULL,
    reason ${text} NOT NULL,
    reason_kind ${text} NOT NULL,
    evidence ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    creation_method ${text} NOT NULL DEFAULT 'auto-semantic',
    PRIMARY KEY (user_id, doc, target_id, type),
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE,
    FOREIGN KEY (user_id, target_id) REFERENCES memories (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX edge_candidates_by_target ON edge_candidates (user_id, target_id)',
];

const communityTables = ({ text, integer, real, user }: ColumnTypes) => [
  // No text: the name of a community is made from its topics at each read.
  `CREATE TABLE communities (
    user_id ${user},
    id ${text} NOT NULL,
    algorithm ${text} NOT NULL,
    merged_into ${text},
    root_id ${text} NOT NULL,
    is_current ${integer} NOT NULL,
    size ${integer} NOT NULL,
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    PRIMARY KEY (user_id, id)
  )`,
  'CREATE INDEX communities_by_root ON communities (user_id, root_id)',
  `CREATE TABLE community_topics (
    user_id ${user},
    community_id ${text} NOT NULL,
    topic_id ${text} NOT NULL,
    strength ${real} NOT NULL,
    PRIMARY KEY (user_id, community_id, topic_id),
    FOREIGN KEY (user_id, community_id) REFERENCES communities (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, topic_id) REFERENCES topics (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX community_topics_by_topic ON community_topics (user_id, topic_id, community_id)',
  `CREATE TABLE query_traces (
    user_id ${user},
    id ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    trace ${text} NOT NULL,
    PRIMARY KEY (user_id, id)
  )`,
  'CREATE INDEX query_traces_by_creation ON query_traces (user_id, created_at)',
];

const patternTables = ({ text, integer, real, user, clustered }: ColumnTypes) => [
  `CREATE TABLE patterns (
    user_id ${user},
    id ${text} NOT NULL,
    pattern_key ${text} NOT NULL,
    type ${text} NOT NULL,
    name ${text} NOT NULL,
    description ${text} NOT NULL,
    context ${text},
    owner ${text} NOT NULL,
    target ${text} NOT NULL,
    against ${text},
    negated ${integer} NOT NULL,
    confidence ${real} NOT NULL,
    base_confidence ${real} NOT NULL,
    positive_count ${integer} NOT NULL,
    negative_count ${integer} NOT NULL,
    feedback ${text},
    edited ${text} NOT NULL,
    is_active ${integer} NOT NULL,
    metadata ${text},
    worded_by ${text},
    first_seen_at ${integer} NOT NULL,
    last_seen_at ${integer} NOT NULL,
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    PRIMARY KEY (user_id, id)
  )`,
  'CREATE UNIQUE INDEX patterns_by_key ON patterns (user_id, pattern_key)',
  'CREATE INDEX patterns_by_words ON patterns (user_id, worded_by)',
  `CREATE TABLE pattern_evidence (
    user_id ${user},
    pattern_id ${text} NOT NULL,
    memory_id ${text} NOT NULL,
    seen_at ${integer} NOT NULL,
    PRIMARY KEY (user_id, pattern_id, memory_id),
    FOREIGN KEY (user_id, pattern_id) REFERENCES patterns (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, memory_id) REFERENCES memories (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX pattern_evidence_by_memory ON pattern_evidence (user_id, memory_id, pattern_id)',
  `CREATE TABLE behaviour_states (
    user_id ${user},
    state ${text} NOT NULL,
    updated_at ${integer} NOT NULL,
    PRIMARY KEY (user_id)
  )`,
  `CREATE TABLE changes (
    user_id ${user},
    rev ${integer} NOT NULL,
    part ${integer} NOT NULL,
    kind ${text} NOT NULL,
    action ${text} NOT NULL,
    record_id ${text} NOT NULL,
    PRIMARY KEY (user_id, rev, part)
  )${clustered}`,
];
