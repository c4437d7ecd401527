import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCodes } from '../../src/domain/shared/error-codes.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';

interface Operation {
  operationId?: string;
  tags?: string[];
  summary?: string;
  security?: unknown[];
  requestBody?: { content: Record<string, { schema: { properties?: object } }> };
  responses: Record<string, { content?: Record<string, { schema: unknown }> }>;
}

describe('the OpenAPI document', () => {
  let app: AppFixture;
  let operations: [name: string, operation: Operation][];
  beforeAll(async () => {
    app = await newAppFixture('sqlite');
    const document = (await (await fetch(`${app.url}/api/openapi.json`)).json()) as {
      paths: Record<string, Record<string, Operation>>;
    };
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );
  });
  afterAll(() => app.close());

  it('names every operation once, in words, under its tags', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(operations.length);
    expect(operations.length).toBeGreaterThan(30);
    for (const [name, { operationId, summary, tags }] of operations) {
      expect(operationId, name).toMatch(/^[a-z][A-Za-z]+$/);
      expect([name, summary, tags]).toEqual([
        name,
        expect.stringMatching(/\w/),
        expect.arrayContaining([expect.any(String)]),
      ]);
    }
  });

  it('describes each failure that an endpoint with a key may answer, in one shape, and in that of JSON-RPC on /mcp', () => {
    const statuses = new Set(Object.values(errorCodes).map(({ status }) => String(status)));
    // Said before any endpoint is known.
    statuses.delete('431');
    for (const [name, { security, responses }] of operations) {
      if (security?.length === 0) continue;
      for (const status of statuses) {
        const schema = responses[status]?.content?.['application/json']?.schema;
        const own = name === 'GET /api/system/health' && status === '503';
        if (own) expect(schema).toMatchObject({ properties: { data: {} } });
        else {
          const $ref = `#/components/schemas/${name.endsWith(' /mcp') ? 'McpError' : 'Error'}`;
          expect([name, status, schema]).toEqual([name, status, { $ref }]);
        }
      }
    }
  });

  it('leaves out a key only for what is public', async () => {
    const open = operations.filter(([, { security }]) => security?.length === 0).map(([name]) => name);
    expect(open.sort()).toEqual(['GET /api/openapi.json', 'GET /health', 'GET /livez', 'GET /metrics']);
    for (const [name] of operations.filter(([each]) => !open.includes(each))) {
      const [method, path] = name.split(' ');
      const answer = await fetch(app.url + path.replace(/\{\w+\}/g, 'x'), { method });
      // So many without a key are throttled from one address.
      expect([name, [401, 429].includes(answer.status)]).toEqual([name, true]);
    }
  });
});
