import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines, newDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { poll } from '../../../../test/support/poll.ts';
import { type Random, randomFrom } from '../../../../test/support/random.ts';
import { FailureLog } from '../../../lib/failure-log.ts';
import { cosine, toInt8, toWholeQuery } from '../../../search-index/vectors/quantize.ts';
import { migrate } from '../../sql/core/migrate.ts';
import type { Database } from '../../sql/core/schema.ts';
import { vectorRowsOf } from '../../sql/vectors/vector-checksum.ts';
import { LockConnections } from '../lock-connections.ts';
import { LongWork } from '../long-work.ts';
import { postgresMigrations } from '../migrations.ts';
import { createPool, kyselyOver } from '../pool.ts';
import { NearestVectors } from './nearest-vectors.ts';
import { preparePgvector, updateHnswIndexes } from './pgvector.ts';

const toRows = vectorRowsOf(() => {
  throw new Error('No vector is damaged.');
});

const failures = new FailureLog();
const dimension = 32;
const large = 8000;
const others = 20;
const ofEach = 100;
const space = 1;

interface Stored {
  readonly doc: number;
  readonly vector: Int8Array;
}

/** Vectors around a few dozen centres, as texts are around subjects. */
function generate(random: Random, count: number, firstDoc: number): Stored[] {
  const centres = Array.from({ length: 40 }, () => numbers(random));
  return Array.from({ length: count }, (_, i) => {
    const centre = random.pick(centres);
    const own = numbers(random);
    return { doc: firstDoc + i, vector: toInt8(Float32Array.from(centre, (at, d) => at + 0.6 * own[d])) };
  });
}

function numbers(random: Random): Float32Array {
  return Float32Array.from({ length: dimension }, () => random.float() + random.float() - 1);
}

function unit(vector: ArrayLike<number>): Float32Array {
  const length = Math.hypot(...Array.from(vector));
  return Float32Array.from(vector, (number) => number / length);
}

/** The cosine of the `count`th nearest vector. */
function least(stored: readonly Stored[], query: Float32Array, count: number): number {
  const whole = toWholeQuery(query);
  return stored.map(({ vector }) => cosine(whole, vector)).sort((a, b) => b - a)[count - 1];
}

async function insert(db: Kysely<Database>, userId: number, stored: readonly Stored[]): Promise<void> {
  const vectors = stored.map(({ vector }) => Buffer.from(vector.buffer));
  await sql`
    INSERT INTO memory_vectors (user_id, doc, space, part, vector)
    SELECT ${userId}, doc, ${space}, 0, vector
    FROM unnest(${stored.map(({ doc }) => doc)}::bigint[], ${vectors}::bytea[]) AS given (doc, vector)`.execute(
    db,
  );
}

describe.runIf(engines.includes('postgres'))('vectors compared by pgvector', () => {
  let database: TestDatabase;
  let db: Kysely<Database>;
  let locks: LockConnections;
  let longWork: LongWork;
  let own: Stored[];
  const small = new Map<number, Stored[]>();

  beforeAll(async () => {
    database = await newDatabase('postgres');
    db = kyselyOver(createPool(database.url, 2, failures));
    locks = new LockConnections(database.url);
    longWork = new LongWork({ db, locks, hasSessions: true });
    await db.transaction().execute(async (tx) => {
      await migrate(tx, postgresMigrations());
      expect(await preparePgvector(tx, failures)).toBe(true);
    });
    // The test needs vectors without memories.
    await sql`ALTER TABLE memory_vectors DROP CONSTRAINT memory_vectors_user_id_doc_fkey`.execute(db);
    await sql`INSERT INTO vector_spaces (model, dimension, version, state, created_at)
      VALUES ('test', ${dimension}, '1', 'serving', 0)`.execute(db);
    const random = randomFrom(5);
    own = generate(random, large, 1);
    await insert(db, 1, own);
    for (let user = 2; user < 2 + others; user++) {
      const theirs = generate(random, ofEach, user * 100_000);
      small.set(user, theirs);
      await insert(db, user, theirs);
    }
    await updateHnswIndexes(db, longWork);
    await sql`ANALYZE memory_vectors`.execute(db);
  }, 120_000);
  afterAll(async () => {
    await locks.end();
    await db.destroy();
    await database.drop();
  });

  const indexes = async () => {
    const { rows } = await sql<{ name: string; scans: number }>`
      SELECT indexrelname AS name, idx_scan AS scans FROM pg_stat_user_indexes
      WHERE indexrelname LIKE 'memory_vectors_near%'`.execute(db);
    return rows;
  };

  it('vectors compared by pgvector are found by the index of their space where a user has many', async () => {
    const nearest = new NearestVectors(db, 1, toRows);
    const random = randomFrom(6);
    let kept = 0;
    for (let i = 0; i < 30; i++) {
      const vector = unit(random.pick(own).vector);
      const found = await nearest.nearest({ space, vector, count: 400, size: large });
      const cosines = found.map((row) => cosine(toWholeQuery(vector), row.vector));
      expect(found.length).toBeGreaterThanOrEqual(400);
      const bound = least(own, vector, 20) - 1e-6;
      kept += cosines.filter((value) => value >= bound).length;
    }
    expect(kept / (30 * 20)).toBeGreaterThanOrEqual(0.97);
    await poll('a scan of the index', async () => ((await indexes())[0].scans > 0 ? true : undefined));
  });

  it('vectors compared by pgvector are compared one by one where a user has few among many others', async () => {
    for (const [user, theirs] of small) {
      const vector = unit(theirs[0].vector);
      const found = await new NearestVectors(db, user, toRows).nearest({
        space,
        vector,
        count: 20,
        size: ofEach,
      });
      expect(found[0].doc).toBe(theirs[0].doc);
      const cosines = found.map((row) => cosine(toWholeQuery(vector), row.vector));
      expect(cosines.length).toBe(20);
      expect(cosines[19]).toBeCloseTo(least(theirs, vector, 20), 6);
    }
  });

  it('vectors compared by pgvector are those of the versions named, however far, and of no other user', async () => {
    const docs = [own[7].doc, own[4000].doc, small.get(2)?.[0].doc ?? 0];
    const vector = unit(own[1].vector);
    const found = await new NearestVectors(db, 1, toRows).nearest({
      space,
      vector,
      count: 400,
      size: large,
      docs,
    });
    expect(found.map(({ doc }) => doc).sort((a, b) => a - b)).toEqual([own[7].doc, own[4000].doc]);
    expect(
      await new NearestVectors(db, 1, toRows).nearest({ space, vector, count: 4, size: large, docs: [] }),
    ).toEqual([]);
  });

  it('vectors compared by pgvector lose their index with their space, and get it again', async () => {
    const state = (to: string) => sql`UPDATE vector_spaces SET state = ${to}`.execute(db);
    await state('dropping');
    await updateHnswIndexes(db, longWork);
    expect(await indexes()).toEqual([]);
    const vector = unit(own[1].vector);
    const found = await new NearestVectors(db, 1, toRows).nearest({ space, vector, count: 400, size: large });
    expect(found[0].doc).toBe(own[1].doc);
    await state('serving');
    await updateHnswIndexes(db, longWork);
    expect((await indexes()).map(({ name }) => name)).toEqual(['memory_vectors_near_1']);
  }, 60_000);
});
