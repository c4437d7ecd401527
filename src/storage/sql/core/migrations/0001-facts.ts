import type { ColumnTypes } from './column-types.ts';

/** Facts with the memories that they were drawn from, and artifacts. */
export const factTables = ({ text, integer, real, user }: ColumnTypes): string[] => [
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
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, doc)
  )`,
  'CREATE INDEX facts_by_creation ON facts (user_id, created_at, doc)',
  'CREATE INDEX facts_by_confidence ON facts (user_id, confidence, doc)',
  'CREATE INDEX facts_by_length ON facts (user_id, term_count) WHERE trashed_at IS NULL',
  `CREATE TABLE fact_sources (
    user_id ${user},
    fact_id ${text} NOT NULL,
    memory_id ${text} NOT NULL,
    PRIMARY KEY (user_id, fact_id, memory_id),
    FOREIGN KEY (user_id, fact_id) REFERENCES facts (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, memory_id) REFERENCES memories (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX fact_sources_by_memory ON fact_sources (user_id, memory_id)',
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
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, seq),
    FOREIGN KEY (user_id, memory_id) REFERENCES memories (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, conversation_id) REFERENCES conversations (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX artifacts_by_memory ON artifacts (user_id, memory_id) WHERE memory_id IS NOT NULL',
  `CREATE INDEX artifacts_by_conversation ON artifacts (user_id, conversation_id)
    WHERE conversation_id IS NOT NULL`,
];
