/**
 * Types of the responses of memoryd's HTTP API, for programs that call it; this package exports no functions:
 * the program is `memoryd`. openapi.json of the service (`/docs/json`) has the same types and all requests.
 */

import type { Static } from 'typebox';
import type { SearchResponseSchema, SearchResultSchema } from './http/routes/memories/search-response.ts';
import type { ErrorSchema, PaginationSchema } from './http/schemas/envelope.ts';
import type { MemorySchema } from './http/schemas/memory.ts';
import type {
  ArtifactSchema,
  ConversationSchema,
  FactSchema,
  NarrativeSchema,
  TopicSchema,
} from './http/schemas/records.ts';
import type { RelationshipSchema } from './http/schemas/relationship.ts';

/** Times are ISO 8601 in UTC; absent fields were not stated. */
export type Memory = Static<typeof MemorySchema>;
export type Conversation = Static<typeof ConversationSchema>;
export type Topic = Static<typeof TopicSchema>;
export type Fact = Static<typeof FactSchema>;
export type Artifact = Static<typeof ArtifactSchema>;
export type Narrative = Static<typeof NarrativeSchema>;
export type Relationship = Static<typeof RelationshipSchema>;
/** One hit of a search. */
export type SearchResult = Static<typeof SearchResultSchema>;
/** The body of a search. */
export type SearchResponse = Static<typeof SearchResponseSchema>;
export type Pagination = Static<typeof PaginationSchema>;
/** The body of every failure: `code` is for programs and stays. */
export type ApiError = Static<typeof ErrorSchema>;
