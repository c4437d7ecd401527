import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { client } from '../support/http-client.ts';
import { createUserKey, engines } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';
import { type Ran, runCli, serviceEnv } from './run-cli.ts';

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

type Json = { data: { id: string }[]; pagination?: { count: number } };

describe.each(engines)('commands for memories on %s', (engine) => {
  const server = useServer(engine);
  let users = 0;

  /** The command line and an HTTP client of a new user. */
  async function newUser() {
    const key = await createUserKey(server.databaseUrl, `person-${++users}`);
    const env = serviceEnv({ url: server.url, key });
    const memoryd = (args: readonly string[], input?: string) => runCli(args, { env, input });
    const idOf = ({ stdout }: Ran) => stdout.trim().split(/\s+/).at(-1) ?? '';
    return { memoryd, idOf, http: client(server.url, key), env };
  }

  it('a search says why a memory was not found; versions, an earlier time and counts over time are shown', async () => {
    const { memoryd, http } = await newUser();
    const write = async (content: string, eventTime: string) =>
      (
        await http.post<{ data: { id: string; updatedAt: string } }>('/api/memories', {
          content,
          eventTime,
          conversationId: 'NEW',
        })
      ).body.data;
    const { id, updatedAt } = await write('The lamp is blue.', '2026-03-05T10:00:00Z');
    await write('The night train to Vienna.', '2026-05-05T10:00:00Z');
    const why = await memoryd(['search', 'night train', '--method', 'keyword', '--why', id.slice(0, 8)]);
    expect(why).toMatchObject({ code: 0 });
    expect(why.stdout).toContain(`${id.slice(0, 8)}  Nothing in it matches.`);
    expect(why.stdout).toContain('Words of the query that it has not: night, train.');
    const found = await memoryd(['search', 'lamp', '--why', id]);
    expect(found.stdout).toMatch(/It was found at rank 1\.\n +\d\.\d{3} {2}\S/);
    const nobody = '00000000-0000-4000-8000-000000000000';
    expect((await memoryd(['search', 'lamp', '--why', nobody])).stdout).toContain(
      'There is no memory with this id.',
    );
    await memoryd(['edit', id, 'The lamp is red.']);
    const versions = (await memoryd(['show', id, '--versions'])).stdout.trimEnd().split('\n');
    expect(versions.map((line) => line.replace(/^.*The/, 'The'))).toEqual([
      expect.stringMatching(/^FROM +UNTIL +TEXT$/),
      'The lamp is red.',
      'The lamp is blue.',
    ]);
    expect((await memoryd(['show', id, '--as-of', updatedAt])).stdout).toContain('The lamp is blue.');
    expect((await memoryd(['show', id])).stdout).toContain('The lamp is red.');
    const [, ...bars] = (await memoryd(['histogram', '--unit', 'month'])).stdout.trimEnd().split('\n');
    expect(bars.map((line) => line.trim().split(/ {2,}/).slice(1))).toEqual([
      ['1', '#'.repeat(40)],
      ['0', '-'],
      ['1', '#'.repeat(40)],
    ]);
  });

  it('the graph around a topic and a memory is shown, with what each is linked by', async () => {
    const { memoryd, idOf } = await newUser();
    const id = idOf(await memoryd(['add', 'the boat needs tar', '--topic', 'boat']));
    await memoryd(['add', 'the sail is torn', '--topic', 'boat']);
    const around = await memoryd(['graph', 'topic:boat', '--limit', '2']);
    expect(around).toMatchObject({ code: 0, stderr: '1 neighbours are not shown; --limit shows more.\n' });
    const [heading, topic, memory, ...others] = around.stdout.trimEnd().split('\n');
    expect(heading).toMatch(/^AROUND +STEPS +LINKS +HIDDEN +NAME$/);
    expect(topic).toMatch(/^topic:[0-9a-f-]{36} +0 +HAS_TOPIC +\+1 +boat$/);
    expect(memory).toMatch(/^memory:[0-9a-f-]{36} +1 +HAS_TOPIC +\S+ +the sail is torn$/);
    expect(others).toEqual([]);
    const json = JSON.parse((await memoryd(['graph', id.slice(0, 8), '--json'])).stdout);
    expect(json.data.nodes[0]).toMatchObject({ kind: 'memory', id, name: 'the boat needs tar' });
    expect(await memoryd(['graph', 'entity:Nemo'])).toMatchObject({ code: 1 });
  });

  it('commands for memories store, find, show, change, delete and bring back a memory', async () => {
    const { memoryd, idOf } = await newUser();
    const added = await memoryd([
      'add',
      'Ana prefers',
      'the window seat',
      '--topic',
      'travel',
      '--topic',
      'ana',
    ]);
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toMatch(/^Stored in a new conversation: [0-9a-f-]{36}\n$/);
    const id = idOf(added);

    const found = await memoryd(['search', 'which', 'seat']);
    const [heading, hit, ...others] = found.stdout.trimEnd().split('\n');
    expect(heading).toMatch(/^ID +SCORE +TIME +TEXT +TOPICS$/);
    expect(hit).toMatch(
      new RegExp(
        `^${id.slice(0, 8)} +\\d\\.\\d\\d +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d +Ana prefers the window seat +`,
      ),
    );
    expect(others).toEqual([]);

    expect(
      (await memoryd(['edit', id.slice(0, 8), 'Ana prefers the aisle', '--topic', 'seats'])).stdout,
    ).toBe(`Changed ${id}\n`);
    const shown = (await memoryd(['show', id.slice(0, 8)])).stdout;
    expect(shown).toMatch(new RegExp(`^${id}\n`));
    expect(shown).toMatch(/^topics +seats$/m);
    expect(shown).toMatch(/\n\nAna prefers the aisle\n$/);

    const forgotten = await memoryd(['forget', id]);
    expect(forgotten).toMatchObject({ code: 0, stderr: '' });
    expect(forgotten.stdout).toMatch(
      new RegExp(`^Moved to the trash: Ana prefers the aisle\n  npx memoryd restore ${id} .* until \\d{4}-`),
    );
    expect(await memoryd(['show', id])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^memoryd: There is no memory with the id or the name /),
    });
    expect((await memoryd(['trash'])).stdout).toMatch(
      new RegExp(`^ID +KIND +DELETED +KEPT UNTIL +TEXT\n${id.slice(0, 8)} +memory +`),
    );
    const restored = await memoryd(['restore', id.slice(0, 8)]);
    expect(restored).toEqual({
      code: 0,
      stdout: `Restored the memory ${id}: Ana prefers the aisle\n`,
      stderr: '',
    });
    expect((await memoryd(['recent'])).stdout).toContain('Ana prefers the aisle');
    expect(await memoryd(['trash'])).toEqual({ code: 0, stdout: '', stderr: 'The trash is empty.\n' });
  });

  it('commands for memories take every field of a memory, read standard input, and print JSON as the service answers it', async () => {
    const { memoryd, http } = await newUser();
    const words = [
      ...['add', '-', '--json', '--conversation', 'NEW', '--type', 'semantic', '--role', 'user'],
      ...['--external-id', 'note-7', '--name', 'night-trains', '--event-time', '2026-11-20 21:30'],
      ...['--valid-from', '2026-11-01', '--valid-to', '2026-12-31'],
      ...['--metadata', 'source.repo=acme/web', '--metadata', 'source.line:=7', '--metadata', 'version=1.0'],
    ];
    const added = await memoryd(words, 'two\nlines\n');
    const { data } = JSON.parse(added.stdout);
    expect(data).toMatchObject({
      content: 'two\nlines',
      memoryType: 'semantic',
      role: 'user',
      externalId: 'note-7',
      name: 'night-trains',
      eventTime: '2026-11-20T12:30:00.000Z',
      validFrom: '2026-10-31T15:00:00.000Z',
      validTo: '2026-12-31T14:59:59.999Z',
      metadata: { source: { repo: 'acme/web', line: 7 }, version: '1.0' },
    });
    const again = await memoryd(['add', 'another text', '--external-id', 'note-7']);
    expect(again.stdout).toBe(`It is there already, and was left as it is: ${data.id}\n`);

    const shown = await memoryd(['show', 'night-trains', '--json']);
    const { body } = await http.get<{ data: object }>(`/api/memories/${data.id}?detail=full`);
    expect(JSON.parse(shown.stdout)).toEqual({ data: body.data });
    const plain = (await memoryd(['show', 'night-trains'])).stdout;
    expect(plain).toMatch(/^happened +2026-11-20 21:30$/m);
    expect(plain).toMatch(/^metadata +{"source":{"repo":"acme\/web","line":7},"version":"1.0"}$/m);

    await memoryd(['add', 'of no metadata']);
    const filtered = ['--metadata', 'source.line=7', '--metadata', 'version=1.0', '--json'];
    for (const words of [['recent'], ['search', 'lines']]) {
      const { data: found } = JSON.parse((await memoryd([...words, ...filtered])).stdout) as Json;
      expect(found.map(({ id }) => id)).toEqual([data.id]);
    }
    const none = await memoryd(['search', 'lines', '--metadata', 'source.line=8']);
    expect(none).toEqual({ code: 0, stdout: '', stderr: 'No memory matches.\n' });
    expect(
      JSON.parse((await memoryd(['edit', 'night-trains', '-', '--json'], 'three')).stdout),
    ).toMatchObject({
      data: { id: data.id, content: 'three', topics: [] },
    });
  });

  it('commands for memories find by method, topic, conversation and as of a time of this machine', async () => {
    const { memoryd, idOf, http } = await newUser();
    const id = idOf(await memoryd(['add', 'The release is in March', '--topic', 'plans, later']));
    await memoryd(['add', 'Lunch was good', '--conversation', 'NEW']);
    expect((await memoryd(['search', 'release', '--method', 'keyword'])).stdout).toContain('in March');
    const byTopic = JSON.parse(
      (await memoryd(['recent', '--topic', 'plans, later', '--json'])).stdout,
    ) as Json;
    expect(byTopic.data.map((memory) => memory.id)).toEqual([id]);
    const conversations = JSON.parse((await memoryd(['conversations', '--json'])).stdout) as Json;
    expect(conversations.data).toHaveLength(2);
    const [{ id: lunch }] = conversations.data;
    expect((await memoryd(['conversations', lunch])).stdout).toContain('Lunch was good');
    expect((await memoryd(['search', 'good', '--conversation', lunch])).stdout).toContain('Lunch');
    await http.delete(`/api/conversations/${lunch}`);
    const [, entry = ''] = (await memoryd(['trash', '--kind', 'conversation'])).stdout.split('\n');
    const [shown = ''] = entry.split(' ');
    expect(lunch.startsWith(shown)).toBe(true);
    expect((await memoryd(['restore', shown])).stdout).toBe(
      `Restored the conversation ${lunch}: Lunch was good\n`,
    );
    const early = await memoryd(['search', 'release', '--as-of', '2026-01-01', '--json']);
    expect(JSON.parse(early.stdout)).toMatchObject({
      data: [],
      meta: { temporalMetadata: { asOfTime: '2026-01-01T14:59:59.999Z' } },
    });
    expect((await memoryd(['topics'])).stdout).toMatch(
      /^TOPIC +MEMORIES +SINCE\n(?:.*\n)*plans, later +1 +\d{4}-/,
    );
    expect((await memoryd(['search', 'release', '--explain'])).stdout).toMatch(/^ +Holds "release"/m);
    expect((await http.get<Json>('/api/memories')).body.pagination?.count).toBe(2);
  });

  it('the command for entities lists what memories mention, by a part of a name and by type', async () => {
    const { memoryd, http } = await newUser();
    await memoryd(['add', 'Marek moved to Lisbon in March.']);
    await memoryd(['add', 'Marek uses Kafka since May.']);
    type Entities = { data: { name: string; mentionCount: number }[] };
    const namesOf = async () => (await http.get<Entities>('/api/entities')).body.data.map(({ name }) => name);
    await expect.poll(namesOf, { timeout: 30_000 }).toEqual(['Marek', 'Kafka', 'Lisbon']);
    const all = await memoryd(['entities', '--limit', '2']);
    expect(all.stdout).toMatch(
      /^ENTITY +TYPE +MEMORIES +LAST SEEN +ALSO\nMarek +PERSON +2 +\d{4}-.*\nKafka +TECHNOLOGY +1 /,
    );
    expect(all.stderr).toBe('2 of 3; --offset 2 shows more.\n');
    const places = await memoryd(['entities', '--type', 'LOCATION', '--json']);
    expect(JSON.parse(places.stdout)).toMatchObject({ data: [{ name: 'Lisbon' }], pagination: { count: 1 } });
    expect((await memoryd(['entities', 'kaf'])).stdout).toContain('Kafka');
    const byName = JSON.parse((await memoryd(['entities', '--sort', 'name', '--json'])).stdout);
    const names = byName.data.map(({ name }: { name: string }) => name.toLowerCase());
    expect(names).toEqual(names.toSorted());
    expect(await memoryd(['entities', 'nobody'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('There are no such entities.'),
    });
    expect(await memoryd(['entities', '--type', 'SHIP'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('commands for memories say on standard error that a list goes on, and how', async () => {
    const { memoryd } = await newUser();
    for (const text of ['one', 'two', 'three']) await memoryd(['add', text]);
    const first = await memoryd(['recent', '--limit', '2']);
    expect(first.stdout.match(/one|two|three/g)).toEqual(['three', 'two']);
    expect(first.stderr).toBe('2 of 3; --offset 2 shows more.\n');
    const second = await memoryd(['recent', '--limit', '2', '--offset', '2']);
    expect(second.stdout.match(/one|two|three/g)).toEqual(['one']);
    expect(second.stderr).toBe('');
  });

  it('commands for memories delete what they can of several memories, and exit 1 where one is not there', async () => {
    const { memoryd, idOf } = await newUser();
    const ids = [idOf(await memoryd(['add', 'one'])), idOf(await memoryd(['add', 'two']))];
    const done = await memoryd(['forget', ids[0] ?? '', 'no-such-name', ids[1] ?? '', '--json']);
    expect(done.code).toBe(1);
    expect(done.stderr).toMatch(/^memoryd: There is no memory with the id or the name no-such-name\./);
    expect((JSON.parse(done.stdout) as Json).data.map(({ id }) => id)).toEqual(ids);
  });

  it('commands for memories never show a memory of another user, nor restore one', async () => {
    const [ana, ben] = [await newUser(), await newUser()];
    const id = ana.idOf(await ana.memoryd(['add', 'of ana']));
    for (const words of [
      ['show', id],
      ['edit', id, 'x'],
      ['forget', id],
      ['show', id.slice(0, 8)],
    ])
      expect(await ben.memoryd(words)).toMatchObject({ code: 1, stdout: '' });
    await ana.memoryd(['forget', id]);
    expect(await ben.memoryd(['restore', id])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing in the trash has the id'),
    });
  });

  it('commands for memories end with 2 where the command line is wrong, and with 1 where the service refuses', async () => {
    const { memoryd, env } = await newUser();
    const wrong: readonly (readonly string[])[] = [
      ['serach', 'x'],
      ['search'],
      ['search', 'x', '--limit', '0'],
      ['search', 'x', '--method', 'magic'],
      ['add', 'x', '--metadata', 'no-value'],
      ['add', 'x', '--metadata', 'a:=not json'],
      ['edit', 'abcdef'],
      ['recent', '--url', 'localhost:3000'],
      ['users', 'lst'],
    ];
    for (const words of wrong) {
      const { code, stdout, stderr } = await memoryd(words);
      expect([words, code, stdout]).toEqual([words, 2, '']);
      expect(stderr).toMatch(/^error: /);
      expect(stderr).not.toContain('    at ');
    }
    const refused: readonly (readonly [readonly string[], RegExp])[] = [
      [['add', 'x', '--event-time', 'yesterday'], /^memoryd: eventTime must be an ISO 8601/],
      [['add', ''], /^memoryd: content must not be empty/],
      [['conversations', 'nobody'], /^memoryd: .*onversation/],
      [['restore', 'nothing.db'], /^memoryd: There is no file nothing.db, and it is not an id/],
      [['show', 'abc'], /at least 6 characters/],
    ];
    for (const [words, reason] of refused)
      expect([words, await memoryd(words)]).toEqual([
        words,
        { code: 1, stdout: '', stderr: expect.stringMatching(reason) },
      ]);
    const key = 'cmk_live_0000.00000000000000000000';
    expect(await runCli(['recent'], { env: { ...env, MEMORYD_KEY: key } })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/does not accept the key of MEMORYD_KEY: /),
    });
    const nowhere = `http://127.0.0.1:${await closedPort()}`;
    expect(await runCli(['recent', '--url', nowhere], { env })).toEqual({
      code: 1,
      stdout: '',
      stderr: `memoryd: ${nowhere} is not available: no answer (ECONNREFUSED). Is memoryd running there? \`npx memoryd serve\` starts it\n`,
    });
  });
});
