import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { type Client, client } from '../support/http-client.ts';
import { createUserKey, type Engine, engines } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';
import { useServer } from '../support/use-server.ts';
import { importJson, type Snapshot, snapshot } from './import-snapshot.ts';
import { checkNewer, checkSnapshot, type Expected, type Newer, totalOf } from './sample-expectations.ts';

const samples = fileURLToPath(new URL('../data/imports/', import.meta.url));

interface Sample extends Expected {
  /** Each alone gives the whole result. */
  readonly inputs?: readonly string[];
  /** Each has its own result; several files of one are joined by "and". */
  readonly files?: readonly (Expected & { readonly input: string; readonly arguments?: readonly string[] })[];
  readonly again?: object;
  readonly newer?: Newer;
}

const readSample = (format: string) =>
  JSON.parse(readFileSync(join(samples, format, 'expected.json'), 'utf8')) as Sample;

/** An import asks a service over HTTP and does not know the engine; together these have every kind of record and field. */
const alsoOnPostgres = ['basic-memory', 'claude', 'graphiti', 'hindsight'];
const formatsOn = (engine: Engine) => (engine === 'sqlite' ? readdirSync(samples) : alsoOnPostgres);

interface Case {
  readonly paths: readonly string[];
  readonly expected: Expected;
}

function casesOf({ inputs = [], files = [], ...expected }: Sample): readonly Case[] {
  return [
    ...inputs.map((input) => ({ paths: [input], expected })),
    ...files.map(({ input, ...own }) => ({ paths: input.split(' and '), expected: own })),
  ];
}

describe.each(engines)('samples of other tools on %s', (engine) => {
  const folder = newTempFolder('samples');
  const server = useServer(engine);
  let users = 0;

  afterAll(() => folder.remove());

  const newUser = async (): Promise<Client> =>
    client(server.url, await createUserKey(server.databaseUrl, `sample-${++users}`));

  /** A copy, as the README of the samples asks for. */
  function copyOf(format: string): string {
    const path = join(folder.path, `${format}-${users}`);
    cpSync(join(samples, format), path, { recursive: true });
    const rules = join(path, 'CLAUDE.md.txt');
    if (existsSync(rules)) renameSync(rules, join(path, 'CLAUDE.md'));
    return path;
  }

  /** An input that is the folder itself has neither the expectations nor the newer export in it. */
  function prepare(path: string, paths: readonly string[]): readonly string[] {
    if (!paths.includes('.')) return paths.map((each) => join(path, each));
    const apart = `${path}-newer`;
    cpSync(join(path, 'newer'), join(apart, 'newer'), { recursive: true });
    for (const name of ['newer', 'expected.json']) rmSync(join(path, name), { recursive: true, force: true });
    return [path];
  }

  async function importCase(format: string, { paths }: Case) {
    const http = await newUser();
    const path = copyOf(format);
    const prepared = prepare(path, paths);
    const newer = existsSync(join(path, 'newer')) ? path : `${path}-newer`;
    const result = await importJson(http, prepared);
    return { http, prepared, newer, result, stored: await snapshot(http) };
  }

  /** What identifies each record and says when it changed. */
  const identity = ({ memories, facts, artifacts, conversations, relationships }: Snapshot) => ({
    memories: memories.map(({ id, content, updatedAt }) => [id, content, updatedAt]).sort(),
    facts: facts.map(({ id, updatedAt }) => [id, updatedAt]).sort(),
    artifacts: artifacts.map(({ id, updatedAt }) => [id, updatedAt]).sort(),
    conversations: conversations.map(({ id, title }) => [id, title]).sort(),
    relationships: relationships.map(({ id }) => id).sort(),
  });

  for (const format of formatsOn(engine)) {
    const sample = readSample(format);
    const cases = casesOf(sample);

    it.each(cases)(
      `a sample of ${format} ($paths) arrives exactly, again changes nothing, and what was deleted here stays deleted`,
      async (one) => {
        const { http, prepared, result, stored } = await importCase(format, one);
        checkSnapshot(stored, one.expected, result);
        const again = await importJson(http, prepared);
        expect({ imported: again.imported, changed: again.changed }).toEqual({ imported: 0, changed: 0 });
        expect(identity(await snapshot(http))).toEqual(identity(stored));
        const [deleted] = stored.memories;
        await http.delete(`/api/memories/${deleted.id}`);
        expect(await importJson(http, prepared)).toMatchObject({
          imported: 0,
          deletedHere: expect.any(Number),
        });
        const ids = (await snapshot(http)).memories.map(({ id }) => id);
        expect(ids).toEqual(stored.memories.map(({ id }) => id).filter((id) => id !== deleted.id));
      },
    );

    it(`the import of ${format} is one, and its undo leaves nothing of it`, async () => {
      const { http } = await importCase(format, cases[0]);
      const { data } = (await http.get<{ data: readonly { id: string }[] }>('/api/imports')).body;
      expect(data.length).toBe(1);
      await http.delete(`/api/imports/${data[0].id}`);
      const { memories, facts, artifacts, conversations, relationships } = await snapshot(http);
      expect([memories, facts, artifacts, conversations, relationships].flat()).toEqual([]);
    });

    it.runIf(sample.newer !== undefined)(`a newer export of ${format} adds and updates`, async () => {
      const { newer: expected } = sample;
      if (expected === undefined) return;
      const { http, newer, stored } = await importCase(format, cases[0]);
      const result = await importJson(http, [join(newer, expected.input)]);
      const after = await snapshot(http);
      checkNewer(stored, after, { expected, result });
    });
  }

  it('samples have counts that are numbers or sums', () => {
    expect(totalOf(3)).toBe(3);
    expect(totalOf({ turns: 2, saved: 1 })).toBe(3);
    expect(totalOf({ turns: 2, saved: 1, total: 3 })).toBe(3);
  });
});
