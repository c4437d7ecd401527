import type { AddedMemory, Conversation, PlacedMemory } from '../../../domain/conversations/conversation.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';

interface Counted {
  created_at: number;
  last_activity_at: number;
  last_session_id: string | null;
  memory_count: number;
  readonly auto_titled: number;
}

const countedOf = new UserQuery<{ id: string }, Counted>((tables, { id }) =>
  tables
    .selectFrom('conversations')
    .where('trashed_at', 'is', null)
    .where('id', '=', id)
    .select(['created_at', 'last_activity_at', 'last_session_id', 'memory_count', 'auto_titled']),
);

interface PendingRow extends Omit<Counted, 'auto_titled'> {
  readonly id: string;
  readonly updated_at: number;
}

const writeCounts = new UserQuery<PendingRow, never>((tables, row) =>
  tables
    .updateTable('conversations')
    .set({
      created_at: row.created_at,
      last_activity_at: row.last_activity_at,
      last_session_id: row.last_session_id,
      memory_count: row.memory_count,
      updated_at: row.updated_at,
    })
    .where('id', '=', row.id),
);

/**
 * Counts of conversations to which a transaction adds many memories: read once and written once, where each memory
 * took an UPDATE. The lock of the user's row keeps others from changing them in between.
 */
export class PendingCounts {
  readonly #db: UserDatabase;
  readonly #rows = new Map<string, { readonly counted: Counted; updatedAt: number }>();
  /** The newest implicit conversation, which stays the newest while memories of now join it. */
  newestImplicit: Conversation | undefined;

  constructor(db: UserDatabase) {
    this.#db = db;
  }

  /** As `ConversationWriter.addMemory`. */
  async add(
    id: string,
    { at, createdAt, goesOnSince, newSessionId }: AddedMemory,
  ): Promise<PlacedMemory | undefined> {
    const counted = this.#rows.get(id)?.counted ?? (await this.#db.first(countedOf, { id }));
    if (!counted) return undefined;
    const sessionId =
      counted.last_session_id !== null && counted.last_activity_at >= goesOnSince
        ? counted.last_session_id
        : newSessionId;
    // The activity of one without memories is that of its creation.
    const isFirst = counted.memory_count === 0;
    counted.last_activity_at = isFirst ? createdAt : Math.max(counted.last_activity_at, createdAt);
    counted.created_at = Math.min(counted.created_at, createdAt);
    counted.last_session_id = sessionId;
    counted.memory_count++;
    this.#rows.set(id, { counted, updatedAt: at });
    return { sessionId, titleFollows: isFirst && counted.auto_titled === 1 };
  }

  async write(): Promise<void> {
    const rows = [...this.#rows];
    this.#rows.clear();
    for (const [id, { counted, updatedAt }] of rows)
      await this.#db.all(writeCounts, { ...counted, id, updated_at: updatedAt });
  }
}
