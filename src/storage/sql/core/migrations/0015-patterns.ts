import type { ColumnTypes } from './column-types.ts';

/** Patterns found in memories, the memories that show each, and the state that a client keeps of its own behaviour. */
export const patterns = ({ text, integer, real, user }: ColumnTypes): string[] => [
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
];
