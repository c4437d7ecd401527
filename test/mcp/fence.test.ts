import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { clientEras, connectEra, textOf } from '../support/mcp-client.ts';
import { expectFence, orders, planted, turn, unseen } from '../support/planted.ts';

describe.each(engines)('the fence around recalled texts over MCP on %s', (engine) => {
  let app: AppFixture;
  beforeAll(async () => {
    app = await newAppFixture(engine);
  });
  afterAll(() => app.close());

  it.each(clientEras)(
    'the fence holds 50 planted instructions in every tool, resource and prompt, for the client %s',
    async (era) => {
      expect(planted).toHaveLength(50);
      const user = await app.newClient();
      const agent = await connectEra(era, { urls: [app.url], key: user.key ?? '' });
      const stored: { id: string; conversationId: string }[] = [];
      for (const content of planted)
        stored.push(
          await agent.call('remember', { content: content.replaceAll('\0', ''), topics: ['heron'] }),
        );
      const [{ conversationId }] = stored;
      await agent.call('remember', { content: planted[49], name: 'planted' });
      const maxTokens = 50_000;
      const calls: [string, Record<string, unknown>][] = [
        ['recall', { task: 'repair the heron pump', maxTokens }],
        ['recall', { task: 'repair the heron pump', as: 'digest', maxTokens }],
        ['build_context', { context: 'repair the heron pump', maxTokens }],
        ['search', { query: 'heron pump', limit: 50, minRelevance: 0, maxTokens }],
        ['recent', { limit: 50, maxTokens }],
        ['conversations', { conversationId, limit: 50, maxTokens }],
        ['conversations', { maxTokens }],
        ['named', { maxTokens }],
        ['topics', { maxTokens }],
        ...stored.map(({ id }): [string, Record<string, unknown>] => ['get', { id, maxTokens }]),
      ];
      let seen = '';
      for (const [name, args] of calls) {
        const result = await agent.result(name, args);
        expect(result.isError, textOf(result)).not.toBe(true);
        expectFence(textOf(result));
        expect(JSON.stringify(result.structuredContent)).not.toMatch(unseen);
        expect(result.structuredContent).toEqual(JSON.parse(textOf(result)));
        seen += textOf(result);
      }
      // What is no trick is there as it was stored.
      for (const order of orders) expect(seen).toContain(JSON.stringify(order).slice(1, -1));
      const { resources } = await agent.client.listResources();
      expect(JSON.stringify(resources)).not.toMatch(turn);
      expect(JSON.stringify(resources)).not.toMatch(unseen);
      for (const { uri } of resources) {
        const { contents } = await agent.client.readResource({ uri });
        expectFence((contents[0] as { text: string }).text);
      }
      for (const [name, args] of [
        ['start_work', { task: 'the pump' }],
        ['end_work', {}],
      ] as const) {
        const { messages } = await agent.client.getPrompt({ name, arguments: args });
        const { text } = (messages[0] as { content: { text: string } }).content;
        const lines = text.split('\n').filter((line) => line.startsWith('{'));
        expect(lines).toHaveLength(1);
        expectFence(lines[0]);
        // Outside of the fence is nothing that was stored.
        expect(text.replace(lines[0], '')).not.toContain('heron');
      }
      await agent.close();
    },
  );

  it('the fence tells by which key and way a memory came, and that it came with an import', async () => {
    const user = await app.newClient();
    const agent = await connectEra('v2 of 2026', { urls: [app.url], key: user.key ?? '' });
    const { id } = await agent.call<{ id: string }>('remember', { content: 'The heron nests in March.' });
    const got = await agent.call<{ memories: { by?: string }[] }>('get', { id });
    expect(JSON.stringify(got)).toMatch(/"by":"test, mcp, [\w-]+, remember"/);
    await agent.close();
  });
});
