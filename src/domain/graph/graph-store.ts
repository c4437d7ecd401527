import type { RelationshipType } from '../relationships/relationship.ts';
import { DAY_MS, type EpochMs } from '../shared/time.ts';

/** Topics of one memory. */
export interface TopicsOfMemory {
  /** `seq` of the memory. */
  readonly memory: number;
  /** Topic ids, each once. */
  readonly topics: readonly string[];
}

export interface TopicsOfMemories {
  /** Newest memory first. */
  readonly memories: readonly TopicsOfMemory[];
  /** Start of the next page; undefined at the end. */
  readonly before: number | undefined;
}

const conceptKinds = ['topic', 'entity', 'fact'] as const;
/** Records that memories have in common. */
export type ConceptKind = (typeof conceptKinds)[number];
export type NodeKind = 'memory' | ConceptKind;

/** A link between two nodes, in both directions. */
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
  /** Sort key within its kind, by content or write time: ids are random. */
  readonly place?: string;
}

/** Memories sort in the order of writing. */
export const memoryNode = (id: string, seq: number): GraphNode => ({
  kind: 'memory',
  id,
  place: `${seq}`.padStart(12, '0'),
});

/** Compares by kind and place. */
export function compareNodes(a: GraphNode, b: GraphNode): number {
  return compareWords(a.kind, b.kind) || compareWords(a.place ?? '', b.place ?? '');
}

const compareWords = (x: string, y: string) => (x < y ? -1 : Number(x > y));

export const compareLinks = (x: GraphLink, y: GraphLink) =>
  compareNodes(x.a, y.a) || compareNodes(x.b, y.b) || compareWords(x.type, y.type);

/** Links of a topic, entity or fact. */
export interface ConceptLinks {
  readonly links: readonly GraphLink[];
  /** Number of all its links, counted up to 1,000. */
  readonly total: number;
}

/** The name of a topic, entity or fact. */
export interface ConceptName extends GraphNode {
  readonly name: string;
  /** Type of an entity. */
  readonly type?: string;
}

/** Reads one user's derived graph, in its current state, of live memories. */
export interface GraphReader {
  /**
   * Topics, given or derived and resolved after merges, of the next `memoriesMax`
   * memories written before `before`; memories without topics are left out.
   */
  topicsOfMemories(before: number, memoriesMax: number): Promise<TopicsOfMemories>;
  /** At most `limit` topics with ids greater than `id`, in order of id; aliases are left out. */
  topicsAfter(id: string, limit: number): Promise<{ readonly id: string; readonly name: string }[]>;
  /**
   * Topics, entities and facts of live memories, and relationships between
   * memories; at most 1,000 memories and 2,000 links of each kind.
   */
  linksOfMemories(ids: readonly string[]): Promise<GraphLink[]>;
  /** At most `limit` live memories of a topic, entity or fact, and the facts of an entity. */
  linksOfConcept(concept: GraphNode & { readonly kind: ConceptKind }, limit: number): Promise<ConceptLinks>;
  /** Names of at most 1,000 nodes of each kind; nodes without a live memory are left out. */
  namesOf(concepts: readonly GraphNode[]): Promise<ConceptName[]>;
}

/** Maximum age of traces, and maximum number per user. */
export const traceLifetimeMs = 7 * DAY_MS;
export const tracesPerUserMax = 1000;

/** The record of a graph query, as stored. */
export interface StoredTrace {
  readonly id: string;
  readonly createdAt: EpochMs;
  /** JSON with ids, numbers and the text of the query; no text of memories. */
  readonly trace: string;
}

export interface TraceReader {
  find(id: string): Promise<StoredTrace | undefined>;
}

export interface TraceWriter extends TraceReader {
  insert(trace: StoredTrace): Promise<void>;
}

/** The traces of all users. */
export interface TraceStore {
  /**
   * Removes traces written before `time`, and those of each user beyond
   * the newest `perUserMax`. @returns the number of removed traces
   */
  prune(time: EpochMs, perUserMax: number): Promise<number>;
}
