/**
 * Advisory locks of memoryd on PostgreSQL. The server identifies them by number alone, so each purpose needs its own
 * number. They are locks of one database: services on other databases of the server are not affected. Each is held by a
 * transaction: one of a session would stay behind a pooler when the process has ended.
 */
export const advisoryLocks = {
  /** For the transaction that migrates the tables. */
  migration: 7_366_010_274,
  /**
   * Shared by each transaction that writes or renews a lease;
   * exclusive for a process that replaces the content of the database.
   */
  serving: 7_366_010_275,
  /** For the process that removes erased text from the server. */
  erasedText: 7_366_010_277,
  /** With the hash of the step's name as a second number: for the transaction that takes work of the step. */
  takingWork: 73_660,
} as const;
