import type { EffectiveState, Memory } from '../../src/domain/memories/memory.ts';
import type { RelationshipType } from '../../src/domain/relationships/relationship.ts';
import type { TemporalMode } from '../../src/search/request.ts';

/** What a memory was from `openedAt` until `closedAt`. */
export interface OracleVersion {
  readonly content: string;
  readonly topics: readonly string[];
  readonly name: string | null;
  readonly state: EffectiveState;
  readonly eventTime: number | null;
  readonly validFrom: number | null;
  readonly validTo: number | null;
  readonly openedAt: number;
  closedAt: number;
}

export interface OracleMemory {
  readonly id: string;
  readonly createdAt: number;
  isTrashed: boolean;
  readonly versions: OracleVersion[];
  /** Memories of the same name's chain, oldest first; shared by all of them. */
  chain: OracleMemory[];
}

interface OracleEdge {
  readonly source: OracleMemory;
  readonly target: OracleMemory;
  readonly type: RelationshipType;
  readonly createdAt: number;
  removedAt: number;
}

export interface OracleQuery {
  readonly word: string;
  readonly mode: TemporalMode;
  readonly asOf: number | undefined;
  readonly validAt: number | undefined;
  readonly includeExpired: boolean;
  readonly includeSuperseded: boolean;
}

/** A version as it must be answered. */
export interface Expected {
  readonly id: string;
  readonly content: string;
  readonly name: string | null;
  readonly topics: readonly string[];
  readonly state: EffectiveState;
}

type Stated = Omit<OracleVersion, 'state' | 'openedAt' | 'closedAt'>;

const isOpen = Number.POSITIVE_INFINITY;

/** One user's memories in plain arrays, every version kept; answers queries by looking at all of them. */
export class TimeTravelOracle {
  /** In order of writing. */
  readonly memories: OracleMemory[] = [];
  readonly edges: OracleEdge[] = [];

  get live(): OracleMemory[] {
    return this.memories.filter(({ isTrashed }) => !isTrashed);
  }

  create(made: Memory, at: number): OracleMemory {
    const version = { ...statedOf(made), state: 'current' as const, openedAt: at, closedAt: isOpen };
    const memory = { id: made.id, createdAt: at, isTrashed: false, versions: [version], chain: [] };
    this.memories.push(memory);
    return memory;
  }

  change(memory: OracleMemory, change: Partial<Stated>, at: number): void {
    const last = newest(memory);
    last.closedAt = at;
    memory.versions.push({ ...last, ...change, openedAt: at, closedAt: isOpen });
    // What an edge did to it in the same moment belongs to the same version.
    this.#finish(at, memory);
  }

  relate(source: OracleMemory, target: OracleMemory, type: RelationshipType, at: number): void {
    this.edges.push({ source, target, type, createdAt: at, removedAt: isOpen });
  }

  trash(memory: OracleMemory, at: number): void {
    memory.isTrashed = true;
    const { name } = newest(memory);
    const heir = name === null ? undefined : memory.chain.findLast(({ isTrashed }) => !isTrashed);
    if (heir) this.change(heir, { name }, at);
    this.finish(at);
  }

  /** Gives every live memory the state that its edges and later versions call for. */
  finish(at: number): void {
    for (const memory of this.live) {
      if (this.#stateOf(memory) === newest(memory).state) continue;
      this.change(memory, {}, at);
    }
  }

  #finish(at: number, memory: OracleMemory): void {
    const last = memory.versions.pop();
    if (last) memory.versions.push({ ...last, state: this.#stateOf(memory), openedAt: at });
  }

  #stateOf(memory: OracleMemory): EffectiveState {
    const types = this.edges
      .filter(
        ({ source, target, removedAt }) => target === memory && !source.isTrashed && removedAt === isOpen,
      )
      .map(({ type }) => type);
    const later = memory.chain.slice(memory.chain.indexOf(memory) + 1);
    if (types.includes('SUPERSEDES') || later.some(({ isTrashed }) => !isTrashed)) return 'superseded';
    if (types.includes('CONTRADICTS')) return 'contradicted';
    return types.includes('DUPLICATES') ? 'duplicate' : 'current';
  }

  /** In no order, but evolution from the oldest. */
  response(query: OracleQuery, now: number): Expected[] {
    const asOf = query.asOf !== undefined && query.asOf < now ? query.asOf : undefined;
    const found = this.live.filter((memory) => {
      const version = versionAt(memory, asOf);
      return version !== undefined && matches(memory, version, query, asOf ?? now);
    });
    if (query.mode !== 'evolution') {
      return found.map((memory) => expected(memory, versionAt(memory, asOf) ?? newest(memory)));
    }
    const until = asOf ?? isOpen;
    const said = this.#chained(found, until);
    return this.memories
      .flatMap((memory, order) =>
        said.has(memory) ? memory.versions.map((v) => ({ memory, order, v })) : [],
      )
      .filter(({ v }) => v.openedAt <= until)
      .sort((a, b) => a.v.openedAt - b.v.openedAt || a.order - b.order)
      .map(({ memory, v }) => expected(memory, v));
  }

  #chained(found: readonly OracleMemory[], until: number): Set<OracleMemory> {
    const linked = new Set(found);
    for (let before = -1; before !== linked.size; ) {
      before = linked.size;
      for (const { source, target, type, createdAt, removedAt } of this.edges) {
        const stands = until === isOpen ? removedAt === isOpen : createdAt <= until && until < removedAt;
        if (type !== 'SUPERSEDES' || !stands || source.isTrashed || target.isTrashed) continue;
        if (linked.has(source)) linked.add(target);
        else if (linked.has(target)) linked.add(source);
      }
    }
    return linked;
  }
}

export function newest(memory: OracleMemory): OracleVersion {
  const last = memory.versions.at(-1);
  if (!last) throw new Error('a memory without a version');
  return last;
}

function versionAt(memory: OracleMemory, asOf: number | undefined): OracleVersion | undefined {
  if (asOf === undefined) return newest(memory);
  return memory.versions.find(({ openedAt, closedAt }) => openedAt <= asOf && asOf < closedAt);
}

function matches(memory: OracleMemory, version: OracleVersion, query: OracleQuery, present: number): boolean {
  const { content, topics, name, state, eventTime, validFrom, validTo } = version;
  const looksBack = query.mode !== 'current';
  if (![content, name ?? '', ...topics].join(' ').split(' ').includes(query.word)) return false;
  const isHidden = state === 'superseded' || state === 'contradicted';
  if (isHidden && !looksBack && !query.includeSuperseded) return false;
  const until = validTo ?? isOpen;
  if (query.validAt !== undefined) {
    const from = validFrom ?? eventTime ?? memory.createdAt;
    return from <= query.validAt && query.validAt < until;
  }
  return looksBack || query.includeExpired || ((validFrom ?? present) <= present && present < until);
}

function statedOf({ content, topics, name, eventTime, validFrom, validTo }: Memory): Stated {
  return { content, topics: [...topics], name, eventTime, validFrom, validTo };
}

function expected({ id }: OracleMemory, { content, name, topics, state }: OracleVersion): Expected {
  return { id, content, name, topics, state };
}
