import type { Static } from 'typebox';
import { memoryTypes, topicLengthMax, topicsMax } from '../../../domain/memories/memory.ts';
import { cursorLengthMax } from '../../../domain/shared/cursor.ts';
import { invalidInput } from '../../../domain/shared/errors.ts';
import { pageLimitMax } from '../../../domain/shared/page.ts';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import { type SearchRequest, searchDefaults } from '../../../search/request.ts';
import type { Search } from '../../../search/search-port.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { memoryFields, toMemoryRecord } from '../../schemas/memory.ts';
import { bodyMetadataTests, metadataField } from '../../schemas/memory-filter.ts';
import { type ListRequest, nextCursorOf, toListPage } from '../../schemas/pagination.ts';
import { limitUpTo, oneOf } from '../../schemas/query.ts';

const formats = ['json', 'csv'] as const;
const fieldNames = Object.keys(memoryFields);
const limitDefault = 100;

const Body = Type.Object(
  {
    query: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: 'What a search finds, in its order; else the newest first.',
      }),
    ),
    topics: Type.Optional(Type.Array(Type.String({ maxLength: topicLengthMax }), { maxItems: topicsMax })),
    metadata: metadataField,
    memoryType: Type.Optional(oneOf(memoryTypes, component('MemoryType'))),
    format: Type.Optional(oneOf(formats, { default: 'json' })),
    fields: Type.Optional(
      Type.Array(oneOf(fieldNames), { maxItems: 30, description: 'Which fields; all where it is left out.' }),
    ),
    limit: limitUpTo(pageLimitMax, limitDefault),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Memories to skip; see the header X-Next-Offset.' }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: cursorLengthMax,
        description:
          'Without a query: the header X-Next-Cursor of the response before, with the same other fields.',
      }),
    ),
  },
  { examples: [{ topics: ['deploys'], format: 'json', fields: ['id', 'content', 'createdAt'], limit: 100 }] },
);

type Body = Static<typeof Body>;

/** Superseded and expired memories are included: an export is complete. */
function requestOf(body: Body): SearchRequest {
  const topics = body.topics && body.topics.length > 0 ? body.topics : undefined;
  return {
    ...searchDefaults,
    query: body.query?.trim() ? body.query : undefined,
    includeExpired: true,
    limit: body.limit ?? limitDefault,
    offset: Math.min(body.offset ?? 0, Number.MAX_SAFE_INTEGER),
    filter: {
      topics,
      metadata: bodyMetadataTests(body.metadata),
      memoryType: body.memoryType,
      includeSuperseded: true,
    },
  };
}

/** Without a query the export is a list, which has cursors; a search has an offset. */
async function pageFor(search: Search, user: UserRef, list: ListRequest & { readonly query: Body }) {
  const body = list.query;
  const asked = requestOf(body);
  if (asked.query === undefined) {
    const { after } = toListPage(list);
    const page = await search.browse(user, { ...asked, sortBy: 'createdAt', order: 'desc', after });
    return { ...page, ...nextCursorOf(page, list) };
  }
  if (body.cursor !== undefined) throw invalidInput('cursor', 'must not be sent with a query');
  const { hits, nextOffset } = await search.search(user, asked);
  return { items: hits.map(({ memory }) => memory), nextOffset, nextCursor: undefined };
}

function requestedFields(fields: readonly string[] | undefined): readonly string[] {
  if (!fields || fields.length === 0) return fieldNames;
  const unknown = fields.find((name) => !fieldNames.includes(name));
  if (unknown !== undefined) throw invalidInput('fields', `must be of ${fieldNames.join(', ')}`);
  return [...new Set(fields)];
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.join('; ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export const exportMemories: Route = (app, { search }) =>
  app.post(
    '/api/memories/export',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'exportMemories',
        tags: ['Memories'],
        summary: 'Export memories as JSON or CSV',
        description:
          'A bare JSON array, or CSV (RFC 4180) that is safe to open in a spreadsheet. Superseded and expired ' +
          'memories are included. For a whole user with everything, use `memoryd export`.',
        body: Body,
        response: {
          200: {
            description:
              'An array, or CSV with a header line. It contains 8 MiB of records at most: where it ends early, the ' +
              'header X-Truncated is true and X-Next-Offset says at which offset to go on. Without a query, X-Next-Cursor ' +
              'is there as long as there are more.',
            content: {
              'application/json': {
                schema: Type.Array(Type.Partial(Type.Object(memoryFields), component('ExportedMemory'))),
              },
              'text/csv': { schema: Type.String() },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { user, routeOptions, params, body } = request;
      const list = { user, routeOptions, params, query: body };
      const fields = requestedFields(body.fields);
      const { items, nextOffset, nextCursor } = await pageFor(search, user, list);
      const records = items.map((memory) => toMemoryRecord(memory) as Record<string, unknown>);
      const format = body.format ?? 'json';
      if (nextOffset !== undefined)
        reply.header('X-Truncated', 'true').header('X-Next-Offset', String(nextOffset));
      if (nextCursor !== undefined) reply.header('X-Next-Cursor', nextCursor);
      reply.header('Content-Disposition', `attachment; filename="memories.${format}"`);
      if (format === 'csv') {
        const rows = records.map((record) => fields.map((name) => cellOf(record[name])));
        return reply.type('text/csv; charset=utf-8; header=present').send(toCsv([fields, ...rows]) as never);
      }
      return reply.send(
        records.map((record) => Object.fromEntries(fields.map((name) => [name, record[name]]))) as never,
      );
    },
  );

/**
 * First characters that make a spreadsheet read a cell as a formula
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const formula = /^[=+\-@\t\r]/;
const needsQuotes = /[",\r\n]/;

function cell(text: string): string {
  const harmless = formula.test(text) ? `'${text}` : text;
  return needsQuotes.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/**
 * Rows as CSV by RFC 4180, each ended by CR LF. An apostrophe precedes a cell that a spreadsheet would run.
 */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
