import type { Random } from '../../test/support/random.ts';
import { readTalks } from '../talks/read-talks.ts';

/**
 * Returns a function that joins two turns of the talks into one text. Real sentences give derivation a
 * realistic load; in random words it finds far too many topics (130,000 in 58,000 memories).
 */
export function talkTexts(): (random: Random) => string {
  const { conversations } = readTalks();
  const turns = conversations.flatMap(({ sessions }) =>
    sessions.flatMap((session) => session.turns.map(({ text }) => text)),
  );
  return (random) => `${random.pick(turns)} ${random.pick(turns)}`;
}
