import { useState } from 'preact/hooks';
import { ApiFailure, ask } from '../api/client.ts';
import type { TrashEntry } from '../api/records.ts';
import { mayWrite } from '../api/session.ts';
import { usePages } from '../api/use-pages.ts';
import { More, Shown } from '../frame/states.tsx';
import { act } from '../frame/undo-bar.tsx';
import { moment, words } from '../words/words.ts';

const dayMs = 86_400_000;

/** A restore that first needs others, which it belongs to. */
interface Blocked {
  readonly reason: string;
  /** Of the trash, those that it belongs to first. */
  readonly ids: readonly string[];
}

/** What was deleted: back again, or away for good. */
export function TrashView() {
  const pages = usePages<TrashEntry>('/api/trash', {});
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const [blocked, block] = useState<Blocked | undefined>();
  const text = words().trash;
  const restoreOne = async (id: string, ids: readonly string[]) => {
    try {
      await ask({ method: 'POST', path: `/api/trash/${id}/restore` });
    } catch (error) {
      if (error instanceof ApiFailure && error.code === 'OWNER_IN_TRASH') {
        const owners = (error.details as { trashEntryIds?: string[] } | undefined)?.trashEntryIds ?? [];
        if (owners.length > 0)
          block({ reason: error.message, ids: [...new Set([...owners, ...ids.slice(ids.indexOf(id))])] });
      }
      throw error;
    }
  };
  const restore = (ids: readonly string[]) =>
    act(text.restored, async () => {
      for (const id of ids) await restoreOne(id, ids);
      block(undefined);
      choose(new Set());
      pages.restart();
      return undefined;
    });
  const erase = async ({ id, title }: TrashEntry) => {
    if (!window.confirm(text.eraseAsk(title.slice(0, 200)))) return;
    await act(text.erased, async () => {
      await ask({ method: 'DELETE', path: `/api/trash/${id}` });
      pages.restart();
      return undefined;
    });
  };
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    choose(next);
  };
  return (
    <section aria-labelledby="trash-title">
      <div class="bar">
        <h1 id="trash-title">{text.title}</h1>
        {chosen.size > 0 && (
          <button type="button" onClick={() => void restore([...chosen])}>
            {text.restoreSelected(chosen.size)}
          </button>
        )}
      </div>
      {blocked && (
        <p role="alert">
          {blocked.reason}{' '}
          <button type="button" onClick={() => void restore(blocked.ids)}>
            {text.restoreOwners}
          </button>
        </p>
      )}
      <Shown of={pages}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="empty">{text.empty}</p>
          ) : (
            <ul class="entries">
              {rows.map((entry) => (
                <li key={entry.id} data-row tabIndex={-1}>
                  {mayWrite.value && (
                    <input
                      type="checkbox"
                      aria-label={`${text.select} ${entry.title}`}
                      checked={chosen.has(entry.id)}
                      onChange={() => toggle(entry.id)}
                    />
                  )}
                  <span class="hint">{entry.kind}</span> <bdi class="text">{entry.title}</bdi>
                  <span class="hint">
                    {moment(entry.deletedAt)}, {text.daysLeft(daysUntil(entry.expiresAt))}
                  </span>
                  {mayWrite.value && (
                    <>
                      <button type="button" onClick={() => void restore([entry.id])}>
                        {text.restore}
                      </button>
                      <button type="button" class="quiet" onClick={() => void erase(entry)}>
                        {text.erase}
                      </button>
                    </>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
      <More of={pages} />
    </section>
  );
}

const daysUntil = (iso: string) => Math.max(0, Math.ceil((Date.parse(iso) - Date.now()) / dayMs));
