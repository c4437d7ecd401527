import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';

export interface CreateBody {
  content: string;
  conversationId: string;
  memoryType?: string;
  eventTime?: string;
  topics?: string[];
  /** A unit vector: its 32-bit floats in base64. */
  vector?: string;
}

interface Waiting {
  row: Row;
  vector: string | undefined;
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
  );
  CREATE TABLE IF NOT EXISTS vectors (seq INTEGER PRIMARY KEY, vector BLOB NOT NULL);`;

const shown = 20;
/** Of reciprocal rank fusion, as usual. */
const rankOffset = 60;

/**
 * One table, one FTS5 index, vectors that are also held as floats in memory. Creates that arrive in the same turn of the event loop share one transaction.
 */
export class FloorStore {
  readonly #db: Database.Database;
  readonly #insertRow: Database.Statement;
  readonly #insertText: Database.Statement;
  readonly #search: Database.Statement;
  readonly #get: Database.Statement;
  readonly #insertVector: Database.Statement;
  readonly #matches: Database.Statement;
  readonly #row: Database.Statement;
  readonly #vectors = new FloatVectors();
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
    this.#insertVector = this.#db.prepare('INSERT INTO vectors (seq, vector) VALUES (?, ?)');
    this.#matches = this.#db
      .prepare(`SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rank LIMIT ${shown}`)
      .pluck();
    this.#row = this.#db.prepare('SELECT * FROM memories WHERE seq = ?');
    this.#search = this.#db.prepare(`
      SELECT memories.*, hits.score FROM
        (SELECT rowid, bm25(memories_fts) AS score FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rank LIMIT 20)
        AS hits JOIN memories ON memories.seq = hits.rowid ORDER BY hits.score`);
  }

  create(id: string, body: CreateBody): Promise<Row> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ row: toRow(id, body), vector: body.vector, resolve, reject });
      if (this.#queue.length === 1) setImmediate(() => this.#commit());
    });
  }

  /** Loads a corpus in one transaction. */
  createAll(bodies: readonly CreateBody[]): number {
    this.#db.transaction(() => {
      for (const body of bodies) this.#insert(toRow(randomUUID(), body), body.vector);
    })();
    return bodies.length;
  }

  get(id: string): unknown {
    return this.#get.get(id);
  }

  /** The best 20 rows by bm25 that contain any of the words. */
  search(query: string): unknown[] {
    return this.#search.all(toMatch(query));
  }

  /** The best 20 rows by words and by the exact cosine of all vectors, fused by their ranks. */
  searchBoth(query: string, vector: string): unknown[] {
    const scores = new Map<number, number>();
    for (const found of [
      this.#matches.all(toMatch(query)) as number[],
      this.#vectors.nearest(toFloats(vector)),
    ])
      for (const [rank, seq] of found.entries())
        scores.set(seq, (scores.get(seq) ?? 0) + 1 / (rankOffset + rank));
    const best = [...scores].sort((a, b) => b[1] - a[1]).slice(0, shown);
    return best.map(([seq]) => this.#row.get(seq));
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
        for (const { row, vector } of waiting) this.#insert(row, vector);
      })();
      for (const { row, resolve } of waiting) resolve(row);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  #insert(row: Row, vector: string | undefined): void {
    const { lastInsertRowid } = this.#insertRow.run(row);
    this.#insertText.run(lastInsertRowid, row.content);
    if (vector === undefined) return;
    const floats = toFloats(vector);
    this.#insertVector.run(lastInsertRowid, Buffer.from(floats.buffer));
    this.#vectors.add(Number(lastInsertRowid), floats);
  }
}

/** Vectors of one length in one array that grows; every search compares them all. */
class FloatVectors {
  readonly #seqs: number[] = [];
  #floats = new Float32Array(0);

  add(seq: number, vector: Float32Array): void {
    const from = this.#seqs.push(seq) * vector.length - vector.length;
    if (from + vector.length > this.#floats.length) {
      const grown = new Float32Array(Math.max(vector.length * 64, this.#floats.length * 2));
      grown.set(this.#floats);
      this.#floats = grown;
    }
    this.#floats.set(vector, from);
  }

  /** The numbers of the nearest vectors, the nearest first. */
  nearest(query: Float32Array): number[] {
    const best: { seq: number; cosine: number }[] = [];
    let least = Number.NEGATIVE_INFINITY;
    for (let i = 0, from = 0; i < this.#seqs.length; i++, from += query.length) {
      let cosine = 0;
      for (let k = 0; k < query.length; k++) cosine += query[k] * this.#floats[from + k];
      if (cosine <= least) continue;
      let at = best.length;
      while (at > 0 && best[at - 1].cosine < cosine) at--;
      best.splice(at, 0, { seq: this.#seqs[i], cosine });
      if (best.length > shown) best.pop();
      if (best.length === shown) least = best[shown - 1].cosine;
    }
    return best.map(({ seq }) => seq);
  }
}

function toFloats(base64: string): Float32Array {
  return new Float32Array(new Uint8Array(Buffer.from(base64, 'base64')).buffer);
}

function toMatch(query: string): string {
  const words = query.split(/\s+/).map((word) => `"${word.replaceAll('"', '""')}"`);
  return words.join(' OR ');
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
