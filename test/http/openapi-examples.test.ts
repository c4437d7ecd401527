import { Ajv, type ValidateFunction } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { keyScopes } from '../../src/domain/api-keys/api-key.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import type { Client } from '../support/http-client.ts';
import {
  dereferenced,
  type OpenApiDocument,
  type OperationObject,
  operationsOf,
  parametersOf,
  type ResponseObject,
} from '../support/openapi.ts';
import { type SampleRecords, writeGrant, writeSampleRecords } from '../support/sample-records.ts';
import { useApp } from '../support/use-app.ts';

/** They need a session, or do not end: test/mcp and changes.test.ts have them. */
const ofSessions = new Set(['get /mcp', 'delete /mcp', 'get /api/events']);
const noExamples = new Set(['livez', 'health', 'metrics']);

describe.each(engines)('the examples of the OpenAPI document on %s', (engine) => {
  const app = useApp(engine);
  let document: OpenApiDocument;
  let ajv: Ajv;
  beforeAll(async () => {
    document = (await (await fetch(`${app.url}/api/openapi.json`)).json()) as OpenApiDocument;
    ajv = new Ajv({ strict: false, allErrors: true });
    ajv.addSchema({ ...document, $id: 'document' });
  });

  /** Of a user of their own. */
  async function newRecords(path: string) {
    const http = await app.newClient(keyScopes);
    const derive = path.startsWith('/api/entities') ? () => deriveAll(app.services) : undefined;
    return {
      http,
      records: await writeSampleRecords(http, {
        derive,
        grant: (keyId) => writeGrant(app.storage.oauth, keyId),
      }),
    };
  }

  const operations = () => operationsOf(document);

  const bodyOf = (operation: OperationObject) => operation.requestBody?.content['application/json'];

  /** Path, query and body of a call made of the examples of an operation. */
  function callOf(path: string, operation: OperationObject, records: SampleRecords) {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => records.parameter(path, name));
    const query = new URLSearchParams();
    for (const { in: place, name, example, schema } of parametersOf(document, operation)) {
      const value = example ?? schema?.example;
      if (place === 'query' && value !== undefined) query.set(name, records.fill(String(value)));
    }
    const example = bodyOf(operation)?.example;
    const rawBody = example === undefined ? undefined : records.fill(JSON.stringify(example));
    return { url: query.size > 0 ? `${filled}?${query}` : filled, rawBody };
  }

  function validatorOf(path: string, method: string, status: string): ValidateFunction {
    const pointer = [path, method, 'responses', status, 'content', 'application/json', 'schema']
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    return ajv.compile({ $ref: `document#/paths/${pointer}` });
  }

  async function send(http: Client, method: string, { url, rawBody }: ReturnType<typeof callOf>) {
    const headers: Record<string, string> =
      rawBody === undefined ? {} : { 'content-type': 'application/json' };
    return http.send(method.toUpperCase(), url, { rawBody, headers });
  }

  it('examples of the OpenAPI document are in every operation that takes a body', () => {
    for (const { path, method, operation } of operations()) {
      const body = bodyOf(operation);
      if (body) expect([method, path, body.example !== undefined]).toEqual([method, path, true]);
    }
  });

  it('examples of the OpenAPI document get a successful response, as documented', async () => {
    let run = 0;
    const read = await newRecords('/api/entities');
    for (const { path, method, operation } of operations()) {
      if (noExamples.has(path.slice(1)) || ofSessions.has(`${method} ${path}`)) continue;
      const { http, records } = method === 'get' ? read : await newRecords(path);
      const call = callOf(path, operation, records);
      const reply = await send(http, method, call);
      const name = `${method} ${call.url} ${call.rawBody ?? ''}`;
      expect([name, reply.status, reply.status < 300 ? '' : reply.text]).toEqual([
        name,
        expect.toSatisfy((status: number) => status >= 200 && status < 300),
        '',
      ]);
      const documented = operation.responses[String(reply.status)];
      expect([name, documented !== undefined]).toEqual([name, true]);
      const { content } = dereferenced<ResponseObject>(document, documented);
      if (content?.['application/json']?.schema) {
        const validate = validatorOf(path, method, String(reply.status));
        expect([name, validate(reply.body) ? [] : validate.errors]).toEqual([name, []]);
      }
      run++;
    }
    expect(run).toBeGreaterThan(30);
    // A user for each of some hundred operations.
  }, 240_000);
});
