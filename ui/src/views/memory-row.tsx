import type { Memory } from '../api/records.ts';
import { ForeignText } from '../text/foreign-text.tsx';
import { shortDay, time, words } from '../words/words.ts';

export const addressOfMemory = (id: string) => `/ui/m/${id}`;
/** What a row shows; a hit of a search has no topics where they were not asked for. */
type RowMemory = Pick<Memory, 'id' | 'content' | 'createdAt' | 'eventTime' | 'effectiveState' | 'name'> & {
  readonly topics?: readonly string[];
};

export const timeOf = (memory: Pick<Memory, 'createdAt' | 'eventTime'>) =>
  memory.eventTime ?? memory.createdAt;

interface Props {
  readonly memory: RowMemory;
  readonly hits?: readonly { readonly start: number; readonly end: number }[];
  /** The day beside the time, in lists that are not by day. */
  readonly hasDay?: boolean;
  /** In place of the beginning of the text. */
  readonly text?: string;
}

/** One memory in a list: when, what, in which state. */
export function MemoryRow({ memory, hits, hasDay = false, text = memory.content }: Props) {
  const state = memory.effectiveState ?? 'current';
  return (
    <a class={`row ${state}`} data-row href={addressOfMemory(memory.id)}>
      <time dateTime={timeOf(memory)}>{hasDay ? shortDay(timeOf(memory)) : time(timeOf(memory))}</time>
      <span class="text">
        {memory.name !== undefined && (
          <b>
            <bdi>{memory.name}</bdi>{' '}
          </b>
        )}
        <ForeignText text={text.slice(0, 600)} hits={hits} isWhole />
      </span>
      <span class="tags">
        {state !== 'current' && <i class={`state ${state}`}>{words().state[state] ?? state}</i>}
        {memory.topics?.slice(0, 3).map((topic) => (
          <bdi key={topic} class="topic">
            {topic}
          </bdi>
        ))}
      </span>
    </a>
  );
}
