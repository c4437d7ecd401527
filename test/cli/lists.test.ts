import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStorage } from '../../src/container.ts';
import { writeGrant } from '../support/sample-records.ts';
import { engines, newDatabase, type TestDatabase } from '../support/server.ts';
import { testConfig } from '../support/test-config.ts';
import { runCli } from './run-cli.ts';

describe.each(engines)('lists of the operator on %s', (engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await newDatabase(engine);
  });
  afterAll(() => database.drop());

  const memoryd = (...args: string[]) => runCli(args, { env: { MEMORYD_DATABASE_URL: database.url } });

  it('lists of the operator have headings, and JSON with every field', async () => {
    expect(await memoryd('users', 'list')).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('There are no users yet'),
    });
    await memoryd('users', 'add', 'ana', '--email', 'ana@example.test');
    expect((await memoryd('users', 'list')).stdout).toMatch(
      /^NAME +ID +EMAIL +SINCE\nana +[0-9a-f-]{36} +ana@example.test +\d{4}-\d\d-\d\d \d\d:\d\d\n$/,
    );
    expect(JSON.parse((await memoryd('users', 'list', '--json')).stdout)).toEqual({
      data: [
        {
          name: 'ana',
          id: expect.any(String),
          email: 'ana@example.test',
          createdAt: expect.stringMatching(/T.*\.\d{3}Z$/),
        },
      ],
    });

    const none = await memoryd('keys', 'list', '--user', 'ana');
    expect(none).toMatchObject({ stdout: '', stderr: expect.stringContaining('keys create --user ana') });
    await memoryd('keys', 'create', '--user', 'ana', '--label', 'phone', '--scopes', 'read');
    expect((await memoryd('keys', 'list', '--user', 'ana')).stdout).toMatch(
      /^ID +BEGINS WITH +SCOPES +MADE +EXPIRES +LAST USED +LABEL\n\S+ +cmk_live_\S+ +read +\d.* - +- +phone\n$/,
    );
    const { data } = JSON.parse((await memoryd('keys', 'list', '--user', 'ana', '--json')).stdout);
    expect(data).toMatchObject([{ label: 'phone', scopes: ['read'], expiresAt: null, lastUsedAt: null }]);
    expect((await memoryd('embeddings', 'status')).stdout).toMatch(/static.* serves/);
    const spaces = JSON.parse((await memoryd('embeddings', 'status', '--json')).stdout);
    expect(spaces.data).toMatchObject([
      { role: 'main', state: 'serving', waiting: 0, failed: 0 },
      { role: 'second', state: 'serving', waiting: 0, failed: 0 },
    ]);
    const check = JSON.parse((await memoryd('check', '--json')).stdout);
    expect(check.data).toMatchObject({ isClean: true, found: { users: 1 }, left: { faults: [] } });
  });

  it('grants of OAuth are listed, and ended by their user alone', async () => {
    const list = (...more: string[]) => memoryd('grants', 'list', '--user', 'fay', ...more);
    await memoryd('keys', 'create', '--user', 'fay');
    expect(await list()).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('fay let no client in'),
    });
    const keys = JSON.parse((await memoryd('keys', 'list', '--user', 'fay', '--json')).stdout);
    const storage = await openStorage(testConfig({ MEMORYD_DATABASE_URL: database.url }), {
      exclusive: true,
    });
    const id = await writeGrant(storage.oauth, keys.data[0].id);
    await storage.close();
    expect((await list()).stdout).toMatch(
      /^ID +SCOPES .*\n\S+ +read +\d.*https:\/\/client\.example\.test\n$/,
    );
    const { data } = JSON.parse((await list('--json')).stdout);
    expect(data).toMatchObject([{ id, scopes: ['read'], createdAt: expect.stringMatching(/Z$/) }]);
    await memoryd('users', 'add', 'gus');
    expect((await memoryd('grants', 'end', id, '--user', 'gus')).code).toBe(1);
    expect(await memoryd('grants', 'end', id, '--user', 'fay')).toMatchObject({ code: 0 });
    expect(JSON.parse((await list('--json')).stdout)).toEqual({ data: [] });
  });

  it('a key that made a new user says so, and only then', async () => {
    const first = await memoryd('keys', 'create', '--user', 'carol');
    expect(first.stdout).toMatch(/^Made a key and the new user carol\. .*: cmk_live_\S+\n$/);
    const second = await memoryd('keys', 'create', '--user', 'carol');
    expect(second.stdout).toMatch(/^Made a key for carol\. /);
    const third = await memoryd('keys', 'create', '--user', 'dora', '--json');
    expect(JSON.parse(third.stdout).data).toMatchObject({
      user: 'dora',
      userIsNew: true,
      apiKey: expect.stringMatching(/^cmk_live_/),
    });
    expect(await memoryd('keys', 'create', '--user', 'eve', '--expires', 'soon')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('or how long until then, such as 24h, 30d or 2w'),
    });
    const [before, month] = [Date.now(), 30 * 24 * 3_600_000];
    const limit = ['--requests-per-minute', '60'];
    const brief = await memoryd(
      'keys',
      'create',
      '--expires',
      '30d',
      '--scope',
      'operator',
      ...limit,
      '--json',
    );
    const { scopes, expiresAt, requestsPerMinute } = JSON.parse(brief.stdout).data;
    expect(scopes).toEqual(['operator']);
    expect(requestsPerMinute).toBe(60);
    expect(await memoryd('keys', 'create', '--user', 'eve', '--requests-per-minute', '0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('It must be a whole number from 1 to 100000.'),
    });
    expect(Date.parse(expiresAt) - month).toBeGreaterThanOrEqual(before);
    expect(Date.parse(expiresAt) - month).toBeLessThanOrEqual(Date.now());
    expect((await memoryd('users', 'list')).stdout).not.toContain('eve');
  });
});
