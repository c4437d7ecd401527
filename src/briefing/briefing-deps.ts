import type { ProseWriter } from '../domain/prose/prose-writer.ts';
import type { Stores } from '../domain/shared/stores.ts';
import type { Clock } from '../lib/clock.ts';
import type { Search } from '../search/search-port.ts';

/** The readers that a briefing needs. */
export interface BriefingDeps {
  readonly search: Search;
  readonly stores: Stores;
  readonly clock: Clock;
  /** Undefined if no LLM is configured. */
  readonly proseWriter?: ProseWriter;
}
