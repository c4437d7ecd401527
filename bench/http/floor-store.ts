import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';

export interface CreateBody {
  content: string;
  conversationId: string;
  memoryType?: string;
  eventTime?: string;
  topics?: string[];
}

interface Waiting {
  row: Row;
  resolve(row: Row): void;
  reject(error: unknown): void;
}

type Row = ReturnType<typeof toRow>;

const schema = `
  CREATE TABLE IF NOT EXISTS memories (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, userId INTEGER NOT NULL, conversationId TEXT NOT NULL,
    content TEXT NOT NULL, memoryType TEXT NOT NULL, role TEXT NOT NULL, topics TEXT NOT NULL,
    effectiveState TEXT NOT NULL, eventTime INTEGER NOT NULL, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
  );
  CREATE VIRTUAL TABLE IF NOT EXISTS memories_fts USING fts5(
    content, content='memories', content_rowid='seq', tokenize='porter unicode61'
  );`;

/**
 * One table, one FTS5 index. Creates that arrive in the same turn of the event loop share one transaction.
 */
export class FloorStore {
  readonly #db: Database.Database;
  readonly #insertRow: Database.Statement;
  readonly #insertText: Database.Statement;
  readonly #search: Database.Statement;
  readonly #get: Database.Statement;
  #queue: Waiting[] = [];

  constructor(path: string) {
    this.#db = new Database(path);
    this.#db.pragma('journal_mode = WAL');
    this.#db.pragma('synchronous = FULL');
    this.#db.pragma('busy_timeout = 5000');
    this.#db.exec(schema);
    const columns = Object.keys(toRow(randomUUID(), { content: '', conversationId: '' }));
    this.#insertRow = this.#db.prepare(
      `INSERT INTO memories (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`,
    );
    this.#insertText = this.#db.prepare('INSERT INTO memories_fts (rowid, content) VALUES (?, ?)');
    this.#get = this.#db.prepare('SELECT * FROM memories WHERE id = ?');
    this.#search = this.#db.prepare(`
      SELECT memories.*, hits.score FROM
        (SELECT rowid, bm25(memories_fts) AS score FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rank LIMIT 20)
        AS hits JOIN memories ON memories.seq = hits.rowid ORDER BY hits.score`);
  }

  create(id: string, body: CreateBody): Promise<Row> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ row: toRow(id, body), resolve, reject });
      if (this.#queue.length === 1) setImmediate(() => this.#commit());
    });
  }

  /** Loads a corpus in one transaction. */
  createAll(bodies: readonly CreateBody[]): number {
    this.#db.transaction(() => {
      for (const body of bodies) this.#insert(toRow(randomUUID(), body));
    })();
    return bodies.length;
  }

  get(id: string): unknown {
    return this.#get.get(id);
  }

  /** The best 20 rows by bm25 that contain any of the words. */
  search(query: string): unknown[] {
    const words = query.split(/\s+/).map((word) => `"${word.replaceAll('"', '""')}"`);
    return this.#search.all(words.join(' OR '));
  }

  /** Merges all segments of the index into one. */
  optimize(): void {
    this.#db.exec(`INSERT INTO memories_fts (memories_fts) VALUES ('optimize')`);
    this.#db.pragma('wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#db.close();
  }

  #commit(): void {
    const waiting = this.#queue;
    this.#queue = [];
    try {
      this.#db.transaction(() => {
        for (const { row } of waiting) this.#insert(row);
      })();
      for (const { row, resolve } of waiting) resolve(row);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  #insert(row: Row): void {
    const { lastInsertRowid } = this.#insertRow.run(row);
    this.#insertText.run(lastInsertRowid, row.content);
  }
}

function toRow(id: string, body: CreateBody) {
  const now = Date.now();
  return {
    id,
    userId: 1,
    conversationId: body.conversationId === 'NEW' ? `conv_${randomUUID()}` : body.conversationId,
    content: body.content,
    memoryType: body.memoryType ?? 'episodic',
    role: 'user',
    topics: JSON.stringify(body.topics ?? []),
    effectiveState: 'current',
    eventTime: body.eventTime ? Date.parse(body.eventTime) : now,
    createdAt: now,
    updatedAt: now,
  };
}
