import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTokenCounter } from '../../src/briefing/text/tokens.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { connectMcp, type McpClient, textOf } from '../support/mcp-client.ts';

interface Context {
  readonly activeWork?: { readonly conversationId: string };
  readonly memories: readonly { readonly id: string; readonly content: string; readonly files?: string[] }[];
  readonly recent?: readonly { readonly id: string; readonly summary: string }[];
  readonly facts?: readonly string[];
}
interface Recalled {
  readonly digest?: string;
  readonly sources?: Readonly<Record<string, string>>;
  readonly relevant: readonly unknown[];
}

describe.each(engines)('briefing of agents over MCP on %s', (engine) => {
  let app: AppFixture;
  beforeAll(async () => {
    app = await newAppFixture(engine);
  });
  afterAll(() => app.close());
  const newAgent = async () => connectMcp(await app.newClient());

  async function agentWith(contents: readonly string[]): Promise<McpClient> {
    const agent = await newAgent();
    for (const content of contents) await agent.call('remember', { content });
    return agent;
  }

  it('build_context answers the memories that name a file first, recent ones and the conversation of the work', async () => {
    const agent = await agentWith([
      'The retry queue gives up after five tries.',
      'src/queue/lease.ts renews a lease every ten seconds.',
      'Lunch is at noon.',
    ]);
    const args = { context: 'change how the retry queue gives up', files: ['src/queue/lease.ts'] };
    const known = await agent.call<Context>('build_context', args);
    expect(known.memories[0]).toMatchObject({
      content: expect.stringContaining('lease.ts'),
      files: args.files,
    });
    expect(known.memories.map(({ content }) => content).join()).toContain('five tries');
    const shown = new Set(known.memories.map(({ id }) => id));
    expect(known.recent?.filter(({ id }) => shown.has(id)) ?? []).toEqual([]);
    expect(JSON.stringify(known)).toContain('Lunch is at noon.');
    expect(known.activeWork?.conversationId).toMatch(/^conv_/);
    expect(known).not.toHaveProperty('omitted');
    expect(known.facts ?? []).toEqual([]);
    const long = Array.from(
      { length: 9 },
      (_, n) => `The retry queue keeps case ${n}: ${'it waits. '.repeat(20)}`,
    );
    for (const content of long) await agent.call('remember', { content });
    const cut = await agent.call<Context & { omitted?: number }>('build_context', {
      ...args,
      maxTokens: 400,
    });
    expect(cut.omitted).toBeGreaterThan(0);
    expect((await agent.result('build_context', {})).isError).toBe(true);
    expect(await agent.call('build_context', { context: 'x', depth: 3 })).toMatchObject({
      ignored: ['depth'],
    });
    await agent.close();
  });

  it('build_context marks what is not done', async () => {
    const agent = await newAgent();
    await agent.call('remember', { content: 'The login form has no rate limit.', outcome: 'unresolved' });
    await agent.call('remember', { content: 'The login form has labels.' });
    const { memories } = await agent.call<Context>('build_context', { context: 'change the login form' });
    const open = memories.filter((one) => 'open' in one);
    expect(open.map(({ content }) => content)).toEqual(['The login form has no rate limit.']);
    await agent.close();
  });

  it('recall as a digest answers one text whose numbers are ids of memories', async () => {
    const agent = await agentWith(['Ana deploys on Thursdays.', 'Deploys of the shop need two reviews.']);
    const { digest, sources, relevant } = await agent.call<Recalled>('recall', {
      task: 'deploys',
      as: 'digest',
    });
    expect(relevant).toBeUndefined();
    expect(digest).toMatch(/^# deploys\n/);
    expect(digest).toContain('Ana deploys on Thursdays.');
    expect(Object.keys(sources ?? {})).toEqual(['1', '2']);
    expect(await agent.call('get', { id: sources?.[1] })).toMatchObject({
      memories: [{ content: expect.stringContaining('eploys') }],
    });
    await agent.close();
  });

  it('the prompts begin work with its context, and end it with what was stored already', async () => {
    const agent = await agentWith(['Commits are small.', 'See src/git/hooks.ts for what refuses a commit.']);
    const prompt = async (name: string, args: Record<string, string>) => {
      const { messages } = await agent.client.getPrompt({ name, arguments: args });
      return JSON.stringify(messages);
    };
    const start = await prompt('start_work', { task: 'commit the change', files: 'a.md, src/git/hooks.ts' });
    expect(start).toContain('Commits are small.');
    expect(start).toContain('\\"files\\":[\\"src/git/hooks.ts\\"]');
    const end = await prompt('end_work', { focus: 'the hooks' });
    expect(end).toContain('Above all: the hooks');
    expect(end).toContain('Commits are small.');
    for (const maxTokens of ['many', '1', '1e3'])
      await expect(prompt('end_work', { maxTokens })).rejects.toThrow('maxTokens must be a whole number');
    const nobody = await newAgent();
    const { messages } = await nobody.client.getPrompt({ name: 'end_work' });
    expect(JSON.stringify(messages)).not.toContain('last 24 hours');
    await Promise.all([agent.close(), nobody.close()]);
  });

  it('patterns lists what was found, within any token budget, and counts what is left out', async () => {
    const http = await app.newClient();
    const agent = await connectMcp(http);
    for (let i = 0; i < 20; i++)
      await http.post('/api/memories', {
        content: `Always run check number ${i} before you commit part ${i}.`,
        conversationId: 'NEW',
      });
    await http.post('/api/patterns/detect', { autoStore: true, minConfidence: 0 });
    const count = await loadTokenCounter();
    const { total } = await agent.call<{ total: number }>('patterns');
    expect(total).toBeGreaterThan(0);
    for (const maxTokens of [300, 411, 900, 4000]) {
      const response = await agent.result('patterns', { maxTokens });
      expect(count(textOf(response))).toBeLessThanOrEqual(maxTokens);
      const { patterns, omitted } = JSON.parse(textOf(response));
      expect(patterns.length + omitted).toBe(total);
    }
    await agent.close();
  });

  it('build_context, recall as a digest and the prompts keep within any token budget, whatever memories contain', async () => {
    const words = [
      'harbour',
      'tide "quoted"',
      '\\n',
      '🎉🎉',
      '港の潮',
      'src/a/b.ts',
      'Zürich',
      '\u0001',
      '—',
      'x'.repeat(90),
    ];
    const text = fc
      .array(fc.constantFrom(...words), { minLength: 1, maxLength: 120 })
      .map((some) => `${some.join(' ')}.`);
    const agent = await agentWith(fc.sample(text, { numRuns: 40, seed: 7 }));
    const count = await loadTokenCounter();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 300, max: 3000 }),
        fc.constantFrom(...words),
        async (maxTokens, word) => {
          const about = `${word} tide`;
          const files = ['src/a/b.ts'];
          for (const [name, args] of [
            ['build_context', { context: about, files }],
            ['recall', { task: about, as: 'digest' }],
          ] as const) {
            const response = await agent.result(name, { ...args, maxTokens });
            expect(response.isError, textOf(response)).not.toBe(true);
            expect(count(textOf(response)), `${name} in ${maxTokens}`).toBeLessThanOrEqual(maxTokens);
          }
          for (const [name, args] of [
            ['start_work', { task: about }],
            ['end_work', {}],
          ] as const) {
            const given = { ...args, maxTokens: String(maxTokens) };
            const { messages } = await agent.client.getPrompt({ name, arguments: given });
            const [{ content }] = messages;
            const added =
              content.type === 'text'
                ? (content.text.split('\n').find((line) => /^[{[]/.test(line)) ?? '')
                : '';
            expect(count(added), `${name} in ${maxTokens}`).toBeLessThanOrEqual(maxTokens);
          }
        },
      ),
      { numRuns: 25, seed: 11 },
    );
    await agent.close();
  });
});
