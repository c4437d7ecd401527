import type { ColumnTypes } from './column-types.ts';

/** Vectors of versions: of the whole text, part 0, and of the parts of a long one. A byte a number. */
export function vectorTables({ text, integer, bytes, user }: ColumnTypes): string[] {
  return [
    `CREATE TABLE memory_vectors (
    user_id ${user},
    space ${text} NOT NULL,
    doc ${integer} NOT NULL,
    part ${integer} NOT NULL,
    rev ${integer} NOT NULL,
    vector ${bytes} NOT NULL,
    PRIMARY KEY (user_id, space, doc, part),
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE
  )`,
    // Erasing a version finds its vectors by this; without it each erased version reads all of the user's.
    'CREATE INDEX memory_vectors_by_doc ON memory_vectors (user_id, doc)',
    'CREATE INDEX memory_vectors_by_rev ON memory_vectors (user_id, space, rev, doc, part)',
  ];
}
