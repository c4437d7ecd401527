import type { ExpressionBuilder } from 'kysely';
import type { MovingMemories } from '../../../domain/memories/memory-store.ts';
import type { ConversationMove } from '../../../domain/trash/trash.ts';
import { type Reads, related } from '../core/joins.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import { type MemoryRow, toMemory } from '../memories/memory-columns.ts';
import { versionsWithIdentity } from '../memories/memory-reader.ts';

/** Memories with their newest version, live or in the trash. */
const newestVersions = (tables: UserTables) =>
  versionsWithIdentity(tables).whereRef('memory_versions.doc', '=', 'memories.doc');

export const trashedMemories = (tables: UserTables) =>
  newestVersions(tables).where('memories.trashed_at', 'is not', null);

/** Memories of one conversation, in order of writing, read by the range of its possible numbers. */
const ofConversation = (tables: UserTables, conversationId: string) =>
  newestVersions(tables)
    .where('memories.conversation_id', '=', conversationId)
    .where(
      'memories.seq',
      '>',
      tables.selectFrom('conversations').select('since_rev').where('conversations.id', '=', conversationId),
    )
    .orderBy('memories.seq');

export const byConversation = new UserQuery<{ conversationId: string; limit: number }, MemoryRow>(
  (tables, { conversationId, limit }) =>
    ofConversation(tables, conversationId).where('memories.trashed_at', 'is', null).limit(limit),
);

/** Memories that have no entry of their own in the trash. */
const withoutEntry = (eb: ExpressionBuilder<Reads<'memories'>, 'memories'>) =>
  eb.not(
    eb.exists(
      related(eb, 'trash_entries', 'memories.id', 'record_id')
        .select('trash_entries.id')
        .where('trash_entries.kind', '=', 'memory'),
    ),
  );

export const trashedWith = new UserQuery<{ conversationId: string }, MemoryRow>(
  (tables, { conversationId }) =>
    ofConversation(tables, conversationId).where('memories.trashed_at', 'is not', null).where(withoutEntry),
);

const numbersAtOnce = 2000;

/** Memories of a conversation among the next numbers of the user, by whether they are marked as deleted. */
const moving = (isTrashed: boolean) =>
  new UserQuery<{ conversationId: string; after: number; upTo: number; limit: number }, MemoryRow>(
    (tables, { conversationId, after, upTo, limit }) =>
      newestVersions(tables)
        .where('memories.conversation_id', '=', conversationId)
        .where('memories.seq', '>', after)
        .where('memories.seq', '<=', upTo)
        .where('memories.trashed_at', isTrashed ? 'is not' : 'is', null)
        .where((eb) => (isTrashed ? withoutEntry(eb) : eb.lit(true)))
        .orderBy('memories.seq')
        .limit(limit),
  );
const movingOut = moving(false);
const movingBack = moving(true);

/** See `MemoryWriter.listMoving`. */
export async function listMoving(
  db: UserDatabase,
  { conversationId, step, movedTo, rev }: ConversationMove,
  limit: number,
): Promise<MovingMemories> {
  const upTo = Math.min(rev, movedTo + numbersAtOnce);
  const query = step === 'restoring' ? movingBack : movingOut;
  const memories = (await db.all(query, { conversationId, after: movedTo, upTo, limit })).map(toMemory);
  return { memories, movedTo: memories.length < limit ? upTo : (memories.at(-1)?.seq ?? upTo) };
}

/** An entry may be there still while its memory is restored. */
export const firstOf = new UserQuery<{ conversationId: string }, MemoryRow>((tables, { conversationId }) =>
  ofConversation(tables, conversationId)
    .where((eb) => eb.or([eb('memories.trashed_at', 'is', null), withoutEntry(eb)]))
    .limit(1),
);

export const lastOf = new UserQuery<{ conversationId: string; before: number }, MemoryRow>(
  (tables, { conversationId, before }) =>
    ofConversation(tables, conversationId)
      .where('memories.trashed_at', 'is', null)
      .where('memories.seq', '<', before)
      .clearOrderBy()
      .orderBy('memories.seq', 'desc')
      .limit(1),
);

export const lastVersion = new UserQuery((tables, { chainId }: { chainId: string }) =>
  tables
    .selectFrom('memories')
    .select('chain_version as version')
    .where('chain_id', '=', chainId)
    .orderBy('chain_version', 'desc')
    .limit(1),
);

export const trashedSuccessors = new UserQuery(
  (tables, { chainId, name, afterVersion }: { chainId: string; name: string; afterVersion: number }) =>
    trashedMemories(tables)
      .where('memories.chain_id', '=', chainId)
      .where('memories.chain_version', '>', afterVersion)
      .where('memory_versions.name', '=', name)
      .limit(1),
);
