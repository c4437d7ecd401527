import type { Static } from 'typebox';
import {
  conversationIdsMax,
  type Digest,
  type DigestRequest,
  type DigestSource,
  digestFormats,
  digestProse,
  maxSourcesDefault,
  maxSourcesMax,
} from '../../../briefing/digest/digest.ts';
import { type Memory, orderTime, topicLengthMax } from '../../../domain/memories/memory.ts';
import { invalidInput } from '../../../domain/shared/errors.ts';
import { type EpochMs, parseWindowStart, toIso } from '../../../domain/shared/time.ts';
import { heartbeatMsOf, streamResult } from '../../event-stream.ts';
import { withIgnored } from '../../ignored-fields.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { described } from '../../schemas/envelope.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import { fitRecords } from '../../schemas/pagination.ts';
import { passageFields, passageRecords } from '../../schemas/passage.ts';
import { oneOf, recordId, relevanceFloorField, share, windowText } from '../../schemas/query.ts';
import { BranchFailureSchema } from '../memories/search-response.ts';
import { fencedField, fencedText, fencedTextField } from './fenced.ts';

const tokenBudget = { minimum: 50, maximum: 32_000, default: 2000 } as const;
const verbatimMax = 50;
const topicsMax = 50;

const DigestBody = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: 2000, description: 'What the digest is about.' }),
    recent: Type.Optional(
      windowText('Only what was written within this window, such as 7d, 24h, 2w or 30m.'),
    ),
    topics: Type.Optional(
      Type.Array(Type.String({ maxLength: topicLengthMax }), {
        maxItems: topicsMax,
        description: 'Memories with any of them.',
      }),
    ),
    conversationIds: Type.Optional(
      Type.Array(recordId('A conversation.'), {
        maxItems: conversationIdsMax,
        description: 'Memories of any of these conversations.',
      }),
    ),
    format: Type.Optional(
      oneOf(digestFormats, {
        default: 'structured',
        description:
          'structured: by topic or conversation; narrative: a paragraph for each conversation; timeline: by day; ' +
          'status-report: done, in progress, blocked.',
      }),
    ),
    maxSources: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxSourcesMax,
        default: maxSourcesDefault,
        description: 'Memories that the digest is made of, at most.',
      }),
    ),
    includeMemoryIds: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Lists the ids behind the numbers at the end of the text.',
      }),
    ),
    tokenBudget: Type.Optional(
      Type.Integer({ ...tokenBudget, description: 'The digest has at most so many tokens (o200k).' }),
    ),
    prose: Type.Optional(
      oneOf(digestProse, {
        default: 'offline',
        description:
          'llm: a narrative in the words of the LLM, or headings of a structured digest, where one is configured. Nothing waits for it: the first answer is ' +
          'word for word, `metadata.prose` says so, and the same request has the prose once it is there and checked.',
      }),
    ),
    fenced: fencedField,
    verbatimRecent: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: verbatimMax,
        default: 0,
        description: 'So many of the newest sources are added unchanged, as `recentMemories`.',
      }),
    ),
  },
  { examples: [{ query: 'how do we deploy', format: 'structured', maxSources: 50 }] },
);

const DigestMetadataSchema = Type.Object(
  {
    query: Type.String(),
    format: oneOf(digestFormats),
    sourcesConsidered: Type.Integer({ description: 'All memories that match.' }),
    sourcesUsed: Type.Integer(),
    tokens: Type.Integer({ description: 'Of `digest`, at most `tokenBudget`.' }),
    statementsOmitted: Type.Integer({
      description: 'Statements that would be in it, and did not fit into `tokenBudget`.',
    }),
    conversationsSpanned: Type.Integer(),
    timeRange: Type.Unsafe<{ earliest: string; latest: string } | null>({
      type: ['object', 'null'],
      properties: { earliest: { type: 'string' }, latest: { type: 'string' } },
      description: 'Of the sources, by event time, else time of writing; null without any.',
    }),
    generatedAt: Type.String(),
    averageRelevance: Type.Optional(share),
    relevanceFloor: relevanceFloorField('Where no memory reaches it, nothing is known'),
    prose: Type.Optional(
      Type.Object(
        {
          by: oneOf(digestProse, { description: 'llm: in the words of the LLM, each sentence checked.' }),
          reason: Type.Optional(Type.String({ description: 'Why it is not in the words of the LLM.' })),
        },
        component('DigestProse'),
      ),
    ),
    degraded: Type.Optional(
      Type.Boolean({ description: 'True where a part of the search failed or was late.' }),
    ),
    branchFailures: Type.Optional(Type.Array(BranchFailureSchema)),
    truncated: Type.Optional(
      Type.Boolean({ description: 'True where the sources ended early: they have 8 MiB of text at most.' }),
    ),
  },
  component('DigestMetadata'),
);

const DigestResponseSchema = Type.Object(
  {
    digest: Type.String({ description: 'Markdown; [3] is the third of `sources`.' }),
    fenced: fencedTextField,
    metadata: DigestMetadataSchema,
    sources: Type.Array(
      Type.Object(
        {
          memoryId: Type.String(),
          relevance: Type.Number({
            minimum: 0,
            maximum: 1,
            description:
              'As in a search, whatever the other sources are; 1 if chosen by a filter or a time alone.',
          }),
          conversation: Type.Optional(Type.String({ description: 'Title of its conversation.' })),
          ...passageFields,
        },
        component('DigestSource'),
      ),
      { description: 'In the order of their numbers, the most relevant first.' },
    ),
    keyFacts: Type.Optional(
      Type.Array(
        Type.Object(
          {
            subject: Type.String(),
            predicate: Type.String(),
            object: Type.String(),
            confidence: share,
            mentions: Type.Integer({ description: 'Sources that say it.' }),
          },
          component('DigestKeyFact'),
        ),
      ),
    ),
    entities: Type.Optional(
      Type.Array(
        Type.Object(
          { name: Type.String(), type: Type.String(), mentions: Type.Integer() },
          component('DigestEntity'),
        ),
        { description: 'What the sources mention, most often first.' },
      ),
    ),
    effectiveStateBreakdown: Type.Optional(
      Type.Object(
        { current: Type.Integer(), superseded: Type.Integer(), contradicted: Type.Integer() },
        component('EffectiveStateBreakdown'),
      ),
    ),
    recentMemories: Type.Optional(Type.Array(MemorySchema, { description: 'With `verbatimRecent`.' })),
  },
  component('DigestResponse'),
);

type DigestRequestBody = Static<typeof DigestBody>;
export type DigestRecord = Static<typeof DigestResponseSchema>;

/** @throws 422 */
function toDigestRequest(body: DigestRequestBody, now: EpochMs): DigestRequest {
  if (body.query.trim() === '') throw invalidInput('query', 'must not be blank');
  const some = <T>(list: readonly T[] | undefined) => (list && list.length > 0 ? list : undefined);
  return {
    query: body.query,
    format: body.format ?? 'structured',
    maxSources: body.maxSources ?? maxSourcesDefault,
    from: body.recent === undefined ? undefined : parseWindowStart(body.recent, 'recent', now),
    topics: some(body.topics),
    conversationIds: some(body.conversationIds && [...new Set(body.conversationIds)]),
    tokenBudget: body.tokenBudget ?? tokenBudget.default,
    listsIds: body.includeMemoryIds ?? false,
    prose: body.prose ?? 'offline',
  };
}

function toDigestRecord(
  digest: Digest,
  request: DigestRequest,
  body: DigestRequestBody,
  now: EpochMs,
): DigestRecord {
  const { sources, keyFacts, branchFailures } = digest;
  return {
    digest: digest.text,
    ...fencedText(body.fenced, { digest: digest.text }),
    metadata: { ...metadataOf(digest, request), generatedAt: toIso(now), ...degradedBy(branchFailures) },
    sources: sources.map(({ memory, passages, relevance, conversation }) => ({
      memoryId: memory.id,
      relevance,
      ...passageRecords(passages),
      ...(conversation && { conversation: conversation.title }),
    })),
    keyFacts: keyFacts as DigestRecord['keyFacts'],
    entities: digest.entities as DigestRecord['entities'],
    effectiveStateBreakdown: {
      current: countOf(sources, 'current') + countOf(sources, 'duplicate'),
      superseded: countOf(sources, 'superseded'),
      contradicted: countOf(sources, 'contradicted'),
    },
    ...newest(sources, body.verbatimRecent ?? 0),
  };
}

function metadataOf(
  { sources, considered, relevanceFloor, isCut, prose, tokens, omitted }: Digest,
  { query, format }: DigestRequest,
) {
  const times = sources.map(({ memory }) => orderTime(memory)).sort((a, b) => a - b);
  const relevance = sources.reduce((sum, source) => sum + source.relevance, 0);
  return {
    query,
    format,
    sourcesConsidered: considered,
    sourcesUsed: sources.length,
    tokens,
    statementsOmitted: omitted,
    conversationsSpanned: new Set(sources.map(({ memory }) => memory.conversationId)).size,
    timeRange:
      times.length === 0 ? null : { earliest: toIso(times[0]), latest: toIso(times[times.length - 1]) },
    relevanceFloor,
    ...(sources.length > 0 && { averageRelevance: relevance / sources.length }),
    ...(isCut && { truncated: true }),
    ...(prose && { prose }),
  };
}

function degradedBy(failures: Digest['branchFailures']) {
  return failures.length === 0 ? {} : { degraded: true, branchFailures: [...failures] };
}

function countOf(sources: readonly DigestSource[], state: Memory['effectiveState']): number {
  return sources.filter(({ memory }) => memory.effectiveState === state).length;
}

function newest(sources: readonly DigestSource[], count: number) {
  if (count === 0) return {};
  const memories = sources.map(({ memory }) => memory).sort((a, b) => b.seq - a.seq);
  return { recentMemories: fitRecords(memories.slice(0, count).map(toMemoryRecord)).data };
}

export const createDigest: Route = (app, { briefing, clock }) =>
  app.post(
    '/api/memories/digest',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'createMemoryDigest',
        tags: ['Briefing'],
        summary: 'Digest what is known about something',
        description:
          'Extracts of the memories that a hybrid search finds, word for word, with the number of the source behind ' +
          'each: the most relevant and central statements, each once, grouped, with what was superseded or ' +
          'contradicted told as such. Needs no language model; the same memories and request give the same text, unless `prose` asks for an LLM. ' +
          'docs/briefing.md explains how they are chosen.',
        body: DigestBody,
        response: {
          200: described(
            DigestResponseSchema,
            'The digest, its sources and what they say; where nothing was found, a digest that says so.',
          ),
        },
      },
    },
    async ({ user, body }) => {
      const now = clock.now();
      const request = toDigestRequest(body, now);
      return toDigestRecord(await briefing.digest(user, request), request, body, now);
    },
  );

/** One event of the stream; its data is JSON. */
const DigestEvent = Type.Object({
  event: oneOf(['result', 'done', 'error']),
  data: Type.String({ description: 'JSON: a digest, `{}`, or `{error, code, statusCode}`.' }),
});

export function streamDigest({ connectionTimeoutMs }: { readonly connectionTimeoutMs: number }): Route {
  const heartbeatMs = heartbeatMsOf(connectionTimeoutMs);
  return (app, { briefing, clock }) => {
    app.post(
      '/api/memories/digest/stream',
      {
        config: { scope: 'read', namesIgnored: true },
        schema: {
          operationId: 'streamMemoryDigest',
          tags: ['Briefing'],
          summary: 'Digest what is known, as a stream of events',
          description:
            'The same as `POST /api/memories/digest`, as server-sent events, for digests that take longer than a proxy ' +
            'waits: a comment at least every 10 s, then `result` with the digest, and `done`; or `error` with ' +
            '`{error, code, statusCode}`. A body that breaks a rule is refused with 422 before the stream begins. ' +
            'The work ends when the client goes away.',
          body: DigestBody,
          response: {
            200: {
              description: 'The events, until `done` or `error`.',
              content: { 'text/event-stream': { schema: DigestEvent } },
            },
          },
        },
      },
      async (request, reply) => {
        const { user, body, ignored } = request;
        const now = clock.now();
        const asked = toDigestRequest(body, now);
        await streamResult(request, reply, { heartbeatMs }, async (signal) => {
          const digest = await briefing.digest(user, { ...asked, signal });
          return withIgnored(toDigestRecord(digest, asked, body, now), ignored);
        });
        return reply;
      },
    );
  };
}
