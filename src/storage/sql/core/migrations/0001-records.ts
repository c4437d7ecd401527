import type { ColumnTypes } from '../migrate.ts';

/**
 * Tables of users and of the records that they state. The indexes by a reference have all columns that
 * a lookup reads: with fewer, SQLite reads every row of the user along the primary key instead.
 */
export const recordTables = (types: ColumnTypes): string[] => [
  ...accountTables(types),
  ...conversationTables(types),
  ...memoryTables(types),
  ...relationshipTables(types),
  ...topicTables(types),
  ...topicMergeTables(types),
  ...artifactTables(types),
  ...feedbackTables(types),
  ...narrativeTables(types),
  ...requestTables(types),
];

const accountTables = ({ text, integer, rowId, user }: ColumnTypes) => [
  `CREATE TABLE store_info (key ${text} PRIMARY KEY, value ${text} NOT NULL)`,
  `CREATE TABLE store_counters (name ${text} PRIMARY KEY, value ${integer} NOT NULL)`,
  `CREATE TABLE users (
    id ${rowId},
    public_id ${text} NOT NULL UNIQUE,
    name ${text} NOT NULL UNIQUE,
    email ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL
  )`,
  `CREATE TABLE api_keys (
    id ${text} PRIMARY KEY,
    user_id ${user},
    prefix ${text} NOT NULL UNIQUE,
    secret_hash ${text} NOT NULL,
    label ${text} NOT NULL,
    scopes ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    expires_at ${integer},
    revoked_at ${integer},
    last_used_at ${integer},
    requests_per_minute ${integer}
  )`,
  'CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at)',
  `CREATE TABLE user_counters (
    user_id ${user} PRIMARY KEY,
    rev ${integer} NOT NULL DEFAULT 0,
    epoch ${integer} NOT NULL DEFAULT 0,
    documents ${integer} NOT NULL DEFAULT 0,
    document_terms ${integer} NOT NULL DEFAULT 0,
    newest_space ${integer} NOT NULL DEFAULT 0,
    segments_rev ${integer} NOT NULL DEFAULT 0,
    segments_of ${text} NOT NULL DEFAULT ''
  )`,
];

const conversationTables = ({ text, integer, user }: ColumnTypes) => [
  `CREATE TABLE conversations (
    user_id ${user},
    id ${text} NOT NULL,
    title ${text} NOT NULL,
    summary ${text},
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    last_activity_at ${integer} NOT NULL,
    since_rev ${integer} NOT NULL,
    memory_count ${integer} NOT NULL,
    agent_session_id ${text},
    implicit ${integer} NOT NULL,
    last_session_id ${text},
    trashed_at ${integer},
    doc ${integer} NOT NULL,
    term_count ${integer} NOT NULL,
    auto_titled ${integer} NOT NULL DEFAULT 0,
    external_id ${text},
    metadata ${text},
    import_id ${text},
    PRIMARY KEY (user_id, id)
  )`,
  'CREATE INDEX conversations_by_activity ON conversations (user_id, last_activity_at)',
  `CREATE INDEX conversations_by_agent_session ON conversations (user_id, agent_session_id)
    WHERE agent_session_id IS NOT NULL`,
  'CREATE INDEX conversations_implicit ON conversations (user_id, last_activity_at) WHERE implicit = 1',
  `CREATE UNIQUE INDEX conversations_by_external_id ON conversations (user_id, external_id)
    WHERE external_id IS NOT NULL`,
  'CREATE INDEX conversations_by_import ON conversations (user_id, import_id, id) WHERE import_id IS NOT NULL',
];

const memoryTables = ({ text, integer, real, user }: ColumnTypes) => [
  `CREATE TABLE imports (
    user_id ${user},
    id ${text} NOT NULL,
    source ${text} NOT NULL,
    format ${text},
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    undone_at ${integer},
    created ${integer} NOT NULL,
    unchanged ${integer} NOT NULL,
    updated ${integer} NOT NULL DEFAULT 0,
    kept_edits ${integer} NOT NULL DEFAULT 0,
    conversations ${integer} NOT NULL DEFAULT 0,
    facts ${integer} NOT NULL DEFAULT 0,
    artifacts ${integer} NOT NULL DEFAULT 0,
    in_trash ${integer} NOT NULL,
    refused ${integer} NOT NULL,
    PRIMARY KEY (user_id, id)
  )`,
  `CREATE TABLE memories (
    user_id ${user},
    id ${text} NOT NULL,
    seq ${integer} NOT NULL,
    doc ${integer} NOT NULL,
    conversation_id ${text} NOT NULL,
    session_id ${text} NOT NULL,
    chain_id ${text},
    chain_version ${integer},
    created_at ${integer} NOT NULL,
    trashed_at ${integer},
    external_id ${text},
    import_id ${text},
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, seq),
    FOREIGN KEY (user_id, conversation_id) REFERENCES conversations (user_id, id)
  )`,
  'CREATE INDEX memories_by_chain ON memories (user_id, chain_id, chain_version) WHERE chain_id IS NOT NULL',
  `CREATE UNIQUE INDEX memories_by_external_id ON memories (user_id, external_id)
    WHERE external_id IS NOT NULL`,
  'CREATE INDEX memories_by_import ON memories (user_id, import_id, seq) WHERE import_id IS NOT NULL',
  `CREATE TABLE memory_versions (
    user_id ${user},
    doc ${integer} NOT NULL,
    memory_seq ${integer} NOT NULL,
    rev ${integer} NOT NULL,
    opened_at ${integer} NOT NULL,
    closed_at ${integer},
    trashed ${integer} NOT NULL DEFAULT 0,
    content ${text} NOT NULL,
    memory_type ${text} NOT NULL,
    memory_type_user_set ${integer} NOT NULL,
    name ${text},
    role ${text},
    context ${text},
    topics ${text} NOT NULL,
    event_time ${integer},
    valid_from ${integer},
    valid_to ${integer},
    code_context ${text},
    task_id ${text},
    outcome ${text},
    importance ${real},
    effective_state ${text} NOT NULL,
    outdated_parts ${text},
    created_by ${text},
    updated_at ${integer} NOT NULL,
    term_count ${integer} NOT NULL,
    traits ${integer} NOT NULL,
    speaker ${text} NOT NULL,
    metadata ${text},
    metadata_keys ${text} NOT NULL DEFAULT '',
    import_id ${text},
    PRIMARY KEY (user_id, doc),
    FOREIGN KEY (user_id, memory_seq) REFERENCES memories (user_id, seq) ON DELETE CASCADE
  )`,
  'CREATE INDEX memory_versions_by_memory ON memory_versions (user_id, memory_seq, doc)',
  'CREATE INDEX memory_versions_by_rev ON memory_versions (user_id, rev, doc)',
  `CREATE UNIQUE INDEX memory_versions_name ON memory_versions (user_id, name)
    WHERE name IS NOT NULL AND closed_at IS NULL AND trashed = 0`,
  `CREATE INDEX memory_versions_by_import ON memory_versions (user_id, import_id, memory_seq, doc)
    WHERE import_id IS NOT NULL`,
  'CREATE INDEX memory_versions_by_task ON memory_versions (user_id, task_id) WHERE task_id IS NOT NULL',
];

const relationshipTables = ({ text, integer, real, user }: ColumnTypes) => [
  `CREATE TABLE memory_edges (
    user_id ${user},
    id ${text} NOT NULL,
    source_id ${text} NOT NULL,
    target_id ${text} NOT NULL,
    type ${text} NOT NULL,
    confidence ${real} NOT NULL,
    creation_method ${text} NOT NULL,
    reason ${text},
    created_at ${integer} NOT NULL,
    removed_at ${integer},
    accepted_at ${integer},
    seq ${integer} NOT NULL DEFAULT 0,
    evidence ${text},
    withdrawn ${integer} NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, source_id) REFERENCES memories (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, target_id) REFERENCES memories (user_id, id) ON DELETE CASCADE
  )`,
  `CREATE UNIQUE INDEX memory_edges_once ON memory_edges (user_id, source_id, target_id, type)
    WHERE removed_at IS NULL`,
  'CREATE INDEX memory_edges_by_source ON memory_edges (user_id, source_id)',
  'CREATE INDEX memory_edges_by_target ON memory_edges (user_id, target_id)',
];

const topicTables = ({ text, integer, user }: ColumnTypes) => [
  // `canonical_id` is the topic that a row stands for: itself, or for an
  // alias the topic it was merged into. `memory_topics` has the topics that a
  // memory shows; `topic_origins` those it had before a merge changed them.
  `CREATE TABLE topics (
    user_id ${user},
    id ${text} NOT NULL,
    name ${text} NOT NULL,
    normalized_name ${text} NOT NULL,
    canonical_id ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, normalized_name)
  )`,
  'CREATE INDEX topics_by_canonical ON topics (user_id, canonical_id)',
  `CREATE TABLE memory_topics (
    user_id ${user},
    topic_id ${text} NOT NULL,
    memory_id ${text} NOT NULL,
    PRIMARY KEY (user_id, topic_id, memory_id),
    FOREIGN KEY (user_id, topic_id) REFERENCES topics (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, memory_id) REFERENCES memories (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX memory_topics_by_memory ON memory_topics (user_id, memory_id, topic_id)',
  `CREATE TABLE topic_words (
    user_id ${user},
    word ${text} NOT NULL,
    topic_id ${text} NOT NULL,
    PRIMARY KEY (user_id, word, topic_id),
    FOREIGN KEY (user_id, topic_id) REFERENCES topics (user_id, id) ON DELETE CASCADE
  )`,
  // References to a topic are looked up when it is removed.
  'CREATE INDEX topic_words_by_topic ON topic_words (user_id, topic_id)',
];

const topicMergeTables = ({ text, integer, user }: ColumnTypes) => [
  `CREATE TABLE topic_merges (
    user_id ${user},
    id ${text} NOT NULL,
    source_id ${text} NOT NULL,
    target_id ${text} NOT NULL,
    state ${text} NOT NULL,
    memories_moved ${integer} NOT NULL,
    created_at ${integer} NOT NULL,
    undone_at ${integer},
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, source_id) REFERENCES topics (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, target_id) REFERENCES topics (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX topic_merges_by_source ON topic_merges (user_id, source_id)',
  'CREATE INDEX topic_merges_by_target ON topic_merges (user_id, target_id)',
  `CREATE UNIQUE INDEX topic_merges_standing ON topic_merges (user_id, source_id)
    WHERE state IN ('running', 'done')`,
  `CREATE INDEX topic_merges_unfinished ON topic_merges (user_id, created_at)
    WHERE state IN ('running', 'undoing')`,
  `CREATE TABLE topic_origins (
    user_id ${user},
    topic_id ${text} NOT NULL,
    memory_id ${text} NOT NULL,
    shown_as ${text} NOT NULL,
    name ${text} NOT NULL,
    position ${integer} NOT NULL,
    PRIMARY KEY (user_id, topic_id, memory_id),
    FOREIGN KEY (user_id, topic_id) REFERENCES topics (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, memory_id) REFERENCES memories (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX topic_origins_by_memory ON topic_origins (user_id, memory_id)',
];

const artifactTables = ({ text, integer, user }: ColumnTypes) => [
  `CREATE TABLE artifacts (
    user_id ${user},
    id ${text} NOT NULL,
    seq ${integer} NOT NULL,
    content ${text} NOT NULL,
    type ${text} NOT NULL,
    name ${text},
    description ${text},
    memory_id ${text},
    conversation_id ${text},
    metadata ${text},
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    trashed_at ${integer},
    external_id ${text},
    import_id ${text},
    import_digest ${text},
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, seq),
    FOREIGN KEY (user_id, memory_id) REFERENCES memories (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, conversation_id) REFERENCES conversations (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX artifacts_by_memory ON artifacts (user_id, memory_id) WHERE memory_id IS NOT NULL',
  `CREATE INDEX artifacts_by_conversation ON artifacts (user_id, conversation_id)
    WHERE conversation_id IS NOT NULL`,
  `CREATE UNIQUE INDEX artifacts_by_external_id ON artifacts (user_id, external_id)
    WHERE external_id IS NOT NULL`,
  'CREATE INDEX artifacts_by_import ON artifacts (user_id, import_id, id) WHERE import_id IS NOT NULL',
];

const feedbackTables = ({ text, integer, user }: ColumnTypes) => [
  // Feedback on results. Numbers rise with time, so that the oldest are found by them.
  `CREATE TABLE search_feedback (
    user_id ${user},
    number ${integer} NOT NULL,
    memory_id ${text} NOT NULL,
    action ${text} NOT NULL,
    query ${text},
    search_method ${text},
    search_session_id ${text},
    position ${integer},
    created_at ${integer} NOT NULL,
    PRIMARY KEY (user_id, number),
    FOREIGN KEY (user_id, memory_id) REFERENCES memories (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX search_feedback_by_memory ON search_feedback (user_id, memory_id)',
];

const narrativeTables = ({ text, integer, user }: ColumnTypes) => [
  // Threads of memories. Positions are not unique by an index: a row of neighbours is shifted in one statement, and
  // both engines would check it row by row.
  `CREATE TABLE narratives (
    user_id ${user},
    id ${text} NOT NULL,
    title ${text} NOT NULL,
    state ${text} NOT NULL,
    first_root_id ${text} NOT NULL,
    resolution_id ${text},
    rev ${integer} NOT NULL,
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    trashed_at ${integer},
    PRIMARY KEY (user_id, id)
  )`,
  'CREATE INDEX narratives_by_change ON narratives (user_id, rev)',
  `CREATE TABLE narrative_memories (
    user_id ${user},
    narrative_id ${text} NOT NULL,
    memory_id ${text} NOT NULL,
    position ${integer} NOT NULL,
    PRIMARY KEY (user_id, narrative_id, memory_id),
    FOREIGN KEY (user_id, narrative_id) REFERENCES narratives (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, memory_id) REFERENCES memories (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX narrative_memories_in_order ON narrative_memories (user_id, narrative_id, position, memory_id)',
  'CREATE INDEX narrative_memories_by_memory ON narrative_memories (user_id, memory_id, narrative_id)',
  `CREATE TABLE narrative_topics (
    user_id ${user},
    narrative_id ${text} NOT NULL,
    position ${integer} NOT NULL,
    name ${text} NOT NULL,
    normalized_name ${text} NOT NULL,
    PRIMARY KEY (user_id, narrative_id, position),
    FOREIGN KEY (user_id, narrative_id) REFERENCES narratives (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX narrative_topics_by_name ON narrative_topics (user_id, normalized_name)',
  `CREATE TABLE narrative_moves (
    user_id ${user},
    narrative_id ${text} NOT NULL,
    rev ${integer} NOT NULL,
    state ${text} NOT NULL,
    resolution_id ${text},
    at ${integer} NOT NULL,
    PRIMARY KEY (user_id, narrative_id, rev),
    FOREIGN KEY (user_id, narrative_id) REFERENCES narratives (user_id, id) ON DELETE CASCADE
  )`,
];

const requestTables = ({ text, integer, user }: ColumnTypes) => [
  `CREATE TABLE idempotency_keys (
    user_id ${user},
    key ${text} NOT NULL,
    fingerprint ${text} NOT NULL,
    status ${integer} NOT NULL,
    body ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    etag ${text},
    PRIMARY KEY (user_id, key)
  )`,
  'CREATE INDEX idempotency_keys_by_age ON idempotency_keys (user_id, created_at)',
  `CREATE TABLE trash_entries (
    user_id ${user},
    id ${text} NOT NULL,
    kind ${text} NOT NULL,
    record_id ${text} NOT NULL,
    title ${text} NOT NULL,
    counts ${text} NOT NULL,
    payload ${text} NOT NULL,
    rev ${integer} NOT NULL,
    deleted_at ${integer} NOT NULL,
    erased_at ${integer},
    moving ${integer},
    moved_to ${integer} NOT NULL DEFAULT 0,
    hidden_rows ${integer} NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, kind, record_id)
  )`,
  'CREATE INDEX trash_entries_by_time ON trash_entries (user_id, deleted_at, rev)',
  'CREATE INDEX trash_entries_moving ON trash_entries (user_id, record_id) WHERE moving IS NOT NULL',
];
