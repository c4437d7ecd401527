import { expect, it } from 'vitest';
import { readTalks } from '../../bench/talks/read-talks.ts';
import { directHalves, readDirectQuestions } from '../../lab/relevance/direct-questions.ts';

it('each direct question is to a user of the talks, names turns of theirs, and stands in one half', () => {
  const turns = new Map(
    readTalks().conversations.map(({ id, sessions }) => [
      id,
      new Set(sessions.flatMap((session) => session.turns.map((turn) => turn.id))),
    ]),
  );
  const all = directHalves.flatMap(readDirectQuestions);
  expect(all.length).toBe(520);
  expect(all.filter(({ evidence }) => evidence.length === 0).length).toBe(200);
  for (const { user, evidence } of all)
    expect(evidence.filter((turn) => !turns.get(user)?.has(turn))).toEqual([]);
  expect(new Set(all.map(({ user, question }) => `${user} ${question}`)).size).toBe(all.length);
});
