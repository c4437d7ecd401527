import { describe, expect, it } from 'vitest';
import { loadTokenCounter } from '../../src/briefing/text/tokens.ts';
import { awaitSteps } from '../support/await-steps.ts';
import { client } from '../support/http-client.ts';
import { createUserKey, engines } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';
import { runCli, serviceEnv } from './run-cli.ts';

const lines = [
  'The staging server is Debian 12 and is rebuilt every Sunday night.',
  'Deploys to the staging server go through the blue pipeline; Marta owns it.',
  'The deploy of the staging server failed because the disk was full; logs are rotated daily now.',
  'src/deploy/rollback.ts keeps the last five releases of the staging server.',
  'ok',
];

describe.each(engines)('commands that answer with what memories say together on %s', (engine) => {
  const server = useServer(engine);
  let users = 0;

  async function newUser() {
    const key = await createUserKey(server.databaseUrl, `reader-${++users}`);
    const env = serviceEnv({ url: server.url, key });
    return { memoryd: (...args: string[]) => runCli(args, { env }), http: client(server.url, key) };
  }

  async function userWithMemories() {
    const user = await newUser();
    for (const content of lines) await user.http.post('/api/memories', { content });
    return user;
  }

  it('memoryd digest prints a digest within its tokens, and as JSON what the service answers', async () => {
    const { memoryd } = await userWithMemories();
    const count = await loadTokenCounter();
    const whole = await memoryd('digest', 'staging', 'server', 'deploys', '--ids');
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    expect(whole.stdout).toMatch(/^# staging server deploys\n\nSources: \d/);
    expect(whole.stdout).toContain('Marta owns it.');
    const short = await memoryd('digest', 'staging server deploys', '--tokens', '90');
    expect(count(short.stdout)).toBeLessThanOrEqual(90);
    const json = await memoryd('digest', 'staging', '--format', 'timeline', '--sources', '2', '--json');
    expect(JSON.parse(json.stdout).metadata).toMatchObject({ format: 'timeline', sourcesUsed: 2 });
    expect(await memoryd('digest', 'staging', '--tokens', '10')).toMatchObject({ code: 2, stdout: '' });
    expect(await memoryd('digest', 'staging', '--recent', 'soon')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('recent'),
    });
  });

  it('memoryd context prints what to know before work, what names a file first, within its tokens', async () => {
    const { memoryd } = await userWithMemories();
    const count = await loadTokenCounter();
    const args = ['context', 'roll back the deploy', '--file', 'src/deploy/rollback.ts', '--file', 'x.md'];
    const whole = await memoryd(...args);
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    const [, memories = ''] = whole.stdout.split('## Memories\n');
    expect(memories).toMatch(/^- \d{4}-\d\d-\d\d src\/deploy\/rollback\.ts keeps the last five/);
    expect(whole.stdout).toContain('## Recent activity');
    for (const tokens of ['200', '300'])
      expect(count((await memoryd(...args, '--tokens', tokens)).stdout)).toBeLessThanOrEqual(Number(tokens));
    const json = JSON.parse((await memoryd(...args, '--hours', '5', '--json')).stdout);
    expect(json.meta).toMatchObject({ recentHours: 5 });
    const { memoryd: nobody } = await newUser();
    expect(await nobody('context', 'anything')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Nothing is known about it.\n',
    });
  });

  it('memoryd patterns detect finds what recurs, and list has what was stored', async () => {
    const { memoryd, http } = await newUser();
    for (const day of ['Monday', 'Tuesday', 'Friday'])
      await http.post('/api/memories', {
        content: `I prefer dark roast coffee on ${day}.`,
        conversationId: 'NEW',
      });
    await http.post('/api/memories', {
      content: 'Always run the tests before you commit.',
      conversationId: 'NEW',
    });
    await awaitSteps(http, 50);
    const found = await memoryd('patterns', 'detect');
    expect(found).toMatchObject({ code: 0, stderr: 'Nothing was stored; --store stores them.\n' });
    expect(found.stdout).toMatch(/^TYPE +CONFIDENCE +MEMORIES +LAST SEEN +PATTERN\n/);
    expect((await memoryd('patterns', 'detect', '--store')).stderr).toMatch(/^Stored [1-9]/);
    const listed = await memoryd('patterns', 'list', '--json');
    expect(JSON.parse(listed.stdout).data.length).toBeGreaterThan(0);
  });

  it('memoryd patterns list, patterns detect and prune --dry-run print the rows that their tokens have room for', async () => {
    const { memoryd, http } = await newUser();
    for (const what of [
      'touch the boiler',
      'feed gulls',
      'share keys',
      'paint at noon',
      'moor here',
      'burn coal',
    ])
      await http.post('/api/memories', { content: `Never ${what}.`, conversationId: 'NEW' });
    await awaitSteps(http, 50);
    await memoryd('patterns', 'detect', '--store');
    const count = await loadTokenCounter();
    for (const words of [
      ['patterns', 'list'],
      ['patterns', 'detect'],
      ['prune', '--dry-run', '--below', '1', '--days', '0'],
    ]) {
      const whole = (await memoryd(...words)).stdout;
      expect(count(whole)).toBeGreaterThan(55);
      const cut = await memoryd(...words, '--tokens', '55');
      expect(cut.code).toBe(0);
      expect(cut.stdout.split('\n').length).toBeGreaterThan(2);
      expect(count(cut.stdout)).toBeLessThanOrEqual(55);
      expect(cut.stderr).toMatch(/^[1-5] of [4-6] within 55 tokens/);
      expect((await memoryd(...words, '--tokens', '32000')).stdout).toBe(whole);
      expect(await memoryd(...words, '--tokens', '49')).toMatchObject({ code: 2, stdout: '' });
      expect(await memoryd(...words, '--tokens', '55', '--json')).toMatchObject({ code: 2, stdout: '' });
    }
  });

  it('memoryd patterns instructions prints what was stored within its tokens, a line each; a duplicate takes nothing away', async () => {
    const { memoryd, http } = await newUser();
    expect(await memoryd('patterns', 'instructions')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'There are no patterns yet.\n',
    });
    const rule = 'Always run the tests before you commit.';
    for (const content of [rule, rule, 'Please use vitest instead of jest.'])
      await http.post('/api/memories', { content, conversationId: 'NEW' });
    await awaitSteps(http, 50);
    await memoryd('patterns', 'detect', '--store');
    const printed = await memoryd('patterns', 'instructions', 'write', 'a', 'vitest', '--tokens', '60');
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(printed.stdout.split('\n').sort()).toEqual(['', rule, 'Use vitest, not jest.']);
    const count = await loadTokenCounter();
    expect(count(printed.stdout)).toBeLessThanOrEqual(60);
    const json = JSON.parse((await memoryd('patterns', 'instructions', 'vitest', '--json')).stdout);
    expect(json).toMatchObject({ systemState: 'ok', patternsActivated: 2 });
    expect(json.instructions.flatMap((one: { activatedBy: string[] }) => one.activatedBy)).toContain('query');
    expect(await memoryd('patterns', 'instructions', '--tokens', '49')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--tokens'),
    });
  });

  it('memoryd prune moves to the trash exactly what its dry run names, and memoryd quality counts it before', async () => {
    const { memoryd } = await userWithMemories();
    const below = ['--below', '0.45', '--days', '0'];
    const quality = await memoryd('quality', '--below', '0.45');
    expect(quality.stdout).toMatch(/^memories +5\n(.*\n)*a prune would take +0\n$/);
    const details = await memoryd('quality', '--details');
    expect(details).toMatchObject({ code: 0, stderr: 'A prune would take nothing.\n' });
    const dry = JSON.parse((await memoryd('prune', '--dry-run', ...below, '--json')).stdout);
    expect(dry.data).toMatchObject({ dryRun: true });
    expect(dry.data.prunedIds).toHaveLength(1);
    const named = await memoryd('prune', '--dry-run', ...below);
    expect(named.stdout).toMatch(/^ID +TEXT\n[0-9a-f]{8} +ok\n$/);
    const pruned = await memoryd('prune', ...below);
    expect(pruned).toMatchObject({ code: 0, stdout: `${dry.data.prunedIds[0]}\n` });
    expect(JSON.parse((await memoryd('recent', '--json')).stdout).data).toHaveLength(4);
    expect((await memoryd('trash')).stdout).toMatch(/ok\n$/);
    expect(await memoryd('prune', ...below)).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Nothing is to be pruned.\n',
    });
    expect(await memoryd('prune', '--below', '7')).toMatchObject({ code: 2 });
  });
});
