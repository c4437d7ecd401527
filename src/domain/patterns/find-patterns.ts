import { type Memory, orderTime } from '../memories/memory.ts';
import type { UserReaders } from '../shared/stores.ts';
import type { EpochMs } from '../shared/time.ts';
import { detectPatterns, ReadSources } from './detect/detect-patterns.ts';
import type { Found, Source } from './detect/source.ts';

/** Live memories that one detection reads, the last written first. */
export const memoriesReadMax = 5000;
/** Live memories that it looks at for some within its time. */
const memoriesSeenMax = 20_000;
const memoriesAtOnce = 200;

export interface FindRequest {
  readonly from?: EpochMs;
  readonly to?: EpochMs;
  /** Only memories that have this text, or a topic of this name. */
  readonly contextFilter?: string;
}

/** How much a detection looked at. */
export interface ReadForPatterns {
  readonly memoriesRead: number;
  /** What their sentences and facts claim. */
  readonly claimsRead: number;
  /** Whether older memories were left out because of the bounds. */
  readonly isCut: boolean;
}

export interface FoundPatterns {
  /** The surest first. */
  readonly found: readonly Found[];
  readonly read: ReadForPatterns;
}

type Readers = Pick<UserReaders, 'memories' | 'facts'>;

/** Reads memories with their facts a page at a time, the last written first, and finds what recurs in them. */
export async function findPatterns(readers: Readers, request: FindRequest): Promise<FoundPatterns> {
  const texts = new ReadSources();
  let seen = 0;
  let seq = Number.MAX_SAFE_INTEGER;
  let isCut = false;
  for (;;) {
    const page = await readers.memories.listBefore(seq, memoriesAtOnce);
    const last = page.at(-1);
    if (last === undefined) break;
    seq = last.seq;
    seen += page.length;
    const sources = await toSources(readers, page.filter(isCounted).filter(isWithin(request)));
    const isPartly = (await texts.read(sources)) < sources.length;
    if (!texts.isFull && texts.sources.length < memoriesReadMax && seen < memoriesSeenMax) continue;
    isCut = isPartly || (await readers.memories.listBefore(seq, 1)).length > 0;
    break;
  }
  const read = { memoriesRead: texts.sources.length, claimsRead: texts.claims.length, isCut };
  return { found: await detectPatterns(texts), read };
}

/** A duplicate says nothing that its original does not: it neither shows a pattern nor speaks against one. */
const isCounted = ({ effectiveState }: Memory): boolean => effectiveState !== 'duplicate';

function isWithin({ from, to, contextFilter }: FindRequest): (memory: Memory) => boolean {
  const requested = contextFilter?.trim().toLowerCase();
  return (memory) => {
    const at = orderTime(memory);
    if ((from !== undefined && at < from) || (to !== undefined && at > to)) return false;
    if (!requested) return true;
    return (
      memory.topics.some((topic) => topic.toLowerCase() === requested) ||
      [memory.content, memory.context ?? ''].some((text) => text.toLowerCase().includes(requested))
    );
  };
}

async function toSources({ facts }: Readers, memories: readonly Memory[]): Promise<Source[]> {
  const said = await facts.listByVersions(memories);
  return memories.map((memory) => ({
    id: memory.id,
    content: memory.content,
    at: orderTime(memory),
    conversationId: memory.conversationId,
    topics: memory.topics,
    role: memory.role,
    isPast: memory.effectiveState !== 'current',
    facts: (said.get(memory.doc)?.shown ?? []).map(({ subject, predicate, object, isNegated = false }) => ({
      subject,
      predicate,
      object,
      isNegated,
    })),
  }));
}
