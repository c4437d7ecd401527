import { hash } from 'node:crypto';
import { PassThrough, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CreateOutcome } from '../../../domain/memories/create-many.ts';
import type { MemoryService } from '../../../domain/memories/memory-service.ts';
import { inPart, invalidInput } from '../../../domain/shared/errors.ts';
import { loggedAppError } from '../../errors.ts';
import { AlreadyRespondedError, keyedActOfPart } from '../../keyed-act.ts';
import { type Route, type RouteApp, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { recordId } from '../../schemas/query.ts';
import {
  type BulkCreated,
  type BulkRecord,
  type BulkRefused,
  bulkLinesMax,
  inTransactions,
  recordsOfList,
  recordsOfStream,
  toRefused,
  toResult,
} from './bulk-records.ts';

/** Memories of one body that is a JSON object. */
const bulkCreateMax = 1000;

const Body = Type.Object({
  memories: Type.Array(
    Type.Unsafe<unknown>({
      type: 'object',
      description: 'The fields of `POST /api/memories`; each is checked for itself.',
    }),
    { minItems: 1, maxItems: bulkCreateMax },
  ),
});

const example = {
  memories: [
    { content: 'Deploys run from the main branch only.', externalId: 'notes:17' },
    { content: 'The gateway timeout defaults to 30 seconds.', topics: ['gateway'] },
  ],
};

export const BulkResultSchema = Type.Object(
  {
    index: Type.Integer({ description: 'Place in `memories`, from 0.' }),
    status: Type.Integer({
      description:
        '201: stored. 200: a memory with its `externalId` was there. 422, 404, 409: refused, as by POST ' +
        '/api/memories; 409 `MEMORY_IN_TRASH`: it was deleted here.',
    }),
    id: Type.Optional(Type.String()),
    conversationId: Type.Optional(Type.String()),
    updated: Type.Optional(
      Type.Boolean({
        description:
          'Of an import: the record has changed since it was imported, and is a new version of the memory.',
      }),
    ),
    keptEdit: Type.Optional(
      Type.Boolean({
        description:
          'Of an import: the record has changed, but the memory was edited here since, and is left alone.',
      }),
    ),
    warnings: Type.Optional(Type.Array(Type.String())),
    ignored: Type.Optional(Type.Array(Type.String(), { description: 'Its fields that are not known here.' })),
    code: Type.Optional(Type.String({ description: 'Of a refusal; see docs/errors.md.' })),
    error: Type.Optional(Type.String()),
    details: Type.Optional(Type.Unknown({ description: 'For 422 the `field` and the `rule`.' })),
  },
  component('BulkCreateResult'),
);

const Response = Type.Object({
  data: Type.Array(BulkResultSchema, { description: 'One for each memory, in their order.' }),
  meta: Type.Object({
    created: Type.Integer(),
    existing: Type.Integer({ description: 'Results of 200 but those updated.' }),
    updated: Type.Integer(),
    refused: Type.Integer(),
  }),
});

const ndjson = 'application/x-ndjson';

/** Bodies of JSON Lines, which the handler reads as they arrive. */
const streams = new WeakMap<FastifyRequest, Readable>();

type Result = BulkCreated | BulkRefused;

const description =
  `JSON with up to ${bulkCreateMax} memories, or \`${ndjson}\` with up to ${bulkLinesMax} lines of one memory each, none longer ` +
  'than a body may be, which are read and responded to as they arrive, one line each with `line` in place of ' +
  '`index`. One that a rule refuses does not stop the others. What has a result is stored; other requests have ' +
  'their turns in between. With an `Idempotency-Key` a repetition continues where the first request ended. A line ' +
  'without `line` is the last one: an error that ended the request.';

const Query = Type.Object({
  importId: Type.Optional(
    recordId(
      'The import that they belong to and that counts them. Records that have changed since they were imported become ' +
        'new versions, unless they were edited here.',
    ),
  ),
});

const schema = {
  operationId: 'bulkCreateMemories',
  tags: ['Memories'],
  summary: 'Store up to 1,000 memories, or 10,000 lines',
  description,
  querystring: Query,
  body: {
    content: {
      'application/json': { schema: { ...Body, examples: [example] } },
      [ndjson]: { schema: Type.Unknown({ description: 'JSON Lines of memories.' }) },
    },
  },
  response: {
    200: {
      description: 'What became of each memory.',
      content: {
        'application/json': { schema: Response },
        [ndjson]: { schema: Type.String({ description: 'A result a line.' }) },
      },
    },
  },
};

export const bulkCreateMemories: Route = (outer, { memories, imports }) => {
  outer.register(async (scope) => {
    const app = scope as unknown as RouteApp;
    app.addContentTypeParser(ndjson, (request, payload, done) => {
      streams.set(request, payload as unknown as Readable);
      done(null, undefined);
    });
    app.post(
      '/api/memories/bulk',
      {
        config: { textsRead: ['memories'] },
        schema,
      },
      async (request, reply) => {
        const { importId } = request.query;
        if (importId !== undefined) await imports.get(request.user, importId);
        const create = new BulkCreate(memories, request, { importId });
        const body = streams.get(request);
        if (!body) {
          // Without a content type there is no body to validate.
          const { memories: values } = (request.body ?? {}) as { memories?: readonly unknown[] };
          if (!values) throw invalidInput('memories', 'is required');
          return reply.send((await createList(create, values)) as never);
        }
        const output = new PassThrough();
        reply.type(`${ndjson}; charset=utf-8`).send(output as never);
        await createLines(create, output, { request, reply, body });
        return reply;
      },
    );
  });
};

/** Creates the records of one transaction after another, as the request's user. */
export class BulkCreate {
  readonly #memories: MemoryService;
  readonly #request: FastifyRequest;
  readonly #importId: string | undefined;
  #parts: number;

  /** @param firstPart number of the first transaction, for a request that had others before */
  constructor(
    memories: MemoryService,
    request: FastifyRequest,
    { importId, firstPart = 0 }: { readonly importId?: string; readonly firstPart?: number } = {},
  ) {
    this.#memories = memories;
    this.#importId = importId;
    this.#request = request;
    this.#parts = firstPart;
  }

  async store(records: readonly BulkRecord[]): Promise<readonly Result[]> {
    const toResults = (outcomes: readonly CreateOutcome[]) =>
      outcomes.map((outcome, i) => toResult(records[i], outcome));
    const part = { number: this.#parts++, fingerprint: this.#request.keyed ? fingerprintOf(records) : '' };
    const act = keyedActOfPart<readonly CreateOutcome[]>(this.#request, part, (done) =>
      JSON.stringify(toResults(done)),
    );
    const importId = this.#importId;
    const requests = records.map(({ request }) => request);
    try {
      return toResults(await this.#memories.createMany(this.#request.user, requests, { importId, act }));
    } catch (error) {
      if (error instanceof AlreadyRespondedError) return JSON.parse(error.response.body) as Result[];
      throw error;
    }
  }
}

function fingerprintOf(records: readonly BulkRecord[]): string {
  const all = records.map(({ place, source }) => [place, hash('sha256', source(), 'base64url')]);
  return hash('sha256', JSON.stringify(all), 'base64url');
}

export async function createList(create: BulkCreate, values: readonly unknown[]) {
  const data: (Result & { readonly index: number })[] = [];
  const inPartOf = () => inPart(`${data.length} of ${values.length} memories were taken`);
  for await (const records of inTransactions([recordsOfList(values)], true)) {
    const results = await create.store(records).catch(data.length === 0 ? undefined : inPartOf());
    for (const [i, result] of results.entries()) data.push({ index: records[i].place, ...result });
  }
  const countOf = (...statuses: number[]) => data.filter(({ status }) => statuses.includes(status)).length;
  const [created, known] = [countOf(201), countOf(200)];
  const updated = data.filter((result) => 'updated' in result).length;
  const refused = data.length - created - known;
  return { data, meta: { created, existing: known - updated, updated, refused } };
}

/**
 * Responds with a line for each line. Written lines are not waited for, so a client that sends all before it reads
 * anything is not in the way of itself: at most `bulkLinesMax` short lines are unread.
 */
async function createLines(
  create: BulkCreate,
  output: PassThrough,
  { request, reply, body }: { request: FastifyRequest; reply: FastifyReply; body: Readable },
): Promise<void> {
  const write = (line: object) => output.write(`${JSON.stringify(line)}\n`);
  try {
    // Destroying a body that is not read to its end would destroy the connection before the last line is sent.
    const chunks = body.iterator({ destroyOnReturn: false });
    const arriving = recordsOfStream(chunks, request.server.initialConfig.bodyLimit ?? 0);
    for await (const records of inTransactions(arriving, request.keyed !== undefined)) {
      const results = await create.store(records);
      for (const [i, result] of results.entries()) write({ line: records[i].place, ...result });
    }
  } catch (thrown) {
    // After a disconnect of the client, memories that are stored are found by the key or their external ids.
    if (!reply.raw.destroyed && !request.raw.readableAborted)
      write(toRefused(loggedAppError(request, thrown)));
  } finally {
    output.end();
  }
}
