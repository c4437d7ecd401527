import { type Static, Type } from 'typebox';
import type { EntityType } from '../../../domain/entities/entity.ts';
import { effectiveStates, memoryTypes, outcomes } from '../../../domain/memories/memory.ts';
import { invalidInput } from '../../../domain/shared/errors.ts';
import { toPageRequest } from '../../../domain/shared/page.ts';
import { parseTime } from '../../../domain/shared/time.ts';
import {
  type Expansion,
  expansions,
  type SearchRequest,
  searchMethods,
  searchModes,
  searchSorts,
  temporalModes,
  weightDefaults,
} from '../../../search/request.ts';
import type { MemoryFilter, MetadataTest } from '../../../search-index/memory-filter.ts';
import { component } from '../../schemas/component.ts';
import { parseRange, parseScope, whoAndWhatFields } from '../../schemas/memory-filter.ts';
import { longText, oneOf, pageQuery, recordId, sortDirection, timeText } from '../../schemas/query.ts';

const flag = (description: string) => Type.Optional(Type.Boolean({ default: false, description }));
const share = (byDefault: number, description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: byDefault, description }));
const time = (description: string) => Type.Optional(timeText(description));

const weightOf = (expansion: Expansion, flagName: string) =>
  share(
    weightDefaults[expansion],
    `Weight of ${flagName}; the default means as it ships (chosen, not tuned), 0 switches it off. ` +
      `No effect without ${flagName}.`,
  );

const searchDetails = ['minimal', 'standard'] as const;
type SearchDetail = (typeof searchDetails)[number];

/** The other modes search only one kind of record. */
const unifiedOnly = ' With mode=unified only.';

/** Fields of both GET and POST searches, with the same names. */
export const searchFields = {
  ...pageQuery,
  searchMethod: Type.Optional(
    oneOf(searchMethods, { default: 'hybrid', description: 'hybrid joins keyword and semantic search.' }),
  ),
  mode: Type.Optional(
    oneOf(searchModes, {
      default: 'unified',
      description:
        'unified: the texts, and whatever expandEntities, expandTopics and expandFacts add; content: the texts alone; ' +
        'facts: the facts, stated and derived, answered with the memories that state them, each with the `facts` that ' +
        'match (without a query it has no effect). POST /api/facts/search finds facts themselves.',
    }),
  ),
  threshold: share(0.5, 'Minimum similarity of the semantic arm.'),
  vectorWeight: share(0.7, 'Weight of the semantic arm; the default means as tuned, 0 switches it off.'),
  fulltextWeight: share(0.3, 'Weight of the keyword arm; the default means as tuned, 0 switches it off.'),
  entityWeight: weightOf('entity', 'expandEntities'),
  topicWeight: weightOf('topic', 'expandTopics'),
  factWeight: weightOf('fact', 'expandFacts'),
  feedbackWeight: share(
    1,
    'How much search feedback counts: at 1 it changes a score by a twentieth at most, 0 switches it off.',
  ),
  recency: share(
    0,
    'How much the newer of two results on the same matter gains: at 1 it comes first where it has a fifth of the score ' +
      'of the older one. For questions of what holds now; without vectors it has no effect.',
  ),
  minRelevance: share(
    0,
    'Leaves out results of less relevance; of the best 200 matches those that reach it remain. No effect without a query.',
  ),
  memoryType: Type.Optional(oneOf(memoryTypes, component('MemoryType'))),
  effectiveState: Type.Optional(
    oneOf(effectiveStates, {
      description: 'Memories of this state only, which are then found whatever includeSuperseded says.',
    }),
  ),
  conversationId: longText('Memories of this conversation.'),
  ...whoAndWhatFields,
  scope: longText('Comma-separated key:value pairs over codeContext (product, service, team, role).'),
  taskId: longText('Memories of this task.'),
  outcomeFilter: Type.Optional(oneOf([...outcomes, 'any'])),
  detail: Type.Optional(
    oneOf(searchDetails, {
      default: 'standard',
      description:
        'minimal: of each result id, content, time and relevance, and little else, for agents that pay for every word; ' +
        'explain, includeTopics, includeEntities and includeFacts are then refused.',
    }),
  ),
  explain: flag('Adds to each result why it was found.'),
  explainId: Type.Optional(
    recordId(
      'Adds `explained`: where the memory with this id was found, or at which filter, arm, minimum or place it was ' +
        'left out, and what it lacked.',
    ),
  ),
  includeTopics: flag('Adds the topics of each result: those that were given, and `extractedTopics`.'),
  includeEntities: flag('Adds what each result mentions as `entities`.'),
  includeFacts: flag('Adds the facts of each result.'),
  includeFacets: flag(
    'Counts all matches by topic, type, state, entity, conversation, role and key; at most 20 of each. Entities, ' +
      'roles and keys of up to 10,000 matches only.',
  ),
  includeSuperseded: flag('Finds superseded and contradicted memories too.'),
  includeExpired: flag('Finds memories whose validity has ended too.'),
  expandEntities: flag(
    `Adds memories that mention an entity which the query names, under any of its names.${unifiedOnly}`,
  ),
  expandTopics: flag(`Adds memories with a topic that the query names, given or derived.${unifiedOnly}`),
  expandFacts: flag(`Adds memories that state a fact with most words of the query.${unifiedOnly}`),
  context: Type.Optional(
    Type.Boolean({ default: true, description: 'False judges every memory without its conversation.' }),
  ),
  asOfTime: time(
    'What was known at this time: texts, names, topics and states as they stood; a date alone means its end, a time ' +
      'to come means now.',
  ),
  validAtTime: time('What was true at this time: valid from it or earlier, and not until it or earlier.'),
  eventTimeFrom: time('Happened (else written) at this time or later.'),
  eventTimeTo: time('Happened (else written) at this time or earlier; a date alone means its end.'),
  ingestionTimeFrom: time('Written at this time or later.'),
  ingestionTimeTo: time('Written at this time or earlier; a date alone means its end.'),
  temporalMode: Type.Optional(
    oneOf(temporalModes, {
      default: 'current',
      description:
        'historical: superseded and expired memories too; evolution: all versions of the best 200 matches and of ' +
        'what supersedes them, oldest first.',
    }),
  ),
  sortBy: Type.Optional(oneOf(searchSorts, { default: 'relevance' })),
  order: Type.Optional(sortDirection),
} as const;

const Fields = Type.Object(searchFields);

/** The input of a GET or POST search: lists are arrays, and the query is not blank. */
interface SearchInput extends Static<typeof Fields> {
  readonly query: string | undefined;
  readonly topics: readonly string[] | undefined;
  readonly excludeTopics: readonly string[] | undefined;
  readonly metadataTests: readonly MetadataTest[] | undefined;
  readonly entityTypes?: readonly EntityType[];
}

/** The query, its filters and the options of the response. */
export interface SearchParameters {
  readonly request: SearchRequest;
  readonly includeTopics: boolean;
  readonly detail: SearchDetail;
}

function filterOf(input: SearchInput): MemoryFilter {
  const { topics, excludeTopics, metadataTests, memoryType, conversationId, taskId } = input;
  const event = parseRange(input, 'eventTimeFrom', 'eventTimeTo');
  const written = parseRange(input, 'ingestionTimeFrom', 'ingestionTimeTo');
  return {
    topics,
    excludeTopics,
    memoryType,
    conversationId,
    entityId: input.entityId,
    role: input.role,
    createdBy: input.createdBy,
    via: input.via,
    agent: input.agent,
    tool: input.tool,
    taskId,
    eventFrom: event.from,
    eventTo: event.to,
    asOf: input.asOfTime === undefined ? undefined : parseTime(input.asOfTime, 'asOfTime', 'end'),
    validAt: input.validAtTime === undefined ? undefined : parseTime(input.validAtTime, 'validAtTime'),
    createdFrom: written.from,
    createdTo: written.to,
    scope: parseScope(input.scope),
    metadata: metadataTests,
    outcome: input.outcomeFilter,
    effectiveState: input.effectiveState,
    includeSuperseded: input.includeSuperseded || input.effectiveState !== undefined,
  };
}

/** True if the filter has more than state options. */
function isNarrowing({ includeSuperseded: _, ...filter }: MemoryFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined && value !== 'any');
}

/** The method, times and thresholds of the search. */
function waysOf(input: SearchInput) {
  return {
    method: input.searchMethod ?? 'hybrid',
    mode: input.mode ?? 'unified',
    temporalMode: input.temporalMode ?? 'current',
    includeExpired: input.includeExpired ?? false,
    threshold: input.threshold ?? 0.5,
    vectorWeight: input.vectorWeight ?? weightDefaults.vector,
    fulltextWeight: input.fulltextWeight ?? weightDefaults.fulltext,
    expand: expansionsOf(input),
    feedbackWeight: input.feedbackWeight,
    recency: input.recency,
    minRelevance: input.minRelevance,
    context: input.context ?? true,
  };
}

/** The requested expansions with their weights; undefined for none. */
function expansionsOf(input: SearchInput): SearchRequest['expand'] {
  if (!input.expandEntities && !input.expandTopics && !input.expandFacts) return undefined;
  const weights = { entity: input.entityWeight, topic: input.topicWeight, fact: input.factWeight };
  const isOn = { entity: input.expandEntities, topic: input.expandTopics, fact: input.expandFacts };
  const asked = expansions.filter((name) => isOn[name]);
  return Object.fromEntries(asked.map((name) => [name, weights[name] ?? weightDefaults[name]]));
}

function orderOf(input: SearchInput) {
  return {
    sortBy: input.sortBy ?? 'relevance',
    order: input.order ?? 'desc',
    explain: input.explain ?? false,
    explainId: input.explainId,
    includeFacets: input.includeFacets ?? false,
    includeFacts: input.includeFacts ?? false,
    includeEntities: input.includeEntities || (input.entityTypes !== undefined && input.detail !== 'minimal'),
    includeTopics: input.includeTopics ?? false,
    entityTypes: input.entityTypes,
  } as const;
}

/** Fields that detail minimal leaves out. */
const standardOnly = ['explain', 'includeTopics', 'includeEntities', 'includeFacts'] as const;

/** @throws 422 for a field that the requested detail leaves out */
function detailOf(input: SearchInput): SearchDetail {
  const { detail = 'standard' } = input;
  const left = detail === 'minimal' ? standardOnly.find((name) => input[name]) : undefined;
  if (left) throw invalidInput(left, 'must not be true with detail minimal, which leaves out what it adds');
  return detail;
}

/**
 * @param queryName of the query's field, for errors
 * @throws 400 for an unknown scope key, 422 for unreadable or
 * contradictory times, contradictory fields, or neither query nor filter
 */
export function toSearchParameters(input: SearchInput, queryName: 'q' | 'query'): SearchParameters {
  const filter = filterOf(input);
  const query = input.query?.trim() ? input.query : undefined;
  if (query === undefined && (queryName === 'query' || !isNarrowing(filter))) {
    throw invalidInput(
      queryName,
      queryName === 'q' ? 'is required unless a filter is given' : 'must not be blank',
    );
  }
  return {
    request: { query, filter, ...toPageRequest(input), ...waysOf(input), ...orderOf(input) },
    includeTopics: input.includeTopics ?? false,
    detail: detailOf(input),
  };
}
