import { type TProperties, type TSchema, Type } from 'typebox';
import { component } from './component.ts';

export const ErrorSchema = Type.Object(
  {
    error: Type.String({ description: 'What is wrong, in a sentence that names the field and the rule.' }),
    code: Type.String({ description: 'Stable code; see docs/errors.md.' }),
    details: Type.Optional(Type.Unknown()),
    retryAfter: Type.Optional(Type.Number({ description: 'Seconds after which trying again may help.' })),
    requestId: Type.String(),
  },
  { $id: 'Error' },
);

/** The error body on `/mcp`, whose clients read JSON-RPC. */
export const McpErrorSchema = Type.Object(
  {
    jsonrpc: Type.String(),
    id: Type.Unsafe({ description: 'Of the message that failed; null where it could not be read.' }),
    error: Type.Object({
      code: Type.Integer(),
      message: Type.String({ description: 'What is wrong, in a sentence.' }),
      data: Type.Object({
        code: Type.String({ description: 'Stable code; see docs/errors.md.' }),
        details: Type.Optional(Type.Unknown()),
        retryAfter: Type.Optional(Type.Number({ description: 'Seconds after which trying again may help.' })),
        requestId: Type.String(),
      }),
    }),
  },
  { $id: 'McpError' },
);

export const nextCursorField = Type.String({
  description: 'Where the list goes on, as `cursor`; absent on the last page, and in lists without one.',
});

export const PaginationSchema = Type.Object(
  {
    limit: Type.Integer({ description: 'Page size used.' }),
    offset: Type.Integer({ description: 'Items skipped; 0 with a cursor.' }),
    count: Type.Integer({ description: 'Items in the whole list.' }),
    nextCursor: Type.Optional(nextCursorField),
  },
  { $id: 'Pagination' },
);

/** `meta` of records that are created once: whether it existed before. */
export const ExistingMetaSchema = Type.Object(
  { existing: Type.Boolean({ description: 'True where it was there before, and is unchanged.' }) },
  component('ExistingMeta'),
);

/** The description of a response, not of its schema, which other responses may describe differently. */
function responseDescription(description: string): { readonly 'x-response-description': string } {
  return { 'x-response-description': description };
}

/**
 * `{data: …}`: the envelope of single records. `description`
 * is the one of the response in the OpenAPI document.
 */
export function dataOf<T extends TSchema>(schema: T, description: string) {
  return Type.Object({ data: schema }, responseDescription(description));
}

/** The body of a response that only this operation has. */
export function bodyOf<P extends TProperties>(description: string, properties: P) {
  return Type.Object(properties, { description });
}

/** A page of a list that is never cut short. */
export function pageOf<T extends TSchema>(item: T, description: string) {
  return bodyOf(description, { data: Type.Array(item), pagination: Type.Ref('Pagination') });
}

/** A response without a body. */
export function noContent(description: string) {
  return Type.Null(responseDescription(description));
}

/** The response to a delete that can be undone. */
export const inTrash = noContent(
  'Deleted; it is in the trash. The header `Trash-Entry` is the id of its entry, by which it is restored.',
);

/** The schema with a description for the response of one operation. */
export function described<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, ...responseDescription(description) };
}

/** Names of the schemas of failures: `ErrorSchema`, `McpErrorSchema`. */
export const errorSchemas = ['Error', 'McpError'] as const;
const errorStatuses = [400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 422, 429, 431, 503] as const;

/** Error responses, the same for every endpoint; a server fault is a 500 of the same shape. */
export const errorResponses = errorResponsesOf('Error');

export const mcpErrorResponses = errorResponsesOf('McpError');

function errorResponsesOf(schema: (typeof errorSchemas)[number]) {
  return Object.fromEntries([...errorStatuses, 500].map((status) => [status, Type.Ref(schema)]));
}
