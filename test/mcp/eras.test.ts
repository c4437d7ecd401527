import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { clientEras, connectEra } from '../support/mcp-client.ts';
import { type Server, startServer } from '../support/server.ts';

interface Item {
  readonly id: string;
  readonly content: string;
  readonly conversationId: string;
  readonly name?: string;
  readonly version?: number;
}
interface Listed {
  readonly results: readonly Item[];
  readonly memories: readonly Item[];
  readonly total: number;
}

/** Services on one store: SQLite lets one process serve it, PostgreSQL several. */
const numbers = { sqlite: [1], postgres: [1, 2] } as const;
const settings = engines.flatMap((engine) => numbers[engine].map((processes) => ({ engine, processes })));

describe.each(settings)(
  'a day of use over MCP on $engine, processes: $processes',
  ({ engine, processes }) => {
    let database: TestDatabase;
    let servers: Server[] = [];
    beforeAll(async () => {
      database = await newDatabase(engine);
      for (let number = 0; number < processes; number++)
        servers.push(await startServer({ databaseUrl: database.url }));
    });
    afterAll(async () => {
      for (const server of servers) await server.stop();
      servers = [];
      await database.drop();
    });

    const newAgent = (era: (typeof clientEras)[number]) =>
      connectEra(era, { urls: servers.map(({ url }) => url), key: servers[0].key });

    it.each(clientEras)(
      'a day of use over MCP goes the same way with the official client %s',
      async (era) => {
        const agent = await newAgent(era);
        const word = era.replaceAll(/\W/g, '');
        expect(agent.client.getInstructions()).toContain('long-term memory');
        expect((await agent.client.listTools()).tools).toHaveLength(12);

        // Morning: what is decided is kept, in one conversation, whichever process is asked.
        const made = await agent.call<Item>('remember', {
          content: `The ${word} queue gives up after five tries.`,
          topics: ['queue'],
        });
        const rule = await agent.call<Item>('remember', {
          content: `Releases of ${word} are on Thursdays.`,
          name: `${word}-rule`,
        });
        expect(rule.conversationId).toBe(made.conversationId);
        const recalled = await agent.call<{ relevant: Item[] }>('recall', {
          task: `change the ${word} queue`,
        });
        expect(recalled.relevant.map(({ id }) => id)).toContain(made.id.slice(0, 8));
        const context = await agent.call<{ memories: Item[] }>('build_context', {
          context: `the ${word} queue`,
        });
        expect(context.memories.map(({ content }) => content).join()).toContain('five tries');

        // Noon: something changes, and the old is not in the way.
        const newer = await agent.call<Item>('remember', {
          content: `The ${word} queue gives up after nine tries.`,
          supersedes: made.id,
        });
        const found = await agent.call<Listed>('search', { query: `when does the ${word} queue give up` });
        expect(found.results[0].content).toContain('nine tries');
        expect(
          await agent.call('remember', {
            content: `Releases of ${word} are on Mondays.`,
            name: `${word}-rule`,
          }),
        ).toMatchObject({ version: 2 });
        await agent.call('update', { id: newer.id, outcome: 'unresolved' });
        await agent
          .call('link', { from: newer.id, to: rule.id, type: 'RELATES' })
          .catch((error: Error) => error);
        const history = await agent.call<Listed>('named', { name: `${word}-rule` });
        expect(history.total).toBe(2);
        const { contents } = await agent.client.readResource({ uri: `memoryd://named/${word}-rule` });
        expect(JSON.stringify(contents)).toContain('Mondays');
        await expect(agent.client.readResource({ uri: 'memoryd://named/nothing' })).rejects.toThrow(
          'No such memory',
        );

        // What is wrong is said in a sentence.
        await expect(agent.call('serch')).rejects.toThrow('Did you mean search?');
        await expect(agent.call('get', { id: 'none-such' })).rejects.toThrow('MEMORY_NOT_FOUND');

        // Evening: it is read in order, and one thing is forgotten.
        const start = await agent.client.getPrompt({
          name: 'start_work',
          arguments: { task: `the ${word} queue` },
        });
        expect(JSON.stringify(start.messages)).toContain('nine tries');
        await agent.call('forget', { ids: [newer.id] });
        expect(
          (await agent.call<Listed>('search', { query: `${word} queue nine tries` })).results.map(
            ({ id }) => id,
          ),
        ).not.toContain(newer.id.slice(0, 8));
        await agent.close();
      },
    );
  },
);
