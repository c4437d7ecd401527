import { errorCodes } from '../../domain/shared/error-codes.ts';

/** The parts of an OpenAPI document that this folder reads or changes. */
interface Media {
  readonly schema?: Readonly<Record<string, unknown>>;
}

interface ResponseObject {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Media>>;
}

interface ParameterObject {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly allowEmptyValue?: boolean;
  readonly schema?: Readonly<Record<string, unknown>>;
}

interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface DocumentObject {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

type Members<T> = Readonly<Record<string, T>>;

function mapMembers<T, R>(members: Members<T>, map: (value: T, name: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, map(value, name)]));
}

/** The document with each of its operations changed. */
function mapOperations(
  document: DocumentObject,
  map: (operation: OperationObject) => OperationObject,
): DocumentObject {
  return { ...document, paths: mapMembers(document.paths, (methods) => mapMembers(methods, map)) };
}

const json = 'application/json';

function named(content: Readonly<Record<string, Media>>, name: string): Readonly<Record<string, Media>> {
  const media = content[json];
  const schema = media?.schema;
  // References need no name, nor do schemas that are not records; an existing name stays.
  if (!schema?.properties || 'x-component' in schema) return content;
  return { ...content, [json]: { ...media, schema: { ...schema, 'x-component': name } } };
}

function withNames(operation: OperationObject): OperationObject {
  const { operationId, requestBody, responses } = operation;
  const prefix = operationId[0].toUpperCase() + operationId.slice(1);
  const nameResponse = (response: ResponseObject) =>
    response.content ? { ...response, content: named(response.content, `${prefix}Response`) } : response;
  return {
    ...operation,
    ...(requestBody && {
      requestBody: { ...requestBody, content: named(requestBody.content, `${prefix}Request`) },
    }),
    responses: mapMembers(responses, nameResponse),
  };
}

/**
 * Request and response bodies of an operation are components too:
 * `CreateMemoryRequest`, `CreateMemoryResponse`.
 */
export function withNamedBodies(document: DocumentObject): DocumentObject {
  return mapOperations(document, withNames);
}

/**
 * Adds facts that @fastify/swagger cannot know: a body without required members may
 * be left out, and an optional query parameter without a value counts as absent.
 */
export function withOptionalParts(document: DocumentObject): DocumentObject {
  return mapOperations(document, (operation) => {
    const { parameters, requestBody } = operation;
    const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema ?? {});
    return {
      ...operation,
      ...(parameters && {
        parameters: parameters.map((parameter) =>
          parameter.in === 'query' && !parameter.required
            ? { ...parameter, allowEmptyValue: true }
            : parameter,
        ),
      }),
      ...(requestBody && {
        requestBody: { ...requestBody, required: schemas.some((schema) => 'required' in schema) },
      }),
    };
  });
}

/** Names and first sentences of the responses that every operation shares. */
const failures: Readonly<Record<string, readonly [name: string, says: string]>> = {
  400: ['BadRequest', 'The request cannot be read.'],
  401: ['Unauthorized', 'No valid API key was sent.'],
  403: ['Forbidden', 'The key or the caller may not do this.'],
  404: ['NotFound', 'No such record, or no such path.'],
  405: ['MethodNotAllowed', 'The path does not have this method.'],
  409: ['Conflict', 'The act contradicts what is stored.'],
  410: ['Gone', 'The changes after the cursor are no longer kept.'],
  412: ['PreconditionFailed', 'The record has changed since the ETag of If-Match.'],
  413: ['ContentTooLarge', 'The body is too large.'],
  415: ['UnsupportedMediaType', 'The body is not application/json.'],
  422: ['UnprocessableContent', 'A field breaks a rule; the error names both.'],
  429: ['TooManyRequests', 'Too many failed authentications from this address, or requests of this key.'],
  431: ['RequestHeaderFieldsTooLarge', 'The headers are too large.'],
  500: ['InternalServerError', 'A fault of the server.'],
  503: ['ServiceUnavailable', 'Too busy, stopping, or without its store; try again after `retryAfter`.'],
};

const errorRefs: Readonly<Record<string, string>> = {
  '#/components/schemas/Error': '',
  '#/components/schemas/McpError': 'Mcp',
};

function codesOf(status: string): string {
  const codes = Object.entries(errorCodes).filter(([, code]) => String(code.status) === status);
  return codes.map(([code]) => `\`${code}\``).join(', ');
}

/** Writes each error response once, with its description; the operations refer to it. */
export function withSharedResponses(document: DocumentObject): DocumentObject {
  const shared = new Map<string, ResponseObject>();
  const refer = (response: ResponseObject, status: string): ResponseObject => {
    const ref = response.content?.['application/json']?.schema?.$ref;
    const prefix = typeof ref === 'string' ? errorRefs[ref] : undefined;
    if (prefix === undefined || !(status in failures)) return response;
    const [name, says] = failures[status];
    const description = `${says} Codes: ${codesOf(status)}; see docs/errors.md.`;
    shared.set(prefix + name, { ...response, description });
    return { $ref: `#/components/responses/${prefix}${name}` };
  };
  const referring = mapOperations(document, (operation) => ({
    ...operation,
    responses: mapMembers(operation.responses, refer),
  }));
  const responses = Object.fromEntries([...shared].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...referring, components: { ...document.components, responses } };
}
