import type { Briefing } from '../briefing/briefing.ts';
import type { ConversationService } from '../domain/conversations/conversation-service.ts';
import type { FactService } from '../domain/facts/fact-service.ts';
import type { MemoryService } from '../domain/memories/memory-service.ts';
import type { PatternService } from '../domain/patterns/pattern-service.ts';
import type { RelationshipService } from '../domain/relationships/relationship-service.ts';
import type { Stores } from '../domain/shared/stores.ts';
import type { TopicService } from '../domain/topics/topic-service.ts';
import type { UserStore } from '../domain/users/user.ts';
import type { Clock } from '../lib/clock.ts';
import type { Search } from '../search/search-port.ts';

/** Services that tools, resources and prompts call: those of the HTTP routes. */
export interface McpServices {
  readonly clock: Clock;
  readonly users: Pick<UserStore, 'find'>;
  readonly stores: Stores;
  readonly search: Search;
  readonly briefing: Briefing;
  readonly memories: MemoryService;
  readonly conversations: ConversationService;
  readonly relationships: RelationshipService;
  readonly topics: TopicService;
  readonly facts: FactService;
  readonly patterns: Pick<PatternService, 'list'>;
}
