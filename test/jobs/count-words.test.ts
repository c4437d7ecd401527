import { afterEach, describe, expect, it } from 'vitest';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { countWords } from './count-words.ts';

describe.each(engines)('the example step on %s', (engine) => {
  let app: AppFixture;
  afterEach(() => app.close());

  it('a step counts the words of each memory after it is written, and again when its text changes', async () => {
    app = await newAppFixture(engine, {}, { steps: [countWords] });
    const http = await app.newClient();
    const counts = async () => {
      const reply = await http.get<{ data: { content: string }[] }>('/api/artifacts?type=word-count');
      return reply.body.data.map(({ content }) => content).sort();
    };
    const write = async (content: string) => {
      const reply = await http.post<{ data: { id: string } }>('/api/memories', { content });
      return reply.body.data.id;
    };
    await write('three short words');
    expect(await counts()).toEqual([]);
    app.startUpkeep();
    const id = await write('two words');
    await expect.poll(counts).toEqual(['2', '3']);
    await http.put(`/api/memories/${id}`, { content: 'now there are five words' });
    await expect.poll(counts).toEqual(['3', '5']);
    const status = await http.get<{ data: { jobs: unknown[] } }>('/api/system/context/status');
    expect(status.body.data.jobs).toEqual([]);
  });
});
