import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import type { Client } from '../support/http-client.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { useApp } from '../support/use-app.ts';

interface Pattern {
  readonly type: string;
  readonly name: string;
  readonly confidence: number;
  readonly occurrences: number;
}

const sevenRules = [
  "Don't use `npm install` in CI, always `npm ci`.",
  'Do not mock the database in integration tests; use testcontainers.',
  'Do not store secrets in the repo.',
  'Avoid force pushes to shared branches.',
  'Make sure every PR has a test.',
  'Never deploy on Fridays. We broke checkout last spring that way.',
  'The user wants commit messages in the imperative.',
];
const notes = [
  'The nightly job invoice-export runs at 02:00 UTC and takes about 40 minutes.',
  'Now invoice-export takes 9 minutes now, not 40.',
  'PhD G: Rule: turn your microphone on.',
  'Ana likes the new office.',
];

describe.each(engines)('rules that are read in the background on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeEach(async () => {
    http = await app.newClient();
  });

  const write = async (content: string, more: object = {}) => {
    const made = await http.post<{ data: { id: string } }>('/api/memories', {
      content,
      conversationId: 'NEW',
      ...more,
    });
    return made.body.data.id;
  };
  const list = async () => (await http.get<{ data: Pattern[] }>('/api/patterns')).body.data;
  const namesOf = async () => (await list()).map(({ name }) => name).sort();
  const given = async (body: object) =>
    (
      await http.post<{ instructions: { instruction: string; activatedBy: string[] }[] }>(
        '/api/patterns/compile-instructions',
        { maxInstructions: 10, tokenBudget: 1000, ...body },
      )
    ).body.instructions;
  const rulesFor = async (currentQuery: string, files?: string[]) =>
    (await given({ currentQuery, files })).map(({ instruction }) => instruction);

  it('the rules of the user are stored without a detection, and those of others and facts are not', async () => {
    for (const text of [...sevenRules, ...notes]) await write(text);
    await deriveAll(app.services);
    expect(await namesOf()).toHaveLength(sevenRules.length);
    expect((await list()).every(({ occurrences }) => occurrences === 1)).toBe(true);
  });

  it('a rule is given for work that it fits, by its words, its files or a memory found, and for no other', async () => {
    for (const text of [...sevenRules, ...notes]) await write(text);
    await deriveAll(app.services);
    expect(await rulesFor('write integration tests for the tax module')).toContain(sevenRules[1]);
    expect(await rulesFor('open a pull request for the login fix')).toEqual([sevenRules[4]]);
    expect(await rulesFor('release the invoicing beta')).toEqual(['Never deploy on Fridays.']);
    expect(await rulesFor('set up the pipeline', ['.github/workflows/build.yml'])).toContain(
      'Use `npm ci`, not `npm install` in CI.',
    );
    expect(await rulesFor('put the API key into the config')).toContain(sevenRules[2]);
    expect(await rulesFor('plan the summer party')).toEqual([]);
    const fit = await given({ currentQuery: 'tidy up', files: ['src/order.test.ts'] });
    expect(fit.map(({ activatedBy }) => activatedBy)).toContainEqual(['files']);
  });

  it('a rule on how to answer is given for any task', async () => {
    await write('Please answer in German.');
    await deriveAll(app.services);
    expect(await given({ currentQuery: 'plan the summer party' })).toMatchObject([
      { instruction: 'Please answer in German.', activatedBy: ['always'] },
    ]);
  });

  it('recall and a context for work give the rules that apply', async () => {
    for (const text of sevenRules) await write(text);
    await deriveAll(app.services);
    const agent = await connectMcp(http);
    const recalled = await agent.call<{ rules?: string[] }>('recall', { task: 'deploy the invoicing beta' });
    expect(recalled.rules).toEqual(['Never deploy on Fridays.']);
    expect(await agent.call<object>('recall', { task: 'plan the summer party' })).not.toHaveProperty('rules');
    const built = await http.post<{ relatedPatterns: object[] }>('/api/memories/build-context', {
      context: 'deploy the invoicing beta',
    });
    expect(built.body.relatedPatterns).toMatchObject([{ pattern: 'Never deploy on Fridays.' }]);
  });

  it('an edited memory shows the rules of its new text only, and the same rule twice is surer', async () => {
    const id = await write('Never deploy on Fridays.');
    await deriveAll(app.services);
    const [{ confidence }] = await list();
    await write('Ana broke checkout last spring. Remember: never deploy on Fridays or Saturdays.');
    await deriveAll(app.services);
    const [twice] = await list();
    expect(twice).toMatchObject({ occurrences: 2 });
    expect(twice.confidence).toBeGreaterThan(confidence);
    await http.put(`/api/memories/${id}`, { content: 'Always open a draft pull request first.' });
    await deriveAll(app.services);
    expect(await list()).toMatchObject([{ occurrences: 1 }, { occurrences: 1 }]);
  });

  it('a rule whose memory was superseded is not given any more', async () => {
    const id = await write('Always use yarn for installs in this repository.');
    await deriveAll(app.services);
    expect(await namesOf()).toHaveLength(1);
    const newer = await write('Installs of this repository moved to pnpm.');
    await http.post(`/api/memories/${newer}/relationships`, { targetMemoryId: id, type: 'SUPERSEDES' });
    await deriveAll(app.services);
    expect(await namesOf()).toEqual([]);
  });
});
