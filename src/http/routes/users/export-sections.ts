import type { Memory } from '../../../domain/memories/memory.ts';
import type { UserReaders } from '../../../domain/shared/stores.ts';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import { toConversationRecord } from '../../schemas/conversation.ts';
import { toFactRecord } from '../../schemas/fact.ts';
import { toMemoryRecord } from '../../schemas/memory.ts';
import { toPatternRecord } from '../../schemas/pattern.ts';

/** A list of an archive, read and written a piece at a time. */
export interface ExportSection {
  readonly name: string;
  /** Records as clients see them, in pieces; each piece is read after the previous one was written. */
  pieces(): AsyncIterable<readonly object[]>;
}

/** A memory may have 50,000 characters: 25 of them have 1.2 M at most. */
const memoriesAtOnce = 25;
const recordsAtOnce = 200;

/** Reads a list by its key: writes and deletes between two pieces shift nothing. */
async function* byKey<T, K>(
  first: K,
  keyOf: (item: T) => K,
  read: (after: K) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for (let after = first; ; ) {
    const items = await read(after);
    const last = items.at(-1);
    if (last === undefined) return;
    yield items;
    after = keyOf(last);
  }
}

async function* mapPieces<T>(pieces: AsyncIterable<readonly T[]>, toRecord: (item: T) => object) {
  for await (const items of pieces) yield items.map(toRecord);
}

/** All lists of a user's archive, in order. */
export function exportSections(
  { memories, conversations, facts, patterns }: UserReaders,
  user: UserRef,
): readonly ExportSection[] {
  const seqOf = ({ seq }: Memory) => seq;
  const idOf = ({ id }: { readonly id: string }) => id;
  const allMemories = () => byKey(-1, seqOf, (after) => memories.listAfter(after, memoriesAtOnce));
  const allConversations = () => byKey('', idOf, (after) => conversations.listAfter(after, recordsAtOnce));
  const allFacts = () => byKey('', idOf, (after) => facts.listAfter(after, recordsAtOnce));
  const allPatterns = () => byKey('', idOf, (after) => patterns.listAfter(after, recordsAtOnce));
  return [
    { name: 'memories', pieces: () => mapPieces(allMemories(), toMemoryRecord) },
    { name: 'conversations', pieces: () => mapPieces(allConversations(), toConversationRecord) },
    { name: 'facts', pieces: () => mapPieces(allFacts(), (fact) => toFactRecord(fact, user)) },
    { name: 'patterns', pieces: () => mapPieces(allPatterns(), toPatternRecord) },
  ];
}
