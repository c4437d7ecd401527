import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { runStatement } from '../support/run-statement.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Record {
  readonly id: string;
  readonly content: string;
  readonly effectiveState: string;
  readonly outdatedParts?: readonly { readonly start: number; readonly end: number; readonly by: string }[];
}

interface Edge {
  readonly id: string;
  readonly type: string;
  readonly keepsState?: boolean;
}

const run = 'The nightly job invoice-export runs at 02:00 UTC and takes about 40 minutes.';
const faster = 'invoice-export takes 9 minutes now instead of 40, since the joins have an index.';

describe.each(engines)('parts of a memory that a newer one replaces on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const write = async (content: string) =>
    (await http.post<{ data: Record }>('/api/memories', { content })).body.data.id;
  const read = async (id: string) =>
    (await http.get<{ data: Record }>(`/api/memories/${id}?detail=minimal`)).body.data;
  const edgesOf = async (id: string) =>
    (await http.get<{ data: Edge[] }>(`/api/memories/${id}/relationships`)).body.data;
  const derive = () => deriveAll(app.services);
  const writeBoth = async () => {
    const ids = { earlier: await write(run), later: await write(faster) };
    await derive();
    return ids;
  };
  const outdated = ({ content, outdatedParts }: Record) =>
    outdatedParts?.map(({ start, end }) => content.slice(start, end));

  it('a memory of which one value is replaced stays current, with a note of the words and of the newer memory', async () => {
    const { earlier, later } = await writeBoth();
    const record = await read(earlier);
    expect(record).toMatchObject({ effectiveState: 'current', outdatedParts: [{ by: later }] });
    expect(outdated(record)).toEqual(['40 minutes']);
    expect(await edgesOf(later)).toMatchObject([
      { type: 'SUPERSEDES', keepsState: true, reason: '"40 minutes" is replaced by "9 minutes".' },
    ]);
    expect(await read(later)).not.toHaveProperty('outdatedParts');
  });

  it('a search finds the memory by what it still says, and a look back shows it without the note', async () => {
    const earlier = await write(run);
    await derive();
    const before = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const later = await write(faster);
    await derive();
    const find = async (fields: object = {}) =>
      (
        await http.post<{ data: Record[] }>('/api/memories/search', {
          query: 'when does invoice-export run UTC',
          ...fields,
        })
      ).body.data.find(({ id }) => id === earlier);
    expect(await find()).toMatchObject({ outdatedParts: [{ by: later }] });
    expect(await find({ asOfTime: before })).toMatchObject({ id: earlier });
    expect(await find({ asOfTime: before })).not.toHaveProperty('outdatedParts');
  });

  it('a context for work names the newer memory', async () => {
    const { earlier, later } = await writeBoth();
    const { body } = await http.post<{ relevantMemories: { id: string; newer?: string }[] }>(
      '/api/memories/build-context',
      { context: 'when does invoice-export run UTC' },
    );
    const marks = body.relevantMemories.map(({ id, newer }) => [id, newer]);
    expect(new Map(marks as [string, string | undefined][])).toEqual(
      new Map([
        [later, undefined],
        [earlier, later],
      ]),
    );
  });

  it('every part that a newer memory replaces is noted, and a repair brings lost notes back', async () => {
    const earlier = await write(
      'The weekly sync is on Tuesday at 10:00 in the small room, and Ola brings the cake.',
    );
    const later = await write('The weekly sync moved to Wednesday at 11:00 in the small room.');
    await derive();
    expect(outdated(await read(earlier))).toEqual(['Tuesday', '10:00']);
    await runStatement(
      { engine, url: app.databaseUrl },
      `UPDATE memory_versions SET outdated_parts = NULL WHERE memory_seq IN (SELECT seq FROM memories WHERE id = '${earlier}')`,
    );
    expect(await read(earlier)).not.toHaveProperty('outdatedParts');
    const repaired = await http.post('/api/memories/repair-effective-state');
    expect(repaired.body).toEqual({
      repaired: 1,
      memories: [{ memoryId: earlier, previousState: 'current' }],
    });
    expect((await read(earlier)).outdatedParts).toMatchObject([{ by: later }, { by: later }]);
    expect((await http.post('/api/memories/repair-effective-state')).body).toMatchObject({ repaired: 0 });
  });

  it('a thing that is called otherwise now changes the memory of its name, and does not repeat it', async () => {
    await write('The internal wiki is called Trellis.');
    const later = await write('Trellis, the internal wiki, is called Arbor now.');
    await derive();
    expect((await edgesOf(later)).map(({ type }) => type)).toEqual(['SUPERSEDES']);
  });

  it('the note goes with the relationship, and with the newer memory', async () => {
    const { earlier, later } = await writeBoth();
    await http.delete(`/api/memories/${later}`);
    expect(await read(earlier)).not.toHaveProperty('outdatedParts');
    const { body } = await http.get<{ data: { id: string }[] }>('/api/trash');
    await http.post(`/api/trash/${body.data[0].id}/restore`, {});
    expect(await read(earlier)).toMatchObject({ outdatedParts: [{ by: later }] });
    const [{ id }] = await edgesOf(later);
    await http.delete(`/api/memories/${later}/relationships/${id}`);
    expect(await read(earlier)).not.toHaveProperty('outdatedParts');
    await http.put(`/api/memories/${earlier}`, { topics: ['export'] });
    await derive();
    expect(await read(earlier)).not.toHaveProperty('outdatedParts');
  });

  it('an edit keeps a note at its words, and moves it there with them', async () => {
    const { earlier } = await writeBoth();
    await http.put(`/api/memories/${earlier}`, { content: `${run} Ask Ines.` });
    expect(outdated(await read(earlier))).toEqual(['40 minutes']);
    await http.put(`/api/memories/${earlier}`, { content: `Note of May. ${run}` });
    expect(await read(earlier)).not.toHaveProperty('outdatedParts');
    await derive();
    expect(outdated(await read(earlier))).toEqual(['40 minutes']);
  });

  it('a person may still state that the whole memory is superseded', async () => {
    const { earlier, later } = await writeBoth();
    const stated = { targetMemoryId: earlier, type: 'SUPERSEDES' };
    expect((await http.post(`/api/memories/${later}/relationships`, stated)).status).toBe(201);
    await derive();
    expect(await read(earlier)).toMatchObject({ effectiveState: 'superseded' });
    expect(await edgesOf(later)).toMatchObject([{ type: 'SUPERSEDES', creationMethod: 'manual' }]);
  });

  it.each([
    ['Marketing: Yeah, right.', "Marketing: Yeah. It isn't practical. Right."],
    ['Yeah, this is actually two curves, yeah.', 'Industrial Designer: Yeah this is good,'],
    ['The lift works.', 'The lift does not work.'],
    ['Ana lives in Porto.', 'Ana lives in Lisbon now.'],
  ])('no text of less than five content words changes a state: "%s", "%s"', async (first, second) => {
    const [earlier, later] = [await write(first), await write(second)];
    await derive();
    expect([await read(earlier), await read(later)]).toMatchObject([
      { effectiveState: 'current' },
      { effectiveState: 'current' },
    ]);
  });
});
