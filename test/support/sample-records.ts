import { randomUUID } from 'node:crypto';
import type { OAuthStore } from '../../src/domain/oauth/oauth-store.ts';
import { DAY_MS } from '../../src/domain/shared/time.ts';
import { sampleIds } from '../../src/http/schemas/samples.ts';
import type { Client } from './http-client.ts';

/** Ids of a user's records, by the names they have in examples and paths of the API documentation. */
export interface SampleRecords {
  /** Puts real ids in the place of those that stand in examples. */
  fill(text: string): string;
  /** The value of a path parameter of an operation. */
  parameter(path: string, name: string): string;
}

type Made = { data: { id: string; conversationId: string } };

/** Writes one record of each kind that paths and examples of the API documentation name. */
export async function writeSampleRecords(
  http: Client,
  {
    derive,
    grant,
  }: {
    /** Does the work of deriving; without it there are no entities among the records. */
    readonly derive?: () => Promise<void>;
    /** Stores a grant that was given with a key, which over HTTP takes a browser; without it there is none. */
    readonly grant?: (keyId: string) => Promise<string>;
  } = {},
): Promise<SampleRecords> {
  const first = await http.post<Made>('/api/memories', {
    content: 'How do we deploy? Deploys run from the main branch; release planning is on Monday.',
    name: 'release-plan',
    topics: ['deploys', 'release'],
    eventTime: '2026-02-01T09:30:00Z',
  });
  const memory = first.body.data;
  const other = await http.post<Made>('/api/memories', {
    content: 'Deploys need a green build.',
    conversationId: memory.conversationId,
    topics: ['deployments', 'green builds'],
  });
  const fact = await http.post<Made>('/api/facts', {
    subject: 'Deploys',
    predicate: 'run from',
    object: 'main',
    memoryId: memory.id,
  });
  const artifact = await http.post<Made>('/api/artifacts', { content: '# Release 2', type: 'document' });
  const narrative = await http.post<Made>('/api/narratives', { title: 'Release 2', rootMemoryId: memory.id });
  const relation = await http.post<Made>(`/api/memories/${memory.id}/relationships`, {
    targetMemoryId: other.body.data.id,
    type: 'REFERENCES',
  });
  const entities = await sampleEntities(http, memory.conversationId, derive);
  const topic = await http.get<Made>('/api/topics/deploys');
  const otherTopic = await http.get<Made>('/api/topics/deployments');
  const detected = await http.post<{ data: { communities: { id: string }[] } }>(
    '/api/topics/detect-communities',
    {},
  );
  const [community, otherCommunity] = detected.body.data.communities;
  await http.post('/api/memories', { content: 'Always use pnpm, never npm.' });
  const found = await http.post<{ data: { detectedPatterns: { id: string }[] } }>('/api/patterns/detect');
  const asked = await http.post<{ data: { queryId: string } }>('/api/graphrag/query', { query: 'deploys' });
  const key = await http.post<{ data: { keyInfo: { id: string } } }>('/api/apikeys', { label: 'sample' });
  const grantId = await grant?.(key.body.data.keyInfo.id);
  // Only for an operator.
  const user = `customer-${crypto.randomUUID()}`;
  await http.post('/api/operator/users', { name: user });
  const userKey = await http.post<{ data?: { keyInfo: { id: string } } }>(
    `/api/operator/users/${user}/keys`,
    {
      label: 'sample',
    },
  );
  const deleted = await http.post<Made>('/api/memories', {
    content: 'Deleted again.',
    conversationId: 'NEW',
  });
  await http.delete(`/api/memories/${deleted.body.data.id}`);
  const trash = await http.get<{ data: { id: string }[] }>('/api/trash');
  const made = await http.post<Made>('/api/imports', { source: 'notes.jsonl' });
  const webhook = await http.post<Made>('/api/webhooks', { url: 'https://example.com/hook' });
  const webhookId = webhook.body.data?.id ?? '';
  const ping = await http.post<Made>(`/api/webhooks/${webhookId}/test`, {});
  const jobs = await http.get<{ data: { id: string }[] }>('/api/system/jobs');
  const ids: Record<string, string> = {
    [sampleIds.memory]: memory.id,
    [sampleIds.otherMemory]: other.body.data.id,
    [sampleIds.conversation]: memory.conversationId,
    [sampleIds.fact]: fact.body.data.id,
    [sampleIds.narrative]: narrative.body.data.id,
    [sampleIds.artifact]: artifact.body.data.id,
    ...entities,
    [sampleIds.topic]: topic.body.data.id,
    [sampleIds.otherTopic]: otherTopic.body.data.id,
    [sampleIds.pattern]: found.body.data.detectedPatterns[0].id,
    [sampleIds.graphQuery]: asked.body.data.queryId,
    [sampleIds.community]: community.id,
    [sampleIds.otherCommunity]: otherCommunity.id,
  };
  const byPath: Record<string, string> = {
    '/api/memories id': memory.id,
    '/api/memories name': 'release-plan',
    '/api/memories relationshipId': relation.body.data.id,
    '/api/relationships id': relation.body.data.id,
    '/api/conversations conversationId': memory.conversationId,
    '/api/topics id': 'deploys',
    '/api/topics/communities/{id} id': community.id,
    '/api/patterns id': found.body.data.detectedPatterns[0].id,
    '/api/entities id': entities[sampleIds.entity],
    '/api/facts id': fact.body.data.id,
    '/api/artifacts id': artifact.body.data.id,
    '/api/imports id': made.body.data.id,
    '/api/webhooks id': webhookId,
    '/api/webhooks deliveryId': ping.body.data?.id ?? '',
    '/api/trash id': trash.body.data[0].id,
    '/api/narratives id': narrative.body.data.id,
    '/api/narratives memoryId': memory.id,
    '/api/apikeys id': key.body.data.keyInfo.id,
    '/api/oauth id': grantId ?? 'none',
    '/api/system id': jobs.body.data[0]?.id ?? 'derive~1~1',
    '/api/operator name': user,
    '/api/operator id': userKey.body.data?.keyInfo.id ?? '',
  };
  return {
    fill: (text) => Object.entries(ids).reduce((filled, [sample, id]) => filled.replaceAll(sample, id), text),
    parameter: (path, name) => {
      const value = byPath[`${path} ${name}`] ?? byPath[`${path.split('/').slice(0, 3).join('/')} ${name}`];
      if (value === undefined) throw new Error(`no sample record for {${name}} in ${path}`);
      return encodeURIComponent(value);
    },
  };
}

/** Stores the grant of a client to read, given with a key. @returns its id */
export async function writeGrant(store: OAuthStore, keyId: string): Promise<string> {
  const id = randomUUID();
  const payload = JSON.stringify({ clientId: 'https://client.example.test', resources: { '': 'read' } });
  const times = { createdAt: Date.now(), expiresAt: Date.now() + DAY_MS, consumedAt: null };
  await store.save({ model: 'Grant', id, payload, grantId: null, keyId, ...times }, []);
  return id;
}

/** Three entities, of which the last is a part of the first. */
async function sampleEntities(
  http: Client,
  conversationId: string,
  derive: (() => Promise<void>) | undefined,
): Promise<Record<string, string>> {
  if (!derive) return {};
  const content = 'Docker, Kubernetes and Podman run on the build machines.';
  await http.post('/api/memories', { content, conversationId });
  await derive();
  const listed = await http.get<{ data: { id: string; name: string }[] }>('/api/entities');
  const idOf = (name: string) => {
    const id = listed.body.data.find((entity) => entity.name === name)?.id;
    if (id === undefined) throw new Error(`no entity is called ${name}`);
    return id;
  };
  const [docker, kubernetes, podman] = ['Docker', 'Kubernetes', 'Podman'].map(idOf);
  await http.post('/api/entities/merge', { sourceEntityId: podman, targetEntityId: docker });
  return {
    [sampleIds.entity]: docker,
    [sampleIds.otherEntity]: kubernetes,
    [sampleIds.mergedEntity]: podman,
  };
}
