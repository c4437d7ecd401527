import type { RelationshipType } from '../relationships/relationship.ts';

/** Topics of one memory. */
export interface TopicsOfMemory {
  /** `seq` of the memory. */
  readonly memory: number;
  /** By id, each once. */
  readonly topics: readonly string[];
}

export interface TopicsOfMemories {
  /** The newest memory first. */
  readonly memories: readonly TopicsOfMemory[];
  /** What the next page continues from; undefined at the end. */
  readonly before: number | undefined;
}

export const conceptKinds = ['topic', 'entity', 'fact'] as const;
/** What memories have in common. */
export type ConceptKind = (typeof conceptKinds)[number];
export type NodeKind = 'memory' | ConceptKind;

/** Two nodes that belong together, in both directions. */
export interface GraphLink {
  readonly a: GraphNode;
  readonly b: GraphNode;
  readonly type: 'HAS_TOPIC' | 'MENTIONS' | 'STATES' | 'ABOUT' | RelationshipType;
  /** 0 to 1. */
  readonly confidence: number;
}

export interface GraphNode {
  readonly kind: NodeKind;
  readonly id: string;
  /** Its place among equals of its kind: of what it says or when it was written, never of its id, which is random. */
  readonly place?: string;
}

/** Memories are in the order of writing. */
export const memoryNode = (id: string, seq: number): GraphNode => ({
  kind: 'memory',
  id,
  place: `${seq}`.padStart(12, '0'),
});

/** By kind and place. */
export function compareNodes(a: GraphNode, b: GraphNode): number {
  const [x, y] = [`${a.kind} ${a.place ?? ''}`, `${b.kind} ${b.place ?? ''}`];
  return x < y ? -1 : Number(x > y);
}

export const compareLinks = (x: GraphLink, y: GraphLink) =>
  compareNodes(x.a, y.a) || compareNodes(x.b, y.b) || (x.type < y.type ? -1 : Number(x.type > y.type));

/** Links of a topic, entity or fact. */
export interface ConceptLinks {
  readonly links: readonly GraphLink[];
  /** All there are, counted up to 1,000. */
  readonly total: number;
}

/** What a topic, entity or fact is called. */
export interface ConceptName extends GraphNode {
  readonly name: string;
  /** Of an entity. */
  readonly type?: string;
}

/** Reads of one user's derived graph, as it is now: of live memories and what they say. */
export interface GraphReader {
  /**
   * Topics of the next `memoriesMax` memories written before `before`, those that have none left out: given by clients and
   * derived, each as what it means after merges.
   */
  topicsOfMemories(before: number, memoriesMax: number): Promise<TopicsOfMemories>;
  /** At most `limit` topics that are not aliases, in the order of their ids, those after `id`. */
  topicsAfter(id: string, limit: number): Promise<{ readonly id: string; readonly name: string }[]>;
  /** Topics, entities and facts of live memories, and relationships with others; at most 1,000 memories, 2,000 links of each kind. */
  linksOfMemories(ids: readonly string[]): Promise<GraphLink[]>;
  /** At most `limit` live memories of a topic, entity or fact, and the facts of an entity. */
  linksOfConcept(concept: GraphNode & { readonly kind: ConceptKind }, limit: number): Promise<ConceptLinks>;
  /** At most 1,000 of each kind; those of which no live memory says anything are left out. */
  namesOf(concepts: readonly GraphNode[]): Promise<ConceptName[]>;
}
