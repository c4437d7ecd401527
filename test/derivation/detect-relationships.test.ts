import { describe, expect, it } from 'vitest';
import { automaticConfidenceMin } from '../../src/domain/relationships/found-relationship.ts';
import { automaticRelationshipMin } from '../../src/language/relationships/finding.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Item {
  readonly targetMemoryId: string;
  readonly type: string;
  readonly confidence: number;
  readonly status: string;
  readonly relationshipId?: string;
  readonly evidence?: { readonly earlier: string; readonly later: string };
}
interface Detected {
  readonly data: Item[];
  readonly autoCreated: boolean;
  readonly created: { readonly id: string; readonly creationMethod: string }[];
  readonly meta: { readonly extractionStatus: string };
}
interface Refusal {
  readonly code: string;
  readonly error: string;
}

it('the confidence from which relationships are made is the one that the rules are measured at', () => {
  expect(automaticConfidenceMin).toBe(automaticRelationshipMin);
});

describe.each(engines)('detecting relationships on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const write = async (content: string, fields: object = {}) =>
    (await http.post<{ data: { id: string } }>('/api/memories', { content, ...fields })).body.data.id;
  const detect = (id: string, body: object = {}) =>
    http.post<Detected & Refusal>(`/api/memories/${id}/detect-relationships`, body);
  const stateOf = async (id: string) =>
    (await http.get<{ data: { effectiveState: string } }>(`/api/memories/${id}`)).body.data.effectiveState;

  /** A problem and what may be its fix: below the confidence of automatic relationships. */
  const writeCandidate = async () => {
    const problem = await write('The nightly backup of the ledger database fails.');
    const fix = await write('We are still waiting to get the ledger backup fixed.');
    await deriveAll(app.services);
    return { problem, fix };
  };

  it('candidates are listed with their reason and words, and nothing follows from them', async () => {
    const { problem, fix } = await writeCandidate();
    const { status, body } = await detect(fix);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: [{ targetMemoryId: problem, direction: 'outgoing', type: 'RESOLVES', status: 'candidate' }],
      autoCreated: false,
      created: [],
      meta: { extractionStatus: 'completed' },
    });
    expect(body.data[0].confidence).toBeLessThan(automaticConfidenceMin);
    expect(body.data[0].evidence?.earlier).toContain('fails');
    expect((await detect(problem)).body).toMatchObject({
      data: [{ targetMemoryId: fix, direction: 'incoming', status: 'candidate' }],
    });
    const { body: edges } = await http.get<{ data: unknown[] }>(`/api/memories/${fix}/relationships`);
    expect(edges.data).toEqual([]);
  });

  it('autoCreate makes the candidates from the confidence asked for, which stay when memories are compared again', async () => {
    const { problem, fix } = await writeCandidate();
    expect((await detect(fix, { autoCreate: true })).body).toMatchObject({ autoCreated: false, created: [] });
    const { body } = await detect(fix, { autoCreate: true, minConfidence: 0.3 });
    expect(body).toMatchObject({
      data: [{ targetMemoryId: problem, status: 'active', creationMethod: 'auto-semantic' }],
      autoCreated: true,
      created: [{ sourceMemoryId: fix, targetMemoryId: problem, type: 'RESOLVES' }],
    });
    expect(body.data[0].relationshipId).toBe(body.created[0].id);
    await http.put(`/api/memories/${fix}`, { topics: ['backup'] });
    await deriveAll(app.services);
    expect((await detect(fix)).body.data).toMatchObject([
      { status: 'active', relationshipId: body.created[0].id },
    ]);
  });

  it('a candidate that was made and deleted again is neither listed nor made once more', async () => {
    const { fix } = await writeCandidate();
    const { body } = await detect(fix, { autoCreate: true, minConfidence: 0.3 });
    await http.delete(`/api/memories/${fix}/relationships/${body.created[0].id}`);
    await http.put(`/api/memories/${fix}`, { topics: ['backup'] });
    await deriveAll(app.services);
    expect((await detect(fix, { autoCreate: true, minConfidence: 0 })).body).toMatchObject({
      data: [],
      created: [],
    });
  });

  it('minConfidence leaves out what is less certain', async () => {
    const { fix } = await writeCandidate();
    expect((await detect(fix, { minConfidence: 0.9 })).body.data).toEqual([]);
  });

  it('a relationship that is made of a candidate gives its target the state that it calls for', async () => {
    const earlier = await write('The gateway timeout defaults to 30 seconds.');
    const later = await write('The gateway timeout defaults to 90 seconds now.');
    await http.post(`/api/memories/${later}/relationships`, { targetMemoryId: earlier, type: 'FOLLOWS' });
    await deriveAll(app.services);
    expect(await stateOf(earlier)).toBe('current');
    expect((await detect(later, { autoCreate: true })).body.created).toMatchObject([{ type: 'SUPERSEDES' }]);
    expect(await stateOf(earlier)).toBe('superseded');
  });

  it('a memory whose derivation waits is said to be pending', async () => {
    const id = await write('The nightly backup of the ledger database fails.');
    expect((await detect(id)).body).toMatchObject({ data: [], meta: { extractionStatus: 'pending' } });
  });

  it('a text in another language is said to be skipped', async () => {
    const id = await write('Die nächtliche Sicherung der Datenbank schlägt seit gestern leider immer fehl.');
    await deriveAll(app.services);
    expect((await detect(id)).body.meta.extractionStatus).toBe('skipped');
  });

  it('confidences beyond 0 to 1 are refused, unknown memories and those of others are not found', async () => {
    const { fix } = await writeCandidate();
    for (const minConfidence of [-0.1, 1.1, 'high'])
      expect(await detect(fix, { minConfidence })).toMatchObject({
        status: 422,
        body: { error: expect.stringContaining('minConfidence') },
      });
    expect(await detect('nobody')).toMatchObject({ status: 404, body: { code: 'MEMORY_NOT_FOUND' } });
    const other = await app.newClient();
    expect((await other.post(`/api/memories/${fix}/detect-relationships`, {})).status).toBe(404);
  });
});
