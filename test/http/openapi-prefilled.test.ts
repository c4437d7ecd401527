import { beforeAll, describe, expect, it } from 'vitest';
import { sampleIds } from '../../src/http/schemas/samples.ts';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { type OpenApiDocument, operationsOf, type Parameter, parametersOf } from '../support/openapi.ts';
import { useApp } from '../support/use-app.ts';

interface Made {
  data: { id: string; conversationId: string };
}

/** Lists and searches that show the records of the examples. */
const finding = [
  'listMemories',
  'searchMemoriesGet',
  'getMemoriesStats',
  'listConversations',
  'listTopics',
  'listFacts',
  'listArtifacts',
];
/** Event streams, and what is open to this machine and no JSON. */
/** Of records that only derivation and detection make: the tests of the examples have them. */
const ofDerived = ['getCommunity', 'getEntityById', 'getEntityMemories', 'explainGraphRAGQuery'];
const leftOut = new Set(['getMcpEvents', 'streamChanges', 'getMetrics', ...ofDerived]);
/** Users and their keys, for keys of another scope: `operator.test.ts` has them. */
const isForOperators = (path: string) => path.startsWith('/api/operator/');

/** What Swagger UI puts into the field of a parameter: its example, else its default. */
function prefilled({ example, schema }: Parameter): unknown {
  return example ?? schema?.example ?? schema?.default;
}

describe.each(engines)(
  'the fields that /docs fills in, sent on %s to a store with the examples',
  (engine) => {
    const app = useApp(engine);
    let http: Client;
    let document: OpenApiDocument;
    /** Values of path parameters, which a person has to fill in. */
    let ids: Record<string, string>;
    beforeAll(async () => {
      http = await app.newClient();
      document = (await http.get<OpenApiDocument>('/api/openapi.json')).body;
      const run = async (operationId: string) => {
        const found = operationsOf(document).find(({ operation }) => operation.operationId === operationId);
        const body = found?.operation.requestBody?.content['application/json'].example;
        const reply = await http.post<Made>(found?.path ?? '', body);
        expect([operationId, reply.status]).toEqual([operationId, 201]);
        return reply.body.data;
      };
      const memory = await run('createMemory');
      const [fact, artifact] = [await run('createFact'), await run('createArtifact')];
      await run('createConversation');
      const named = await http.put<Made>(`/api/memories/${memory.id}`, { name: 'release-plan' });
      const narrative = await http.post<Made>('/api/narratives', { title: 'a', rootMemoryId: memory.id });
      const webhook = await run('createWebhook');
      expect([named.status, narrative.status]).toEqual([200, 201]);
      ids = {
        '/api/memories id': memory.id,
        '/api/memories name': 'release-plan',
        '/api/conversations conversationId': memory.conversationId,
        '/api/topics id': 'deploys',
        '/api/facts id': fact.id,
        '/api/artifacts id': artifact.id,
        '/api/narratives id': narrative.body.data.id,
        '/api/webhooks id': webhook.id,
      };
    });

    function urlOf(path: string, parameters: readonly Parameter[]): string {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(ids[`${path.split('/').slice(0, 3).join('/')} ${name}`] ?? 'missing'),
      );
      const query = new URLSearchParams();
      for (const parameter of parameters) {
        const value = prefilled(parameter);
        if (parameter.in === 'query' && value !== undefined) query.set(parameter.name, String(value));
      }
      return query.size > 0 ? `${filled}?${query}` : filled;
    }

    it('the fields that /docs fills in succeed with every GET, and what lists or searches finds the records', async () => {
      const asked: string[] = [];
      for (const { method, path, operation } of operationsOf(document)) {
        if (method !== 'get' || leftOut.has(operation.operationId) || isForOperators(path)) continue;
        const url = urlOf(path, parametersOf(document, operation));
        const reply = await http.get<{ data: unknown[] }>(url);
        expect([url, reply.status]).toEqual([url, 200]);
        asked.push(operation.operationId);
        if (finding.includes(operation.operationId))
          expect([url, reply.body.data.length > 0]).toEqual([url, true]);
      }
      expect(asked).toEqual(expect.arrayContaining(finding));
      expect(asked.length).toBeGreaterThan(20);
    });

    it('the fields that /docs fills in succeed with every POST whose body needs no id of a record', async () => {
      const asked: string[] = [];
      for (const { method, path, operation } of operationsOf(document)) {
        const example = operation.requestBody?.content['application/json']?.example;
        const text = JSON.stringify(example) ?? '';
        if (method !== 'post' || path.includes('{') || example === undefined || isForOperators(path))
          continue;
        if (Object.values(sampleIds).some((id) => text.includes(id))) continue;
        const reply = await http.post(path, example);
        expect([path, reply.status, reply.status < 300 ? '' : reply.text]).toEqual([
          path,
          reply.status < 300 ? reply.status : 200,
          '',
        ]);
        asked.push(operation.operationId);
      }
      const formerlyNotFound = [
        'createFact',
        'createArtifact',
        'findSimilarTopics',
        'findConversationsByTopic',
      ];
      expect(asked).toEqual(
        expect.arrayContaining([...formerlyNotFound, 'discoverRelatedTopics', 'mergeTopics']),
      );
    });
  },
);
