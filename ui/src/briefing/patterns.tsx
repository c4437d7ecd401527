import { ask } from '../api/client.ts';
import type { Page } from '../api/records.ts';
import { mayWrite } from '../api/session.ts';
import { usePages } from '../api/use-pages.ts';
import { useQuery } from '../api/use-query.ts';
import { Shown } from '../frame/states.tsx';
import { act } from '../frame/undo-bar.tsx';
import { ForeignText } from '../text/foreign-text.tsx';
import { addressOfMemory } from '../views/memory-row.tsx';
import { share, words } from '../words/words.ts';

interface Pattern {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly confidence: number;
  readonly active: boolean;
  readonly pending: boolean;
  readonly feedback: { readonly positive: number; readonly negative: number };
  readonly evidenceMemoryIds: readonly string[];
}

const path = '/api/patterns';
const evidenceShown = 3;
/** The surest patterns, among which those of instructions are looked up. */
const lookedUp = 1000;

/** The memories behind each pattern, the last ones. */
export function useEvidence(isOff: boolean): (patternId: string) => readonly string[] {
  const { data } = useQuery<Page<Pattern>>({ path, query: { limit: lookedUp } }, { isBeside: true, isOff });
  const byId = new Map(data?.data.map(({ id, evidenceMemoryIds }) => [id, evidenceMemoryIds]));
  return (id) => (byId.get(id) ?? []).slice(0, evidenceShown);
}

/** What recurs, and what it does: on or off, right or wrong, each taken back by undo. */
export function Patterns() {
  const pages = usePages<Pattern>(path, {});
  const text = words().patterns;
  return (
    <Shown of={pages}>
      {(patterns) =>
        patterns.length === 0 ? (
          <p class="empty">{text.none}</p>
        ) : (
          <>
            <ul class="entries">
              {patterns.map((pattern) => (
                <Row key={pattern.id} pattern={pattern} />
              ))}
            </ul>
            {pages.more && (
              <button type="button" onClick={pages.more}>
                {words().loadMore}
              </button>
            )}
          </>
        )
      }
    </Shown>
  );
}

const setActive = (id: string, active: boolean) =>
  ask({ method: 'PATCH', path: `${path}/${id}`, body: { active } });

const judge = (patternId: string, feedback: 'positive' | 'negative', takeBack = false) =>
  ask({ method: 'POST', path: `${path}/feedback`, body: { patternId, feedback, takeBack } });

function Row({ pattern }: { readonly pattern: Pattern }) {
  const { id, type, name, confidence, active, pending, feedback, evidenceMemoryIds } = pattern;
  const text = words().patterns;
  const toggle = () =>
    act(active ? text.switchedOff : text.switchedOn, async () => {
      await setActive(id, !active);
      return () => setActive(id, active);
    });
  const say = (kind: 'positive' | 'negative') =>
    act(text.judged, async () => {
      await judge(id, kind);
      return () => judge(id, kind, true);
    });
  return (
    <li data-pattern={id} data-row tabIndex={-1}>
      <span>
        <ForeignText text={name} isWhole />{' '}
        <span class="hint">
          {type}, {share(confidence)}, {active ? text.on : text.off}
          {pending && `, ${text.pending}`}
          {feedback.positive + feedback.negative > 0 &&
            `, ${text.feedback(feedback.positive, feedback.negative)}`}{' '}
          {evidenceMemoryIds.length > 0 && text.from}{' '}
          {evidenceMemoryIds.slice(0, evidenceShown).map((memoryId) => (
            <a key={memoryId} class="source" href={addressOfMemory(memoryId)} data-source={memoryId}>
              {memoryId.slice(0, 8)}
            </a>
          ))}
        </span>
      </span>
      {mayWrite.value && (
        <span class="acts">
          <button type="button" onClick={() => void toggle()}>
            {active ? text.turnOff : text.turnOn}
          </button>
          <button type="button" onClick={() => void say('positive')}>
            {text.right}
          </button>
          <button type="button" onClick={() => void say('negative')}>
            {text.wrong}
          </button>
        </span>
      )}
    </li>
  );
}
