import { errorCodes } from '../../domain/shared/error-codes.ts';
import { type DocumentObject, mapMembers, mapOperations, type ResponseObject } from './document.ts';

/** Names and first sentences of the responses that every operation shares. */
const failures: Readonly<Record<string, readonly [name: string, says: string]>> = {
  400: ['BadRequest', 'The request cannot be read.'],
  401: ['Unauthorized', 'No valid API key was sent.'],
  403: ['Forbidden', 'The key or the caller may not do this.'],
  404: ['NotFound', 'No such record, or no such path.'],
  405: ['MethodNotAllowed', 'The path does not have this method.'],
  409: ['Conflict', 'The act contradicts what is stored.'],
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
