import { Ajv } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { errorCodes } from '../../src/domain/shared/error-codes.ts';
import {
  dereferenced,
  type OpenApiDocument,
  type OperationObject,
  operationsOf,
  parametersOf,
  type ResponseObject,
} from '../support/openapi.ts';
import { useApp } from '../support/use-app.ts';

const ofSearch = ['searchMemoriesGet', 'searchMemories'];

describe('the OpenAPI document', () => {
  const app = useApp('sqlite');
  let document: OpenApiDocument;
  let operations: [name: string, operation: OperationObject][];
  beforeAll(async () => {
    document = (await (await fetch(`${app.url}/api/openapi.json`)).json()) as OpenApiDocument;
    operations = operationsOf(document).map(({ method, path, operation }) => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]);
  });

  const responseOf = (operation: OperationObject, status: string) =>
    dereferenced<ResponseObject>(document, operation.responses[status]);

  it('the OpenAPI document names every operation once, in words, under its tags', () => {
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

  it('the OpenAPI document describes every operation and every response in words of their own', () => {
    for (const [name, operation] of operations) {
      const { summary, description = '' } = operation;
      expect([name, description.length > 20, description !== summary]).toEqual([name, true, true]);
      for (const status of Object.keys(operation.responses)) {
        const said = responseOf(operation, status).description;
        expect([name, status, said]).toEqual([name, status, expect.stringMatching(/^[A-Z`t].{2,}[.:`]?/)]);
        expect([name, status, said]).not.toEqual([name, status, 'Default Response']);
      }
    }
  });

  it('the OpenAPI document writes each kind of record once, by its name, and refers to it wherever it stands', () => {
    const names = ['Memory', 'Conversation', 'Fact', 'Topic', 'Entity', 'Narrative', 'Artifact', 'Error'];
    const more = ['SearchResult', 'Facets', 'MemoryRelationship', 'TrashEntry', 'ApiKey', 'Pagination'];
    for (const name of [...names, ...more]) {
      const schema = document.components.schemas[name];
      expect([name, schema?.type, Object.keys(schema?.properties ?? {}).length > 1]).toEqual([
        name,
        'object',
        true,
      ]);
    }
    const { CreateMemoryResponse, ListMemoriesResponse, SearchMemoriesResponse } =
      document.components.schemas;
    const memory = { $ref: '#/components/schemas/Memory' };
    expect(CreateMemoryResponse.properties?.data).toEqual(memory);
    expect(ListMemoriesResponse.properties?.data).toEqual({ type: 'array', items: memory });
    expect(SearchMemoriesResponse.properties?.data.items).toEqual({
      $ref: '#/components/schemas/SearchResult',
    });
    for (const [name, operation] of operations) {
      const content = operation.requestBody?.content['application/json']?.schema;
      if (content && name !== 'POST /mcp')
        expect([name, content]).toEqual([name, { $ref: expect.stringMatching(/Request$/) }]);
    }
  });

  it('the OpenAPI document has no schema that breaks a rule of JSON Schema, which the service itself does not look for', () => {
    const ajv = new Ajv({ strict: false });
    const schemas: unknown[] = [];
    JSON.stringify(document, (key, value) => {
      if (key === 'schema') schemas.push(value);
      return value;
    });
    schemas.push(...Object.values(document.components.schemas));
    expect(schemas.length).toBeGreaterThan(300);
    for (const schema of schemas) {
      const isValid = ajv.validateSchema(schema as object);
      expect([isValid, ajv.errors, isValid || schema]).toEqual([true, null, true]);
    }
  });

  it('the OpenAPI document has no option of ours left in it that is no keyword of OpenAPI', () => {
    expect(JSON.stringify(document)).not.toMatch(/"(rule|x-component|x-parameter|x-response-description)":/);
  });

  it('the OpenAPI document gives no optional parameter an example, which /docs would fill in and send, but the query of the search', () => {
    const given = operations.flatMap(([name, operation]) =>
      parametersOf(document, operation)
        .filter((each) => !each.required && (each.example ?? each.schema?.example) !== undefined)
        .map((each) => `${name} ${each.name}`),
    );
    expect(given).toEqual(['GET /api/memories/search q']);
  });

  it('the OpenAPI document allows an empty value for every query parameter that may be absent, and for no other', () => {
    for (const [name, operation] of operations)
      for (const parameter of parametersOf(document, operation).filter((each) => each.in === 'query'))
        expect([name, parameter.name, parameter.allowEmptyValue]).toEqual([
          name,
          parameter.name,
          parameter.required ? undefined : true,
        ]);
  });

  it('the OpenAPI document describes no parameter of a search as one without an effect', () => {
    const searches = operations.filter(([, { operationId }]) => ofSearch.includes(operationId));
    const described = searches.map(([, operation]) => {
      const body = operation.requestBody?.content['application/json']?.schema;
      const fields = body
        ? dereferenced(document, body as { $ref: string } & typeof body).properties
        : undefined;
      const query = parametersOf(document, operation).map((each) => [each.name, each] as const);
      return fields ?? Object.fromEntries(query);
    });
    expect(described).toHaveLength(2);
    for (const fields of described)
      for (const [name, field] of Object.entries(fields))
        expect([name, (field as { description?: string }).description ?? '']).toEqual([
          name,
          expect.not.stringMatching(/without any effect in this version|empty in this version/),
        ]);
  });

  it('the OpenAPI document describes each failure that an endpoint with a key may answer, in one shape, and in that of JSON-RPC on /mcp', () => {
    const statuses = new Set(Object.values(errorCodes).map(({ status }) => String(status)));
    // Said before any endpoint is known.
    statuses.delete('431');
    for (const [name, operation] of operations) {
      if (operation.security?.length === 0) continue;
      for (const status of statuses) {
        const schema = responseOf(operation, status).content?.['application/json']?.schema;
        const own = name === 'GET /api/system/health' && status === '503';
        const error = name.endsWith(' /mcp') ? 'McpError' : 'Error';
        const $ref = `#/components/schemas/${own ? 'GetSystemHealthResponse' : error}`;
        expect([name, status, schema]).toEqual([name, status, { $ref }]);
      }
    }
  });

  it('the OpenAPI document leaves out a key only for what is public', async () => {
    const open = operations.filter(([, { security }]) => security?.length === 0).map(([name]) => name);
    expect(open.sort()).toEqual(['GET /api/openapi.json', 'GET /health', 'GET /livez', 'GET /metrics']);
    for (const [name] of operations.filter(([each]) => !open.includes(each))) {
      const [method, path] = name.split(' ');
      const response = await fetch(app.url + path.replace(/\{\w+\}/g, 'x'), { method });
      // So many without a key are throttled from one address.
      expect([name, [401, 429].includes(response.status)]).toEqual([name, true]);
    }
  });
});
