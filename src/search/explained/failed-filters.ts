import { derivedOfVersions } from '../../domain/memories/derived-of-versions.ts';
import { type Memory, orderTime } from '../../domain/memories/memory.ts';
import { toIso } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { Breather } from '../../lib/loop-time.ts';
import type { MemoryFilter } from '../../search-index/memory-filter.ts';
import { candidatesFor, type RetrievalDeps } from '../candidates.ts';

export interface FailedFilter {
  readonly filter: keyof MemoryFilter;
  readonly reason: string;
}

/** Fields of a memory for a reason. */
interface Known {
  readonly memory: Memory;
  /** Those that were given, then those that were derived. */
  readonly topics: string;
  /** Of the memory that replaces or contradicts it. */
  readonly newerId: string | undefined;
}

const time = (at: number | null) => (at === null ? undefined : toIso(at));

function validity({ validFrom, validTo }: Memory): string {
  const [from, to] = [time(validFrom), time(validTo)];
  if (from === undefined && to === undefined) return 'it states no validity';
  return `it is valid${from === undefined ? '' : ` from ${from}`}${to === undefined ? '' : ` until ${to}`}`;
}

const state = ({ effectiveState }: Memory, newerId: string | undefined) =>
  `it is ${effectiveState}${newerId === undefined ? '' : `; ${newerId} is newer`}`;
const happened = ({ memory }: Known) => `it happened at ${toIso(orderTime(memory))}`;
const written = ({ memory }: Known) => `it was written at ${toIso(memory.createdAt)}`;
const about = ({ topics }: Known) => (topics === '' ? 'it has no topic' : `its topics are ${topics}`);

/** The value of the memory for a filter that it fails. */
const had: Readonly<Record<keyof MemoryFilter, (known: Known, filter: MemoryFilter) => string>> = {
  topics: about,
  excludeTopics: about,
  memoryType: ({ memory }) => `it is ${memory.memoryType}`,
  effectiveState: ({ memory, newerId }) => state(memory, newerId),
  conversationId: ({ memory }) => `its conversation is ${memory.conversationId}`,
  entityId: () => 'it does not mention that entity',
  createdBy: ({ memory }) =>
    memory.createdBy === null ? 'no key wrote it' : `the key ${memory.createdBy.label} wrote it`,
  via: ({ memory }) => `it came by ${memory.createdBy?.via ?? 'no door'}`,
  agent: ({ memory }) => `${memory.createdBy?.agent ?? 'no program that says its name'} wrote it`,
  tool: ({ memory }) => `${memory.createdBy?.tool ?? 'no tool'} wrote it`,
  role: ({ memory }) => (memory.role === null ? 'it has no role' : `its role is ${memory.role}`),
  createdFrom: written,
  createdTo: written,
  eventFrom: happened,
  eventTo: happened,
  scope: ({ memory }) => `its codeContext is ${JSON.stringify(memory.codeContext ?? {})}`,
  metadata: (_, { metadata = [] }) =>
    `its metadata has no ${metadata.map(({ path, values }) => `${path}=${values[0]}`).join(', ')}`,
  taskId: ({ memory }) => (memory.taskId === null ? 'it has no taskId' : `its taskId is ${memory.taskId}`),
  externalId: ({ memory }) => `its externalId is ${memory.externalId}`,
  outcome: ({ memory }) =>
    memory.outcome === null ? 'it has no outcome' : `its outcome is ${memory.outcome}`,
  idPrefix: ({ memory }) => `its id is ${memory.id}`,
  asOf: written,
  validAt: ({ memory }) => validity(memory),
  currentAt: ({ memory }) => validity(memory),
  includeSuperseded: ({ memory, newerId }) => state(memory, newerId),
};

/**
 * The filters that a visible row fails, each by itself: the same test as in the search, with one filter only.
 */
export async function failedFilters(
  deps: RetrievalDeps,
  user: UserRef,
  { filter, doc }: { readonly filter: MemoryFilter; readonly doc: number },
): Promise<FailedFilter[]> {
  const failed: MemoryFilter[] = [];
  const breather = new Breather();
  for (const alone of eachAlone(filter)) {
    const pause = breather.pause();
    if (pause) await pause;
    const { index, passes, view } = await candidatesFor(deps, user, alone);
    if (!passes(index.rowOf(doc))) failed.push(alone);
    view.arrays.release();
  }
  if (failed.length === 0) return [];
  const known = await knownOf(deps, user, doc, filter);
  return failed.map((alone) => {
    const name = nameOf(alone);
    return { filter: name, reason: known === undefined ? 'it was erased' : had[name](known, alone) };
  });
}

/** One filter for each that is set, with the time of the search; values of metadata are filters of their own. */
function eachAlone({ asOf, includeSuperseded, metadata = [], ...others }: MemoryFilter): MemoryFilter[] {
  const base = { asOf, includeSuperseded: true };
  const set = Object.entries(others).filter(([, value]) => value !== undefined && value !== 'any');
  return [
    ...(includeSuperseded ? [] : [{ asOf, includeSuperseded: false }]),
    ...set.map(([name, value]) => ({ ...base, [name]: value })),
    ...metadata.map((test) => ({ ...base, metadata: [test] })),
  ];
}

function nameOf({ asOf: _, includeSuperseded, ...one }: MemoryFilter): keyof MemoryFilter {
  return includeSuperseded ? (Object.keys(one)[0] as keyof MemoryFilter) : 'includeSuperseded';
}

async function knownOf(
  { stores }: RetrievalDeps,
  user: UserRef,
  doc: number,
  { asOf }: MemoryFilter,
): Promise<Known | undefined> {
  const readers = stores.forUser(user);
  const [memory] = await readers.memories.findByDocs([doc]);
  if (!memory) return undefined;
  const derivedOf = await derivedOfVersions(readers, [memory], { topics: true });
  const newer = await readers.relationships.newerOf([memory.seq], asOf);
  return {
    memory,
    topics: [...memory.topics, ...derivedOf(memory).topics].join(', '),
    newerId: newer.get(memory.seq)?.at(-1)?.id,
  };
}
