import { describe, expect, it } from 'vitest';
import { deriveStepKey } from '../../src/domain/derivation/deriver.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Item {
  readonly id: string;
  readonly state: string;
  readonly type: string;
  readonly sourceMemoryId: string;
  readonly targetMemoryId: string;
  readonly confidence: number;
  readonly creationMethod: string;
  readonly reason?: string;
  readonly reasonKind?: string;
  readonly evidence?: { readonly earlier: string; readonly later: string };
  readonly acceptedAt?: string;
}
interface Listed {
  readonly data: readonly Item[];
  readonly pagination: { readonly count: number; readonly nextCursor?: string };
  readonly meta: { readonly reasons: readonly { readonly reasonKind: string; readonly count: number }[] };
}
interface Refusal {
  readonly code: string;
  readonly error: string;
  readonly requestId: string;
}

describe.each(engines)('reviewing relationships on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const write = async (content: string) =>
    (await http.post<{ data: { id: string } }>('/api/memories', { content })).body.data.id;
  const list = async (query = '') => (await http.get<Listed>(`/api/relationships${query}`)).body;
  type Decided = { data: Item } & Refusal;
  const acts = {
    accept: (id: string, body?: object, as = http) =>
      as.post<Decided>(`/api/relationships/candidates/${id}/accept`, body),
    reject: (id: string, body?: object, as = http) =>
      as.post<Decided>(`/api/relationships/candidates/${id}/reject`, body),
    reopen: (id: string, body?: object, as = http) =>
      as.post<Decided>(`/api/relationships/candidates/${id}/reopen`, body),
  };
  const decide = (id: string, act: keyof typeof acts, body?: object) => acts[act](id, body);
  const stateOf = async (id: string) =>
    (await http.get<{ data: { effectiveState: string } }>(`/api/memories/${id}`)).body.data.effectiveState;
  const again = async () => {
    await app.services.work.redo(deriveStepKey);
    await deriveAll(app.services);
  };

  const writeCandidate = async () => {
    const problem = await write('The nightly backup of the ledger database fails.');
    const fix = await write('We are still waiting to get the ledger backup fixed.');
    await deriveAll(app.services);
    return { problem, fix };
  };
  const writeActive = async () => {
    const earlier = await write('The gateway timeout defaults to 30 seconds.');
    const later = await write('The gateway timeout defaults to 90 seconds now.');
    await deriveAll(app.services);
    return { earlier, later };
  };

  it('candidates of all memories are listed with their words and counted by reason', async () => {
    const { problem, fix } = await writeCandidate();
    const { data, pagination, meta } = await list();
    expect(data).toMatchObject([
      {
        id: `RESOLVES~${fix}~${problem}`,
        state: 'candidate',
        type: 'RESOLVES',
        creationMethod: 'auto-semantic',
      },
    ]);
    expect(data[0].evidence?.earlier).toContain('fails');
    expect(pagination.count).toBe(1);
    expect(meta.reasons).toEqual([{ reasonKind: data[0].reasonKind, type: 'RESOLVES', count: 1 }]);
    expect(data[0].reasonKind).toBe('Perhaps a problem and its fix …');
    const kind = encodeURIComponent(String(data[0].reasonKind));
    expect((await list(`?reasonKind=${kind}`)).data).toHaveLength(1);
    expect((await list('?reasonKind=other')).data).toEqual([]);
    expect((await list('?type=SUPERSEDES')).data).toEqual([]);
    expect((await list('?minConfidence=0.9')).data).toEqual([]);
  });

  it('pages of candidates neither skip nor repeat one', async () => {
    for (const thing of ['ledger', 'archive', 'mailbox']) {
      await write(`The nightly backup of the ${thing} database fails.`);
      await write(`We are still waiting to get the ${thing} backup fixed.`);
    }
    await deriveAll(app.services);
    const all = (await list('?limit=100')).data.map(({ id }) => id);
    expect(all.length).toBeGreaterThan(2);
    const paged: string[] = [];
    for (let cursor = ''; ; ) {
      const { data, pagination } = await list(`?limit=1${cursor}`);
      paged.push(...data.map(({ id }) => id));
      if (pagination.nextCursor === undefined) break;
      cursor = `&cursor=${pagination.nextCursor}`;
    }
    expect(paged).toEqual(all);
  });

  it('an accepted candidate keeps its reason and evidence, and stays when everything is derived again', async () => {
    await writeCandidate();
    const [candidate] = (await list()).data;
    const { status, body } = await decide(candidate.id, 'accept');
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      type: 'RESOLVES',
      creationMethod: 'auto-semantic',
      reason: candidate.reason,
      confidence: candidate.confidence,
    });
    expect(body.data.acceptedAt).toBeDefined();
    expect((await list()).data).toEqual([]);
    await again();
    expect((await list()).data).toEqual([]);
    const { data } = await list('?state=active');
    expect(data).toMatchObject([{ id: body.data.id, state: 'active', evidence: candidate.evidence }]);
    expect((await list('?state=active&undecided=true')).data).toEqual([]);
    expect((await decide(candidate.id, 'accept')).body.code).toBe('RELATIONSHIP_EXISTS');
  });

  it('an accepted candidate waits again when the decision is taken back, also after a new derivation', async () => {
    await writeCandidate();
    const [candidate] = (await list()).data;
    await decide(candidate.id, 'accept');
    await again();
    expect((await decide(candidate.id, 'reopen')).body.data).toMatchObject({
      id: candidate.id,
      state: 'candidate',
    });
    expect((await list()).data).toEqual([{ ...candidate, createdAt: expect.any(String) }]);
    expect((await list('?state=active')).data).toEqual([]);
  });

  it('a rejected candidate stays away when everything is derived again, until it is reopened', async () => {
    await writeCandidate();
    const [candidate] = (await list()).data;
    expect((await decide(candidate.id, 'reject')).status).toBe(204);
    expect((await decide(candidate.id, 'reject')).status).toBe(204);
    await again();
    expect(await list()).toMatchObject({ data: [], pagination: { count: 0 }, meta: { reasons: [] } });
    expect((await list('?state=active')).data).toEqual([]);
    await decide(candidate.id, 'reopen');
    expect((await list()).data).toMatchObject([{ id: candidate.id }]);
    await decide(candidate.id, 'reject');
    expect((await decide(candidate.id, 'accept')).status).toBe(201);
  });

  it('a candidate accepted with another type or direction is a statement of the person', async () => {
    const { problem, fix } = await writeCandidate();
    const [candidate] = (await list()).data;
    const { body } = await decide(candidate.id, 'accept', { type: 'FOLLOWS', swap: true });
    expect(body.data).toMatchObject({
      type: 'FOLLOWS',
      sourceMemoryId: problem,
      targetMemoryId: fix,
      creationMethod: 'manual',
      reason: candidate.reason,
    });
    await again();
    expect((await list()).data).toEqual([]);
    expect((await list('?state=active')).data).toMatchObject([{ id: body.data.id, type: 'FOLLOWS' }]);
  });

  it('a relationship that acts is accepted, or removed and put back with its state', async () => {
    const { earlier } = await writeActive();
    const [found] = (await list('?state=active&undecided=true')).data;
    expect(found).toMatchObject({ state: 'active', type: 'SUPERSEDES', targetMemoryId: earlier });
    const before = await stateOf(earlier);
    await decide(found.id, 'accept');
    expect((await list('?state=active&undecided=true')).data).toEqual([]);
    await decide(found.id, 'reopen');
    expect((await list('?state=active&undecided=true')).data).toHaveLength(1);
    await decide(found.id, 'reject');
    expect((await list('?state=active')).data).toEqual([]);
    expect(await stateOf(earlier)).toBe('current');
    const { body } = await decide(found.id, 'reopen');
    expect(body.data).toMatchObject({ state: 'active', reason: found.reason });
    expect(await stateOf(earlier)).toBe(before);
    await again();
    expect((await list('?state=active')).data).toMatchObject([
      { evidence: found.evidence, reason: found.reason },
    ]);
  });

  it('ids that are unknown, malformed or of another user get the same answer', async () => {
    await writeCandidate();
    const [candidate] = (await list()).data;
    const other = await app.newClient();
    const asOther = async (id: string, act: keyof typeof acts) => {
      const { status, body } = await acts[act](id, undefined, other);
      return { status, code: body.code, error: body.error };
    };
    for (const act of ['accept', 'reject', 'reopen'] as const) {
      const unknown = await asOther('RESOLVES~a~b', act);
      expect(unknown).toMatchObject({ status: 404, code: 'CANDIDATE_NOT_FOUND' });
      for (const id of [candidate.id, 'nothing', 'RESOLVES~a', 'HATES~a~b'])
        expect(await asOther(id, act)).toEqual(unknown);
    }
    expect((await other.get<Listed>('/api/relationships')).body.data).toEqual([]);
    expect((await list()).data).toHaveLength(1);
    const { status, body } = await http.get<Refusal>('/api/relationships?state=active&reasonKind=x');
    expect(status).toBe(422);
    expect(body.error).toContain('reasonKind');
  });
});
