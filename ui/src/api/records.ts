import type { Fact, Memory, Pagination } from '../../../src/index.ts';

/** Records as the API returns them: the types that the package exports, and those of endpoints without one. */
export type {
  Fact,
  Memory,
  SearchResponse,
  SearchResult,
  Topic,
} from '../../../src/index.ts';

export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: Pagination;
}

export interface Entity {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly mentionCount: number;
  readonly firstSeenAt?: string;
  readonly lastSeenAt?: string;
}

/** An entity in a list. */
export interface ListedEntity extends Entity {
  readonly aliases: readonly string[];
  readonly corrected: boolean;
  readonly foundType?: string;
  readonly mergedEntities: readonly {
    readonly id: string;
    readonly name: string;
    readonly mergedBy?: 'rule' | 'person';
  }[];
}

/** What a fact said before an edit. */
export interface FactVersion extends Pick<Fact, 'subject' | 'predicate' | 'object' | 'confidence'> {
  readonly openedAt: string;
  readonly closedAt: string;
}

export interface TrashEntry {
  readonly id: string;
  readonly kind: string;
  readonly recordId: string;
  readonly title: string;
  readonly deletedAt: string;
  readonly expiresAt: string;
  readonly counts: Readonly<Record<string, number>>;
}

export interface Relation {
  readonly id: string;
  readonly type: string;
  readonly direction: 'outgoing' | 'incoming';
  /** The other memory, whatever the direction. */
  readonly targetMemoryId: string;
  readonly targetPreview?: string;
  readonly confidence: number;
  readonly reason?: string;
}

/** A part of the text of a memory, in UTF-16 units; absent if it is not in it. */
export interface Placed {
  readonly start?: number;
  readonly end?: number;
}

/** A relationship that was found in the texts: `id` of a candidate, or of one that acts. */
export interface Finding {
  readonly id: string;
  readonly type: string;
  readonly sourceMemoryId: string;
  readonly targetMemoryId: string;
  readonly confidence: number;
  readonly reason?: string;
  readonly evidence?: { readonly earlier: string; readonly later: string };
  readonly keepsState?: boolean;
}

export interface Findings extends Page<Finding> {
  readonly meta: {
    readonly reasons: readonly {
      readonly reasonKind: string;
      readonly type: string;
      readonly count: number;
    }[];
  };
}

/** `detail=full` */
export interface FullMemory extends Memory {
  readonly facts?: readonly (Pick<Fact, 'id' | 'subject' | 'predicate' | 'object' | 'confidence'> & Placed)[];
  readonly entities?: readonly (Entity & Placed)[];
  readonly userTopics?: readonly string[];
  readonly extractedTopics?: readonly string[];
  readonly relationships?: readonly Relation[];
}
