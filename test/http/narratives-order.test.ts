import { randomUUID } from 'node:crypto';
import SqliteConnection from 'better-sqlite3';
import fc from 'fast-check';
import { Client as PostgresClient } from 'pg';
import { describe, expect, it } from 'vitest';
import type { UserRef } from '../../src/domain/shared/user-ref.ts';
import type { AppFixture } from '../support/app-fixture.ts';
import { engines, sqlitePath } from '../support/database.ts';
import { useApp } from '../support/use-app.ts';

const poolSize = 7;
const kinds = [
  'add',
  'add',
  'add',
  'append',
  'append',
  'remove',
  'trash',
  'restore',
  'resolve',
  'erase',
] as const;

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    memory: fc.nat(poolSize - 1),
    position: fc.nat(poolSize),
  }),
  { minLength: 5, maxLength: 35 },
);

interface Step {
  readonly kind: (typeof kinds)[number];
  readonly memory: number;
  readonly position: number;
}

/** A thread as an array of memories, in the trash or not, and the calls that do the same to the real one. */
class Model {
  readonly #app: AppFixture;
  readonly #user: UserRef;
  readonly #pool: readonly string[];
  readonly #away = new Set<string>();
  readonly #erased = new Set<string>();
  readonly narrativeId: string;
  slots: string[];
  /** Erasing takes a slot and leaves its number; the next memory that is put into the thread closes the gap. */
  mayHaveGaps = false;

  constructor(app: AppFixture, user: UserRef, pool: readonly string[], narrativeId: string) {
    this.#app = app;
    this.#user = user;
    this.#pool = pool;
    this.narrativeId = narrativeId;
    this.slots = [pool[0]];
  }

  get live(): string[] {
    return this.slots.filter((id) => !this.#away.has(id));
  }

  async take({ kind, memory, position }: Step): Promise<void> {
    const id = this.#pool[memory];
    if (kind === 'add') await this.#add(id, position);
    if (kind === 'append') await this.#add(id, undefined);
    if (kind === 'remove') await this.#remove(id);
    if (kind === 'trash' && !this.#away.has(id)) {
      await this.#app.services.memories.delete(this.#user, id);
      this.#away.add(id);
    }
    if (kind === 'resolve') await this.#resolve(id);
    if (kind === 'restore' || kind === 'erase') await this.#leaveTrash(id, kind);
  }

  async #add(id: string, position: number | undefined): Promise<void> {
    const { narratives } = this.#app.services;
    const call = narratives.addMemory(this.#user, this.narrativeId, { memoryId: id, position });
    const others = this.live.filter((other) => other !== id);
    if (this.#away.has(id)) return expect(call).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' });
    if (position !== undefined && position > others.length)
      return expect(call).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await call;
    this.slots = this.slots.filter((other) => other !== id);
    const next = position === undefined ? undefined : others[position];
    this.slots.splice(next === undefined ? this.slots.length : this.slots.indexOf(next), 0, id);
  }

  async #remove(id: string): Promise<void> {
    const call = this.#app.services.narratives.removeMemory(this.#user, this.narrativeId, id);
    if (!this.live.includes(id))
      return expect(call).rejects.toMatchObject({ code: 'NARRATIVE_MEMORY_NOT_FOUND' });
    await call;
    this.slots = this.slots.filter((other) => other !== id);
  }

  async #resolve(id: string): Promise<void> {
    const input = { state: 'resolved', resolutionMemoryId: id } as const;
    const call = this.#app.services.narratives.update(this.#user, this.narrativeId, input);
    if (this.#away.has(id)) return expect(call).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' });
    expect((await call).resolutionMemoryId).toBe(id);
    if (!this.slots.includes(id)) this.slots.push(id);
  }

  async #leaveTrash(id: string, kind: 'restore' | 'erase'): Promise<void> {
    if (!this.#away.has(id) || this.#erased.has(id)) return;
    const { trash } = this.#app.services;
    const { items } = await trash.list(this.#user, { limit: 100, offset: 0 });
    const entry = items.find(({ recordId }) => recordId === id);
    expect(entry).toBeDefined();
    if (kind === 'restore') {
      await trash.restore(this.#user, entry?.id ?? '');
      this.#away.delete(id);
    } else {
      await trash.erase(this.#user, entry?.id ?? '');
      this.#erased.add(id);
      this.mayHaveGaps ||= this.slots.includes(id);
      this.slots = this.slots.filter((other) => other !== id);
    }
  }
}

describe.each(engines)('the order of a narrative on %s', (engine) => {
  const app = useApp(engine);

  async function newModel(): Promise<{ user: UserRef; model: Model }> {
    const { memories, narratives } = app.services;
    const { users } = app.storage;
    const name = `user-${randomUUID()}`;
    const user = await users.insert({ publicId: randomUUID(), name, email: `${name}@example.test`, at: 1 });
    const pool: string[] = [];
    for (let i = 0; i < poolSize; i++) {
      const expected = { conversationId: i === 0 ? 'NEW' : undefined };
      const made = await memories.create(user, { content: `m${i}` }, expected);
      pool.push(made.memory.id);
    }
    const { id } = await narratives.create(user, { title: 'A thread', rootMemoryId: pool[0] });
    return { user, model: new Model(app, user, pool, id) };
  }

  /** What is stored, past the service. */
  async function storedSlots(narrativeId: string): Promise<{ memory_id: string; position: number }[]> {
    const text =
      'SELECT memory_id, position FROM narrative_memories WHERE narrative_id = ? ORDER BY position';
    if (engine === 'sqlite') {
      const file = new SqliteConnection(sqlitePath(app.databaseUrl), { readonly: true });
      try {
        return file.prepare(text).all(narrativeId) as { memory_id: string; position: number }[];
      } finally {
        file.close();
      }
    }
    const client = new PostgresClient({ connectionString: app.databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query(text.replace('?', '$1'), [narrativeId]);
      return rows.map((row) => ({ memory_id: row.memory_id, position: Number(row.position) }));
    } finally {
      await client.end();
    }
  }

  it('the order of a narrative is that of an array with the same inserts, moves, removals and deletes', async () => {
    const check = fc.asyncProperty(steps, async (taken) => {
      const { user, model } = await newModel();
      for (const step of taken) {
        await model.take(step);
        const page = { limit: 100, offset: 0 };
        const said = await app.services.narratives.timeline(user, model.narrativeId, page);
        const { live } = model;
        expect(said.page.items.map(({ id }) => id)).toEqual(live);
        expect(said.narrative).toMatchObject({
          memoryCount: live.length,
          currentMemoryId: live.at(-1) ?? null,
        });
        if (live.length > 0) expect(said.narrative.rootMemoryId).toBe(live[0]);
      }
      const stored = await storedSlots(model.narrativeId);
      expect(stored.map(({ memory_id }) => memory_id)).toEqual(model.slots);
      if (!model.mayHaveGaps) expect(stored.map(({ position }) => position)).toEqual(stored.map((_, i) => i));
      const last = await app.services.memories.create(user, { content: 'last' }, {});
      await app.services.narratives.addMemory(user, model.narrativeId, { memoryId: last.memory.id });
      const dense = await storedSlots(model.narrativeId);
      expect(dense.map(({ position }) => position)).toEqual([...model.slots, last].map((_, i) => i));
    });
    await fc.assert(check, { numRuns: engine === 'sqlite' ? 25 : 10 });
  }, 120_000);
});
