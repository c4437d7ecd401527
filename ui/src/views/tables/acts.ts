import { ask } from '../../api/client.ts';
import type { Page, TrashEntry } from '../../api/records.ts';
import { act } from '../../frame/undo-bar.tsx';
import { words } from '../../words/words.ts';

/** The newest merges, among which is the one that was made just now. */
const entriesRead = 50;

const restore = (entryId: string) => ask({ method: 'POST', path: `/api/trash/${entryId}/restore` });

/** Moves a record to the trash; its undo restores it. */
export const remove = (path: string) =>
  act(words().memory.toTrash, async () => {
    const { headers } = await ask({ method: 'DELETE', path });
    const entry = headers.get('trash-entry');
    return entry === null ? undefined : () => restore(entry);
  });

interface MergeToUndo {
  readonly kind: 'entity-merge' | 'topic-merge';
  /** The entity that was merged; a merge of topics has an id of its own and is found by its title. */
  readonly recordId?: string;
  readonly title?: string;
}

/** A merge, or the rename of a topic, is in the trash: restoring its entry takes it back as it was. */
export async function undoMerge({ kind, recordId, title }: MergeToUndo): Promise<void> {
  const query = { kind, recordId, limit: entriesRead };
  const { body } = await ask<Page<TrashEntry>>({ path: '/api/trash', query });
  const entry = body.data.find((one) => recordId !== undefined || one.title === title);
  if (entry) await restore(entry.id);
}
