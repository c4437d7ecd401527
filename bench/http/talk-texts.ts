import type { Random } from '../../test/support/random.ts';
import { readTalks } from '../talks/read-talks.ts';

/**
 * Two turns of the talks one after the other: sentences, of which derivation finds what it finds in talk. Of random words it
 * finds topics without end (130,000 in 58,000 memories).
 */
export function talkTexts(): (random: Random) => string {
  const { conversations } = readTalks();
  const turns = conversations.flatMap(({ sessions }) =>
    sessions.flatMap((session) => session.turns.map(({ text }) => text)),
  );
  return (random) => `${random.pick(turns)} ${random.pick(turns)}`;
}
