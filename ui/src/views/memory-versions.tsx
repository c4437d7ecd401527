import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import type { Memory } from '../api/records.ts';
import { mayWrite } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';
import { useViewKeys } from '../frame/keys.tsx';
import { addressOf } from '../frame/query-bar.tsx';
import { act } from '../frame/undo-bar.tsx';
import { Diff } from '../text/diff.tsx';
import { moment, words } from '../words/words.ts';
import { addressOfMemory } from './memory-row.tsx';

interface VersionSpan {
  readonly openedAt: string;
  readonly closedAt: string | null;
  readonly memory: Memory;
}

/** The key that wrote a version, as a link to all that it wrote. */
export function WrittenBy({ by }: { readonly by: Memory['createdBy'] }) {
  if (!by) return null;
  return (
    <a href={addressOf({ q: `by:${by.keyId}` })} title={by.keyId}>
      {words().memory.by} <bdi>{by.label}</bdi> (
      {[words().doors[by.via] ?? by.via, by.agent, by.tool].filter((way) => way !== undefined).join(', ')})
    </a>
  );
}

/** The versions of a memory as a line, and what changed from each to the next. */
export function Versions({ memory }: { readonly memory: Memory }) {
  const { data } = useQuery<{ data: readonly VersionSpan[] }>(
    { path: `/api/memories/${memory.id}/versions`, query: { limit: 100 } },
    { isBeside: true },
  );
  const [chosen, choose] = useState<number | undefined>();
  // As the API returns them, the newest first; shown as they came to be.
  const spans = (data?.data ?? []).toReversed();
  const versions = spans.map(({ memory: { content, createdBy }, ...span }, i) => ({
    ...span,
    content,
    createdBy,
    version: i + 1,
  }));
  const at = chosen === undefined ? -1 : versions.findIndex(({ version }) => version === chosen);
  const step = (by: number) => {
    const from = at < 0 ? versions.length - 1 : at;
    choose(versions[Math.min(versions.length - 1, Math.max(0, from + by))]?.version);
  };
  useViewKeys({ '[': () => step(-1), ']': () => step(1) });
  if (versions.length < 2) return null;
  const shown = versions[at];
  const before = versions[at - 1];
  const again = (content: string) =>
    act(words().memory.saved, async () => {
      const path = `/api/memories/${memory.id}`;
      await ask({ method: 'PUT', path, body: { content } });
      return () => ask({ method: 'PUT', path, body: { content: memory.content } });
    });
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">{words().memory.versions}</h2>
      <div class="versions">
        <button type="button" onClick={() => step(-1)}>
          &lsaquo; {words().memory.earlier} <kbd>[</kbd>
        </button>
        {versions.map(({ version, openedAt }) => (
          <button
            key={version}
            type="button"
            aria-pressed={version === chosen}
            title={moment(openedAt)}
            onClick={() => choose(version === chosen ? undefined : version)}
          >
            {version}
          </button>
        ))}
        <button type="button" onClick={() => step(1)}>
          {words().memory.later} <kbd>]</kbd> &rsaquo;
        </button>
      </div>
      {shown && (
        <>
          <p class="hint">
            {moment(shown.openedAt)} <WrittenBy by={shown.createdBy} />{' '}
            <a href={addressOfMemory(memory.id, undefined, shown.openedAt)}>{words().memory.asOf}</a>
          </p>
          <Diff before={before?.content ?? shown.content} after={shown.content} />
          {mayWrite.value && shown.closedAt !== null && (
            <button type="button" onClick={() => void again(shown.content)}>
              {words().memory.again}
            </button>
          )}
        </>
      )}
    </section>
  );
}
