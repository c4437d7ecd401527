import type { Memory } from '../api/records.ts';
import { ForeignText } from '../text/foreign-text.tsx';
import { shortDay, time, words } from '../words/words.ts';

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Of a memory, or of a part of its text, now or as it was. */
export function addressOfMemory(id: string, at?: Partial<Place>, asOf?: string): string {
  const parameters = new URLSearchParams();
  if (at?.start !== undefined) parameters.set('at', `${at.start}-${at.end}`);
  if (asOf) parameters.set('asOf', asOf);
  const text = parameters.toString();
  return text === '' ? `/ui/m/${id}` : `/ui/m/${id}?${text}`;
}

/** What a row shows; a hit of a search has no topics where they were not asked for. */
type RowMemory = Pick<Memory, 'id' | 'content' | 'createdAt' | 'eventTime' | 'effectiveState' | 'name'> & {
  readonly topics?: readonly string[];
};

export const timeOf = (memory: Pick<Memory, 'createdAt' | 'eventTime'>) =>
  memory.eventTime ?? memory.createdAt;

interface Props {
  readonly memory: RowMemory;
  readonly hits?: readonly Place[];
  /** The time that the list is of, if not now. */
  readonly asOf?: string;
  /** The day beside the time, in lists that are not by day. */
  readonly hasDay?: boolean;
  /** In place of the beginning of the text. */
  readonly text?: string;
}

/** One memory in a list: when, what, in which state. */
export function MemoryRow({ memory, hits, asOf, hasDay = false, text = memory.content }: Props) {
  const state = memory.effectiveState ?? 'current';
  return (
    <a class={`row ${state}`} data-row href={addressOfMemory(memory.id, undefined, asOf)}>
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
