import { type Static, Type } from 'typebox';
import { orderTime } from '../../../domain/memories/memory.ts';
import { toIso } from '../../../domain/shared/time.ts';
import type { SearchHit, SearchOutcome } from '../../../search/request.ts';
import { component } from '../../schemas/component.ts';
import { memoryFields, toHitRecord } from '../../schemas/memory.ts';
import { truncatedFields } from '../../schemas/pagination.ts';
import { passageFields, passageRecords, spanFields } from '../../schemas/passage.ts';
import { oneOf } from '../../schemas/query.ts';
import { EntitySchema, FactOfMemorySchema, toFactOfMemoryRecord } from '../../schemas/records.ts';
import { sampleIds } from '../../schemas/samples.ts';
import {
  ExplainedSchema,
  ExplanationSchema,
  toExplainedRecord,
  toExplanationRecord,
} from './search-explained.ts';
import type { SearchParameters } from './search-request.ts';

const optionalScore = Type.Optional(Type.Number());

const highlightsField = Type.Optional(
  Type.Array(Type.Object(spanFields), {
    examples: [[{ start: 5430, end: 5436 }]],
    description:
      'Words of the query in the passage, or in a content over 200 characters, and with `explain` in any content; at ' +
      'most 20. Absent without a match.',
  }),
);

const newerField = Type.Optional(
  Type.String({
    examples: [sampleIds.otherMemory],
    description:
      'Id of the memory that replaces or contradicts this one or a part of it; where both are in `data`, it comes first.',
  }),
);

/**
 * A memory with its search scores, which are comparable
 * within one response only and absent if there is no query.
 */
export const SearchResultSchema = Type.Object({
  ...memoryFields,
  topics: Type.Optional(
    Type.Array(Type.String(), { description: 'With includeTopics: those that were given.' }),
  ),
  memoryTypeUserSet: Type.Optional(
    Type.Boolean({ description: 'True if the caller chose memoryType; otherwise absent.' }),
  ),
  updatedAt: Type.Optional(Type.String({ description: 'Absent if it is createdAt.' })),
  preview: Type.String({
    description: 'At most 200 characters around the match; empty if it would be the whole content.',
  }),
  ...passageFields,
  highlights: highlightsField,
  score: optionalScore,
  relevance: Type.Optional(
    Type.Number({
      description:
        '0 to 1, comparable across queries and search methods; 0.5: correct half of the time. Absent when browsing, for a time alone, ' +
        'and for what `temporalMode=evolution` lists next to a match.',
    }),
  ),
  fulltextScore: optionalScore,
  fulltextRank: Type.Optional(Type.Integer()),
  vectorScore: Type.Optional(
    Type.Number({ description: 'Semantic similarity, 0 to 1; 0.5: plausibly related.' }),
  ),
  vectorRank: Type.Optional(Type.Integer()),
  hybridScore: optionalScore,
  newer: newerField,
  matchedVia: Type.Array(Type.String()),
  branchScores: Type.Optional(Type.Record(Type.String(), Type.Number())),
  extractedTopics: Type.Optional(
    Type.Array(Type.String(), { description: 'With includeTopics: those that were derived.' }),
  ),
  entities: Type.Optional(
    Type.Array(EntitySchema, { description: 'With includeEntities: what it mentions, at most 100.' }),
  ),
  facts: Type.Optional(
    Type.Array(FactOfMemorySchema, {
      description: 'With includeFacts; with mode=facts those that match, best first.',
    }),
  ),
  explanation: Type.Optional(ExplanationSchema),
});

const { id, content, ...standardFields } = SearchResultSchema.properties;

/** A result of either detail, for documentation and serialization. */
const ResultSchema = Type.Object(
  {
    id,
    content,
    time: Type.Optional(
      Type.String({
        description: 'With detail minimal only: when it happened, else when it was written, to the second.',
        examples: ['2026-02-01T09:30:00Z'],
      }),
    ),
    ...Type.Partial(Type.Object(standardFields)).properties,
  },
  {
    ...component('SearchResult'),
    description:
      'With detail minimal: id, content, passage, time, relevance, and effectiveState and newer where it is not current.',
  },
);

const derived = Type.Optional(
  Type.Literal(true, { description: 'Only derived from texts; given topics come first.', examples: [true] }),
);
const label = Type.Optional(
  Type.String({ description: 'Name of the entity or title of the conversation whose id `value` is.' }),
);
const facet = Type.Array(
  Type.Object({ value: Type.String(), label, count: Type.Integer(), derived }, component('FacetCount')),
);
const FacetsSchema = Type.Object(
  {
    topics: facet,
    memoryType: facet,
    effectiveState: facet,
    entityId: facet,
    conversationId: facet,
    role: facet,
    createdBy: facet,
  },
  component('Facets'),
);
const nullableTime = Type.Unsafe<string | null>({ type: ['string', 'null'] });
const range = Type.Unsafe<{ from: string | null; to: string | null } | null>({
  type: ['object', 'null'],
  properties: { from: nullableTime, to: nullableTime },
});

const TemporalMetadataSchema = Type.Object(
  {
    temporalMode: Type.String(),
    asOfTime: nullableTime,
    validAtTime: nullableTime,
    eventTimeRange: range,
    ingestionTimeRange: range,
    includeExpired: Type.Boolean(),
    temporalFieldsIncluded: Type.Boolean(),
  },
  component('TemporalMetadata'),
);

export const BranchFailureSchema = Type.Object(
  {
    name: Type.String({ description: 'semantic: the search by vectors.' }),
    status: oneOf(['timeout', 'error']),
    reason: oneOf(['timeout', 'connection', 'provider_error']),
  },
  component('BranchFailure'),
);

const periodFields = {
  from: Type.String({ description: 'Inclusive.' }),
  to: Type.String({ description: 'Exclusive.' }),
  text: Type.String({ description: 'As it stands in the query.' }),
};

const TimeReadSchema = Type.Object(
  {
    ...periodFields,
    hasMemories: Type.Optional(
      Type.Boolean({
        description:
          'False if no memory is from that time and the results are from other times; otherwise absent.',
      }),
    ),
    further: Type.Optional(
      Type.Array(Type.Object(periodFields), {
        description: 'Where the query names more than one time: the others, in the order of the query.',
      }),
    ),
  },
  component('TimeRead'),
);

const metaFields = {
  total: Type.Integer({ description: 'All matches.' }),
  ...truncatedFields,
  bestRelevance: Type.Optional(
    Type.Number({
      description:
        'The highest relevance of the best ten matches, also of those that minRelevance leaves out; 0: no match. Absent ' +
        'without a query.',
    }),
  ),
  relevanceFloor: Type.Optional(Type.Number({ description: 'Digests leave out what is below it.' })),
  timeRead: Type.Optional({
    ...TimeReadSchema,
    description: 'The time that words of the query were read as ("last week"); absent where it names none.',
  }),
  factsWithoutMemory: Type.Optional(
    Type.Array(FactOfMemorySchema, {
      description:
        'With mode=facts: facts that match and that no memory states, the best first, at most 20; they have no place in ' +
        '`data`, which lists memories.',
    }),
  ),
  degraded: Type.Optional(
    Type.Boolean({
      description: 'True where a part of the search failed or was late; the results are of the other parts.',
    }),
  ),
  branchFailures: Type.Optional(Type.Array(BranchFailureSchema, { description: 'Only with `degraded`.' })),
};
const standardMetaFields = {
  page: Type.Integer({ description: 'From 1.' }),
  pageSize: Type.Integer(),
  searchTime: Type.Number({ description: 'Milliseconds.' }),
  searchMethod: Type.String({ description: 'The search method used, not always the requested one.' }),
  temporalMetadata: Type.Optional(TemporalMetadataSchema),
};

/** The response body of a search with detail standard. */
export const SearchResponseSchema = Type.Object({
  data: Type.Array(SearchResultSchema),
  meta: Type.Object({ ...metaFields, ...standardMetaFields }),
  facets: Type.Optional(FacetsSchema),
  explained: Type.Optional(ExplainedSchema),
});

/** The response body of a search of either detail. */
export const SearchBodySchema = Type.Object({
  data: Type.Array(ResultSchema),
  meta: Type.Object({ ...metaFields, ...Type.Partial(Type.Object(standardMetaFields)).properties }),
  facets: Type.Optional(FacetsSchema),
  explained: Type.Optional(ExplainedSchema),
});

export type SearchResultRecord = Static<typeof SearchResultSchema>;
export type SearchResponseRecord = Static<typeof SearchResponseSchema>;
export type SearchBody = Static<typeof SearchBodySchema>;

type Shown = Pick<SearchParameters, 'includeTopics'>;

/** Rounds to six decimals: further ones took an eighth of the tokens of a hit. */
const rounded = (score: number | null) => (score === null ? undefined : Math.round(score * 1e6) / 1e6);

function roundedParts(parts: Readonly<Record<string, number>>): Record<string, number> {
  const shown: Record<string, number> = {};
  for (const part in parts) shown[part] = Math.round(parts[part] * 1e6) / 1e6;
  return shown;
}

/**
 * Fields are set one by one: `Object.assign` took twice as
 * long, and spreading some thirty fields 20 microseconds a hit.
 */
function toSearchResult(hit: SearchHit, shown: Shown, hybrid: boolean): SearchResultRecord {
  const record = toHitRecord(hit.memory) as SearchResultRecord;
  const score = rounded(hit.score);
  if (!shown.includeTopics) record.topics = undefined;
  if (!record.memoryTypeUserSet) record.memoryTypeUserSet = undefined;
  if (record.updatedAt === record.createdAt) record.updatedAt = undefined;
  if (hit.passages) Object.assign(record, passageRecords(hit.passages));
  record.highlights = hit.highlights && [...hit.highlights];
  record.preview = hit.preview === record.content ? '' : hit.preview;
  record.score = score;
  record.relevance = hit.relevance ?? undefined;
  record.fulltextScore = rounded(hit.fulltextScore);
  record.fulltextRank = hit.fulltextRank ?? undefined;
  record.vectorScore = rounded(hit.vectorScore);
  record.vectorRank = hit.vectorRank ?? undefined;
  record.hybridScore = hybrid ? score : undefined;
  record.newer = hit.newer;
  record.matchedVia = hit.matchedVia as string[];
  record.branchScores = score === undefined ? undefined : roundedParts(hit.branchScores);
  record.extractedTopics = hit.extractedTopics as string[] | undefined;
  record.entities = hit.entities as SearchResultRecord['entities'];
  record.facts = hit.facts?.map(toFactOfMemoryRecord);
  record.explanation = hit.explanation && toExplanationRecord(hit.explanation);
  return record;
}

function rangeOf(from: number | undefined, to: number | undefined) {
  if (from === undefined && to === undefined) return null;
  return { from: from === undefined ? null : toIso(from), to: to === undefined ? null : toIso(to) };
}

/** Undefined if the query names no time. */
function timeRead({
  timeRead: read = [],
  hasTimeRead = true,
}: Pick<SearchOutcome, 'timeRead' | 'hasTimeRead'>) {
  const [first, ...others] = read.map(({ from, to, text }) => ({ from: toIso(from), to: toIso(to), text }));
  if (!first) return undefined;
  return {
    ...first,
    ...(others.length > 0 && { further: others }),
    ...(!hasTimeRead && { hasMemories: false }),
  };
}

type TemporalMetadata = Static<typeof TemporalMetadataSchema>;

/** The times that filtered the results; undefined for none. */
function temporalMetadata({ request }: SearchParameters): TemporalMetadata | undefined {
  const { filter, temporalMode, includeExpired } = request;
  const eventTimeRange = rangeOf(filter.eventFrom, filter.eventTo);
  const ingestionTimeRange = rangeOf(filter.createdFrom, filter.createdTo);
  const used =
    eventTimeRange || ingestionTimeRange || filter.asOf !== undefined || filter.validAt !== undefined;
  if (!used && !includeExpired && temporalMode === 'current') return undefined;
  return {
    temporalMode,
    asOfTime: filter.asOf === undefined ? null : toIso(filter.asOf),
    validAtTime: filter.validAt === undefined ? null : toIso(filter.validAt),
    eventTimeRange,
    ingestionTimeRange,
    includeExpired,
    temporalFieldsIncluded: true,
  };
}

/** `meta` fields of both details. */
function metaOf(found: SearchOutcome) {
  const { total, bestRelevance, relevanceFloor, nextOffset, branchFailures, factsWithoutMemory = [] } = found;
  return {
    total,
    bestRelevance: bestRelevance ?? undefined,
    relevanceFloor: bestRelevance === null ? undefined : relevanceFloor,
    timeRead: timeRead(found),
    ...(factsWithoutMemory.length > 0 && {
      factsWithoutMemory: factsWithoutMemory.map(toFactOfMemoryRecord),
    }),
    ...(nextOffset !== undefined && { truncated: true, nextOffset }),
    ...(branchFailures.length > 0 && { degraded: true, branchFailures: [...branchFailures] }),
  };
}

function facetsOf({ facets }: SearchOutcome): SearchBody['facets'] {
  return (
    facets && {
      topics: [...facets.topics],
      memoryType: [...facets.memoryType],
      effectiveState: [...facets.effectiveState],
      entityId: [...facets.entityId],
      conversationId: [...facets.conversationId],
      role: [...facets.role],
      createdBy: [...facets.createdBy],
    }
  );
}

function toMinimalResult({ memory, passages, relevance, newer }: SearchHit): SearchBody['data'][number] {
  const { id, content, effectiveState } = memory;
  return {
    id,
    content,
    ...passageRecords(passages),
    time: toIso(orderTime(memory)).replace(/\.\d+/, ''),
    relevance: relevance === null ? undefined : Math.round(relevance * 100) / 100,
    effectiveState: effectiveState === 'current' ? undefined : effectiveState,
    newer,
  };
}

/**
 * The response body of a search with detail minimal: some 105 bytes for each result in addition to its text.
 */
export function toMinimalResponse(found: SearchOutcome): SearchBody {
  const explained = found.explained && toExplainedRecord(found.explained);
  return { data: found.hits.map(toMinimalResult), meta: metaOf(found), facets: facetsOf(found), explained };
}

/** @param searchTime milliseconds */
export function toSearchResponse(
  found: SearchOutcome,
  parameters: SearchParameters,
  searchTime: number,
): SearchResponseRecord {
  const { limit, offset } = parameters.request;
  return {
    data: found.hits.map((hit) => toSearchResult(hit, parameters, found.method === 'hybrid')),
    meta: {
      ...metaOf(found),
      page: Math.floor(offset / limit) + 1,
      pageSize: limit,
      searchTime,
      searchMethod: found.method,
      temporalMetadata: temporalMetadata(parameters),
    },
    facets: facetsOf(found),
    explained: found.explained && toExplainedRecord(found.explained),
  };
}
