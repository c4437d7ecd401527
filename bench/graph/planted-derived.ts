import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import pg from 'pg';
import { chunksOf } from '../../src/lib/chunks.ts';
import { seededRandom } from '../../src/lib/seeded-random.ts';

/** How many of each are made of a user's memories: frequent ones often, as in texts. */
export interface PlantedDerived {
  readonly entities: number;
  readonly facts: number;
}

type Row = Readonly<Record<string, string | number | null>>;

interface Sql {
  all(text: string): Promise<readonly { readonly id: string; readonly doc: number }[]>;
  insert(table: string, rows: readonly Row[]): Promise<void>;
  close(): Promise<void>;
}

const rowsAtOnce = 200;
const types = ['PERSON', 'ORGANIZATION', 'LOCATION', 'TECHNOLOGY'] as const;
const mentionsPerMemory = 3;

/**
 * Writes entities, facts and derived topics into a store as rows, as if derived from the memories that have none.
 * @param url of the store, which no process has open
 */
export async function plantDerived(url: string, userId: number, planted: PlantedDerived): Promise<void> {
  const sql = url.startsWith('sqlite:') ? sqlite(url.slice('sqlite:'.length)) : await postgres(url);
  try {
    const derived = await sql.all(
      `SELECT entity_id AS id, doc FROM entity_mentions WHERE user_id = ${userId} LIMIT 1`,
    );
    if (derived.length > 0) return;
    const memories = await sql.all(`SELECT id, doc FROM memories WHERE user_id = ${userId} ORDER BY seq`);
    const topics = await sql.all(`SELECT id, 0 AS doc FROM topics WHERE user_id = ${userId} ORDER BY id`);
    await plant(sql, userId, planted, { memories, topics: topics.map(({ id }) => id) });
  } finally {
    await sql.close();
  }
}

interface Known {
  readonly memories: readonly { readonly doc: number }[];
  readonly topics: readonly string[];
}

async function plant(
  sql: Sql,
  userId: number,
  counts: PlantedDerived,
  { memories, topics }: Known,
): Promise<void> {
  const random = seededRandom(7);
  const oneOf = <T>(all: readonly T[]) => all[Math.floor(random() ** 3 * all.length)];
  const time = { created_at: 1, updated_at: 1, trashed_at: null, corrected: 0, user_id: userId };
  const entities = Array.from({ length: counts.entities }, (_, i) => {
    const [id, type] = [randomUUID(), types[i % types.length]];
    const shared = { ...time, id, name: `Name ${i}`, name_key: `name ${i}`, canonical_id: id };
    return { ...shared, type, found_type: type, merged_by: null, is_certain: 0 };
  });
  const firstDoc = Math.max(...memories.map(({ doc }) => Number(doc))) + 1_000_000;
  const facts = Array.from({ length: counts.facts }, (_, i) => ({
    ...time,
    id: randomUUID(),
    ...{ subject: `Name ${i % counts.entities}`, predicate: 'likes', object: `thing ${i}` },
    ...{ confidence: random(), sourced: 1, extracted_at: 1, doc: firstDoc + i, term_count: 3 },
    ...{ fact_key: `fact ${i}`, negated: 0 },
  }));
  await sql.insert('entities', entities);
  await sql.insert('facts', facts);
  const place = { user_id: userId, start_at: 0, end_at: 4, confidence: 0.8 };
  const mentions: Row[] = [];
  const about: Row[] = [];
  const said: Row[] = [];
  for (const [i, { doc }] of memories.entries()) {
    const times = Array.from({ length: mentionsPerMemory });
    for (const { id, name } of new Set(times.map(() => oneOf(entities))))
      mentions.push({ ...place, entity_id: id, doc, name, mentions: 1, found_by: 'recogniser' });
    for (const id of new Set(times.map(() => oneOf(topics))))
      about.push({ user_id: userId, topic_id: id, doc, score: 0.5 });
    const fact = i < facts.length ? facts[i] : oneOf(facts);
    said.push({ ...place, fact_id: fact.id, doc, basis: 'direct', speaker: null, said_time: null });
  }
  await sql.insert('entity_mentions', mentions);
  await sql.insert('derived_topics', about);
  await sql.insert('fact_mentions', said);
}

/** @param bind a place holder by its number, from 1 */
function insertion(table: string, rows: readonly Row[], bind: (i: number) => string) {
  const columns = Object.keys(rows[0]);
  const places = rows.map(
    (_, row) => `(${columns.map((_, i) => bind(row * columns.length + i + 1)).join(', ')})`,
  );
  const values = rows.flatMap((row) => columns.map((column) => row[column]));
  return { text: `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${places.join(', ')}`, values };
}

function sqlite(file: string): Sql {
  const db = new Database(file);
  return {
    all: async (text) => db.prepare(text).all() as { id: string; doc: number }[],
    insert: async (table, rows) => {
      db.transaction(() => {
        for (const some of chunksOf(rows, rowsAtOnce)) {
          const { text, values } = insertion(table, some, () => '?');
          db.prepare(text).run(...values);
        }
      })();
    },
    close: async () => {
      db.exec('ANALYZE');
      db.close();
    },
  };
}

async function postgres(url: string): Promise<Sql> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    all: async (text) => (await client.query(text)).rows,
    insert: async (table, rows) => {
      for (const some of chunksOf(rows, rowsAtOnce)) {
        const { text, values } = insertion(table, some, (i) => `$${i}`);
        await client.query(text, values);
      }
    },
    close: async () => {
      await client.query('ANALYZE');
      await client.end();
    },
  };
}
