import { factTables } from './0001-facts.ts';
import { feedbackTables } from './0001-feedback.ts';
import { narrativeTables } from './0001-narratives.ts';
import { topicTables } from './0001-topics.ts';
import { trashTables } from './0001-trash.ts';
import { vectorTables } from './0001-vectors.ts';
import type { ColumnTypes } from './column-types.ts';

/** Tables and indexes that both engines share; the keyword index of each engine comes beside this. */
export function initialTables(t: ColumnTypes): string[] {
  return [
    ...serviceTables(t),
    ...memoryTables(t),
    ...vectorTables(t),
    ...graphTables(t),
    ...topicTables(t),
    ...factTables(t),
    ...feedbackTables(t),
    ...narrativeTables(t),
    ...workTables(t),
    ...trashTables(t),
  ];
}

const serviceTables = ({ text, integer, rowId, user }: ColumnTypes) => [
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
    last_used_at ${integer}
  )`,
  'CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at)',
  `CREATE TABLE user_counters (
    user_id ${user} PRIMARY KEY,
    rev ${integer} NOT NULL DEFAULT 0,
    epoch ${integer} NOT NULL DEFAULT 0,
    documents ${integer} NOT NULL DEFAULT 0,
    document_terms ${integer} NOT NULL DEFAULT 0,
    newest_space ${integer} NOT NULL DEFAULT 0
  )`,
];

const memoryTables = ({ text, integer, real, user }: ColumnTypes) => [
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
    PRIMARY KEY (user_id, id)
  )`,
  'CREATE INDEX conversations_by_activity ON conversations (user_id, last_activity_at)',
  `CREATE INDEX conversations_by_agent_session ON conversations (user_id, agent_session_id)
    WHERE agent_session_id IS NOT NULL`,
  'CREATE INDEX conversations_implicit ON conversations (user_id, last_activity_at) WHERE implicit = 1',
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
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, seq),
    FOREIGN KEY (user_id, conversation_id) REFERENCES conversations (user_id, id)
  )`,
  'CREATE INDEX memories_by_chain ON memories (user_id, chain_id, chain_version) WHERE chain_id IS NOT NULL',
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
    updated_at ${integer} NOT NULL,
    term_count ${integer} NOT NULL,
    traits ${integer} NOT NULL,
    speaker ${text} NOT NULL,
    PRIMARY KEY (user_id, doc),
    FOREIGN KEY (user_id, memory_seq) REFERENCES memories (user_id, seq) ON DELETE CASCADE
  )`,
  'CREATE INDEX memory_versions_by_memory ON memory_versions (user_id, memory_seq, doc)',
  'CREATE INDEX memory_versions_by_rev ON memory_versions (user_id, rev, doc)',
  `CREATE UNIQUE INDEX memory_versions_name ON memory_versions (user_id, name)
    WHERE name IS NOT NULL AND closed_at IS NULL AND trashed = 0`,
  'CREATE INDEX memory_versions_by_task ON memory_versions (user_id, task_id) WHERE task_id IS NOT NULL',
];

const graphTables = ({ text, integer, real, user }: ColumnTypes) => [
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
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, source_id) REFERENCES memories (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, target_id) REFERENCES memories (user_id, id) ON DELETE CASCADE
  )`,
  `CREATE UNIQUE INDEX memory_edges_once ON memory_edges (user_id, source_id, target_id, type)
    WHERE removed_at IS NULL`,
  'CREATE INDEX memory_edges_by_source ON memory_edges (user_id, source_id)',
  'CREATE INDEX memory_edges_by_target ON memory_edges (user_id, target_id)',
];

const workTables = ({ text, integer, user }: ColumnTypes) => [
  `CREATE TABLE idempotency_keys (
    user_id ${user},
    key ${text} NOT NULL,
    fingerprint ${text} NOT NULL,
    status ${integer} NOT NULL,
    body ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    PRIMARY KEY (user_id, key)
  )`,
  'CREATE INDEX idempotency_keys_by_age ON idempotency_keys (user_id, created_at)',
  `CREATE TABLE jobs (
    user_id ${user},
    id ${text} NOT NULL,
    kind ${text} NOT NULL,
    dedupe_key ${text} NOT NULL,
    payload ${text} NOT NULL,
    state ${text} NOT NULL,
    attempts ${integer} NOT NULL,
    run_at ${integer} NOT NULL,
    error ${text},
    created_at ${integer} NOT NULL,
    PRIMARY KEY (user_id, id)
  )`,
  `CREATE UNIQUE INDEX jobs_waiting_once ON jobs (user_id, kind, dedupe_key) WHERE state = 'waiting'`,
];
