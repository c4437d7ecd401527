import type { ColumnTypes } from './column-types.ts';

/**
 * Rows that steps derive from versions of memories. Each belongs to the
 * version (`doc`) that states it, so that reads of an earlier time see the
 * state of that time, and a memory takes its rows to the trash and back.
 */
export const derivedGraph = (types: ColumnTypes): string[] => [
  ...derivations(types),
  ...entities(types),
  ...facts(types),
  ...topics(types),
  ...edges(types),
  ...communities(types),
];

const derivations = ({ text, integer, user }: ColumnTypes) => [
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

const entities = ({ text, integer, real, user }: ColumnTypes) => [
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
  'CREATE INDEX entity_mentions_by_doc ON entity_mentions (user_id, doc)',
];

const facts = ({ text, integer, real, user }: ColumnTypes) => [
  `ALTER TABLE facts ADD COLUMN fact_key ${text}`,
  `ALTER TABLE facts ADD COLUMN negated ${integer} NOT NULL DEFAULT 0`,
  `ALTER TABLE facts ADD COLUMN corrected ${integer} NOT NULL DEFAULT 0`,
  'CREATE UNIQUE INDEX facts_by_key ON facts (user_id, fact_key) WHERE fact_key IS NOT NULL',
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
    PRIMARY KEY (user_id, fact_id, doc),
    FOREIGN KEY (user_id, fact_id) REFERENCES facts (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE
  )`,
  'CREATE INDEX fact_mentions_by_doc ON fact_mentions (user_id, doc)',
  `CREATE TABLE fact_entities (
    user_id ${user},
    entity_id ${text} NOT NULL,
    fact_id ${text} NOT NULL,
    role ${text} NOT NULL,
    PRIMARY KEY (user_id, entity_id, fact_id, role),
    FOREIGN KEY (user_id, entity_id) REFERENCES entities (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, fact_id) REFERENCES facts (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX fact_entities_by_fact ON fact_entities (user_id, fact_id)',
];

const topics = ({ text, integer, real, user }: ColumnTypes) => [
  `CREATE TABLE derived_topics (
    user_id ${user},
    topic_id ${text} NOT NULL,
    doc ${integer} NOT NULL,
    score ${real} NOT NULL,
    PRIMARY KEY (user_id, topic_id, doc),
    FOREIGN KEY (user_id, topic_id) REFERENCES topics (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE
  )`,
  'CREATE INDEX derived_topics_by_doc ON derived_topics (user_id, doc)',
];

const edges = ({ text, integer, real, user }: ColumnTypes) => [
  `ALTER TABLE memory_edges ADD COLUMN evidence ${text}`,
  `ALTER TABLE memory_edges ADD COLUMN withdrawn ${integer} NOT NULL DEFAULT 0`,
  `CREATE TABLE edge_candidates (
    user_id ${user},
    doc ${integer} NOT NULL,
    target_id ${text} NOT NULL,
    type ${text} NOT NULL,
    confidence ${real} NOT NULL,
    reason ${text} NOT NULL,
    evidence ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    PRIMARY KEY (user_id, doc, target_id, type),
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE,
    FOREIGN KEY (user_id, target_id) REFERENCES memories (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX edge_candidates_by_target ON edge_candidates (user_id, target_id)',
];

const communities = ({ text, integer, user }: ColumnTypes) => [
  `CREATE TABLE communities (
    user_id ${user},
    id ${text} NOT NULL,
    name ${text} NOT NULL,
    description ${text},
    algorithm ${text} NOT NULL,
    merged_into ${text},
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    PRIMARY KEY (user_id, id)
  )`,
  `CREATE TABLE community_topics (
    user_id ${user},
    community_id ${text} NOT NULL,
    topic_id ${text} NOT NULL,
    PRIMARY KEY (user_id, community_id, topic_id),
    FOREIGN KEY (user_id, community_id) REFERENCES communities (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, topic_id) REFERENCES topics (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX community_topics_by_topic ON community_topics (user_id, topic_id)',
  `CREATE TABLE query_traces (
    user_id ${user},
    id ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    trace ${text} NOT NULL,
    PRIMARY KEY (user_id, id)
  )`,
  'CREATE INDEX query_traces_by_creation ON query_traces (user_id, created_at)',
];
