import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { coverageOf } from '../../scripts/api-coverage/coverage.ts';
import { callsOf } from '../../scripts/api-coverage/test-calls.ts';
import type { OpenApiDocument } from '../support/openapi.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const document = JSON.parse(readFileSync(`${root}/docs/openapi.json`, 'utf8')) as OpenApiDocument;
const { operations, missing } = coverageOf(root, document);

describe('docs/api-coverage.md', () => {
  it('every operation has a test that sends such requests', () => {
    expect(operations.length).toBeGreaterThan(90);
    expect(
      operations
        .filter(({ tests, sdk }) => tests.length + (sdk?.tests.length ?? 0) === 0)
        .map(({ operation }) => operation),
    ).toEqual([]);
  });

  it('every operation of the public SDK that is served is called through the SDK', () => {
    const without = operations.filter(({ sdk }) => sdk?.tests.length === 0);
    expect(without.map(({ operation }) => operation)).toEqual([]);
  });

  it('every operation of the specification is served, but for those that say why not', () => {
    expect(missing.filter(({ lacking }) => !lacking.endsWith('in this version'))).toEqual([]);
  });

  it('calls are found in the code of a test, and a path that is only named is no call', () => {
    const source = `
      const path = '/api/memories/digest/stream';
      await http.post<{ data: (a: string) => void }>(path, body);
      await http.get<Made>(\`/api/memories/\${made.id}/similar?limit=\${n}\`);
      await http.send('PUT', '/api/facts/x');
      await fetch(\`\${app.url}/livez\`);
      expect('/api/topics').toBe(sdk.topics.listTopics());
    `;
    const { requests, sdkMethods } = callsOf('a.test.ts', source);
    expect([...requests]).toEqual([
      'POST /api/memories/digest/stream',
      'GET /api/memories/{}/similar',
      'PUT /api/facts/x',
      'GET /livez',
    ]);
    expect([...sdkMethods]).toEqual(['listTopics']);
  });
});
