import type { ColumnTypes } from './column-types.ts';

/**
 * Vectors of versions: of the whole text, part 0, and of the parts of a long one. A byte a number. The key begins with
 * doc: what is written stands at the end of the user's rows, is read in that order, and goes with its version.
 */
export function vectorTables({ text, integer, real, bytes, rowId, user, clustered }: ColumnTypes): string[] {
  return [
    `CREATE TABLE vector_spaces (
    id ${rowId},
    model ${text} NOT NULL,
    dimension ${integer} NOT NULL,
    version ${text} NOT NULL,
    source ${text},
    half_similarity_at ${real},
    state ${text} NOT NULL,
    walk ${text},
    created_at ${integer} NOT NULL
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
    PRIMARY KEY (user_id, doc, space, part),
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE
  )${clustered}`,
    `CREATE INDEX memory_vectors_late ON memory_vectors (user_id, space, late_rev, doc, part)
    WHERE late_rev IS NOT NULL`,
    `CREATE TABLE embedding_work (
    user_id ${user},
    doc ${integer} NOT NULL,
    space ${integer} NOT NULL,
    attempts ${integer} NOT NULL,
    due_at ${integer},
    taken ${integer} NOT NULL,
    error ${text},
    PRIMARY KEY (user_id, doc, space),
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE
  )`,
    // Whoever embeds takes the work of all users in the order in which it came.
    'CREATE INDEX embedding_work_due ON embedding_work (space, due_at) WHERE due_at IS NOT NULL',
    'CREATE INDEX embedding_work_failed ON embedding_work (space) WHERE due_at IS NULL',
  ];
}
