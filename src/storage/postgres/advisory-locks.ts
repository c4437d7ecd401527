/**
 * Our advisory locks, which the server tells apart by number alone: two meanings of one number keep each other out.
 * They are locks of one database, so services on other databases of the server do not meet them.
 */
export const advisoryLocks = {
  /** Of the transaction that brings the tables up to date. */
  migration: 7_366_010_274,
  /** Shared by who serves or writes to the database; alone for who replaces what it holds. */
  serving: 7_366_010_275,
  /** Of the process that makes and drops HNSW indexes. */
  hnswIndexes: 7_366_010_276,
  /** Of the process that takes erased text out of what the server keeps. */
  erasedText: 7_366_010_277,
} as const;
