import { readFileSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { type Damage, damageOf } from '../../src/storage/sqlite/file/open-failure.ts';
import { gapOf, readPageFormat } from '../../src/storage/sqlite/gap-scrubber.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { mapConcurrently } from '../support/concurrently.ts';
import { sqlitePath } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { randomFrom } from '../support/random.ts';
import { runStatement } from '../support/run-statement.ts';

type One = { data: { id: string } };

const letters = [...'bcdfghjklmnpqrtvwx'];
/** Index segments leave out what a term has in common with the one before it. */
const tailLength = 8;
let app: AppFixture | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
});

function newWords(seed: number): () => string {
  const random = randomFrom(seed);
  return () => Array.from({ length: 12 }, () => random.pick(letters)).join('');
}

interface Written {
  readonly id: string;
  readonly words: readonly string[];
}

/** Memories with words of their own, each edited once, so that rows of all sizes move between pages. */
function write(http: Client, seed: number, count: number): Promise<Written[]> {
  const word = newWords(seed);
  const all = Array.from({ length: count }, (_, i) => ({
    words: Array.from({ length: 7 }, word),
    length: (i * 37) % 300,
  }));
  return mapConcurrently(all, 16, async ({ words, length }) => {
    const content = `${words[0]} went to ${words[1]} with ${words[2]} ${'filler '.repeat(length % 60)}`;
    const fields = { name: words[3], context: words[4], topics: [words[6]] };
    const reply = await http.post<One>('/api/memories', { content, ...fields });
    const { id } = reply.body.data;
    await http.put(`/api/memories/${id}`, { content: `${words[5]} ${'more '.repeat(length)}` });
    return { id, words };
  });
}

const isLetter = (code: number) => code >= 97 && code <= 122;

/** All that could be the last letters of a word in `text`. */
function tailsIn(text: string): Set<string> {
  const tails = new Set<string>();
  for (let at = 0; at + tailLength <= text.length; at++) {
    if (isLetter(text.charCodeAt(at))) tails.add(text.slice(at, at + tailLength));
  }
  return tails;
}

const among = (tails: Set<string>) => (word: string) => tails.has(word.slice(-tailLength));

/** Which of `words` stand in the file or its WAL, by their last letters. */
function wordsInFile(url: string, words: readonly string[]): string[] {
  const path = sqlitePath(url);
  const bytes = Buffer.concat([path, `${path}-wal`].map((file) => readFileSync(file)));
  return words.filter(among(tailsIn(bytes.toString('latin1'))));
}

/** Which of `words` stand in gaps of pages of the file. */
function wordsInGaps(url: string, words: readonly string[]): string[] {
  const bytes = readFileSync(sqlitePath(url));
  const format = readPageFormat(bytes);
  const gaps: string[] = [];
  for (let at = 0; at < bytes.length; at += format.pageBytes) {
    const page = bytes.subarray(at, at + format.pageBytes);
    const gap = gapOf(page, at / format.pageBytes + 1, format);
    if (gap) gaps.push(page.toString('latin1', gap.start, gap.end));
  }
  return words.filter(among(tailsIn(gaps.join(' '))));
}

function damageIn(url: string): Damage {
  const sqlite = new SqliteConnection(sqlitePath(url), { readonly: true });
  try {
    return damageOf(sqlite, 'integrity');
  } finally {
    sqlite.close();
  }
}

const wordsOf = (written: readonly Written[]) => written.flatMap(({ words }) => words);

describe('a SQLite store with hundreds of pages', () => {
  it('a SQLite store contains none of the text of erased memories in the file or its WAL once the delete is answered', async () => {
    app = await newAppFixture('sqlite', { MEMORYD_TRASH_DAYS: '0' });
    const http = await app.newClient();
    const written: Written[] = [];
    let copied: string[] = [];
    for (let seed = 20; copied.length === 0 && seed < 30; seed++) {
      written.push(...(await write(http, seed, 300)));
      await runStatement({ engine: 'sqlite', url: app.databaseUrl }, 'PRAGMA wal_checkpoint(TRUNCATE)');
      copied = wordsInGaps(app.databaseUrl, wordsOf(written));
    }
    const erased = written.filter(({ words }) => words.some((word) => copied.includes(word))).slice(0, 20);
    expect(erased.length).toBeGreaterThan(0);
    const ids = erased.map(({ id }) => id);
    expect((await http.delete('/api/memories/bulk', { ids, confirmDeletion: true })).status).toBe(200);
    expect(wordsInFile(app.databaseUrl, wordsOf(erased))).toEqual([]);
    // Nor do pages that were in a cache bring it back when they are written again.
    const later = await write(http, 10, 50);
    expect(wordsInFile(app.databaseUrl, wordsOf(erased))).toEqual([]);
    expect(wordsInFile(app.databaseUrl, wordsOf(later))).toEqual(wordsOf(later));
    const kept = wordsOf(written.filter(({ id }) => !ids.includes(id)));
    expect(wordsInFile(app.databaseUrl, kept)).toEqual(kept);
    expect(damageIn(app.databaseUrl)).toEqual({ database: [], index: [] });
  });

  it('a SQLite store contains none of the text of a removed user in the file or its WAL', async () => {
    app = await newAppFixture('sqlite');
    const [http, other] = [await app.newClient(), await app.newClient()];
    const [removed, kept] = await Promise.all([write(http, 8, 400), write(other, 9, 400)]);
    const { body } = await http.get<One>('/api/users/me');
    const user = (await app.services.users.list()).find(({ publicId }) => publicId === body.data.id);
    if (!user) throw new Error('no user');
    await app.storage.users.erase(user);
    expect(wordsInFile(app.databaseUrl, wordsOf(removed))).toEqual([]);
    expect(wordsInFile(app.databaseUrl, wordsOf(kept))).toEqual(wordsOf(kept));
    expect(damageIn(app.databaseUrl)).toEqual({ database: [], index: [] });
  });
});
