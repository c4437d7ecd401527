import type { Conversation, DataSet } from '../locomo/data-set.ts';
import { readTalks } from './read-talks.ts';

/** The talks as users store them; each note is a conversation of its own, without a speaker. */
export function readTalkSet(folder?: string): DataSet {
  const set = readTalks(folder);
  return { ...set, conversations: set.conversations.map(asStored) };
}

/** "friends", "assistant", "team" or "notes". */
export function kindOf(id: string): string {
  return id.split('-')[0];
}

function asStored(talk: Conversation): Conversation {
  if (kindOf(talk.id) !== 'notes') return talk;
  const notes = talk.sessions.flatMap(({ startedAt, turns }) => turns.map((turn) => ({ startedAt, turn })));
  return {
    ...talk,
    sessions: notes.map(({ startedAt, turn }, i) => ({
      number: i + 1,
      startedAt,
      turns: [{ ...turn, speaker: '' }],
    })),
  };
}
