import { describe, expect, it } from 'vitest';
import { withNamedComponents } from './named-components.ts';
import type { DocumentObject } from './operations.ts';

const bird = { type: 'object', properties: { name: { type: 'string' } }, 'x-component': 'Bird' };

function documentOf(...schemas: readonly object[]): DocumentObject {
  const content = Object.fromEntries(
    schemas.map((schema, i) => [`application/${i}`, { schema: schema as Record<string, unknown> }]),
  );
  const get = { operationId: 'getBirds', responses: { 200: { description: 'Birds.', content } } };
  return { paths: { '/birds': { get } }, components: { schemas: {} } };
}

const schemasOf = ({ paths }: DocumentObject) =>
  Object.values(paths['/birds'].get.responses[200].content ?? {}).map(({ schema }) => schema);

describe('a schema with a name', () => {
  it('a schema with a name is written once in the components, and referred to wherever it stands', () => {
    const made = withNamedComponents(documentOf(bird, { type: 'array', items: bird }));
    const $ref = '#/components/schemas/Bird';
    expect(schemasOf(made)).toEqual([{ $ref }, { type: 'array', items: { $ref } }]);
    expect(made.components.schemas).toEqual({
      Bird: { type: 'object', properties: { name: { type: 'string' } } },
    });
  });

  it('a schema with a name may stand within another one', () => {
    const nest = { type: 'object', properties: { bird }, 'x-component': 'Nest' };
    const made = withNamedComponents(documentOf(nest));
    expect(Object.keys(made.components.schemas)).toEqual(['Bird', 'Nest']);
    expect(made.components.schemas.Nest).toEqual({
      type: 'object',
      properties: { bird: { $ref: '#/components/schemas/Bird' } },
    });
  });

  it('a schema with a name stops the start where another schema has the same name', () => {
    expect(() => withNamedComponents(documentOf(bird, { ...bird, type: 'array' }))).toThrow(
      'Different schemas of the OpenAPI document have the name Bird.',
    );
  });

  it('a schema with a name leaves properties that are named like a keyword, and data, as they are', () => {
    const odd = {
      type: 'object',
      properties: { rule: bird, default: { type: 'string' } },
      example: { 'x-component': 'Bird' },
    };
    expect(schemasOf(withNamedComponents(documentOf(odd)))).toEqual([
      {
        type: 'object',
        properties: { rule: { $ref: '#/components/schemas/Bird' }, default: { type: 'string' } },
        example: { 'x-component': 'Bird' },
      },
    ]);
  });
});
