import { describe, expect, it } from 'vitest';
import { measure } from '../../bench/locomo/measure.ts';
import { measureEngine } from '../../bench/locomo/measure-engine.ts';
import { largestDifference, toScoresByKind } from '../../bench/talks/scores-by-kind.ts';
import { readTalkSet } from '../../bench/talks/talk-set.ts';
import { engines } from '../support/server.ts';

const set = readTalkSet();

/** The beginning of a user who talks and of one who keeps notes, with what is asked about it. */
function small() {
  const conversations = set.conversations
    .filter(({ id }) => id === 'friends-1' || id.startsWith('notes-2'))
    .map((talk) => {
      const sessions = talk.sessions.slice(0, talk.id === 'friends-1' ? 4 : 80);
      const ids = new Set(sessions.flatMap(({ turns }) => turns.map(({ id }) => id)));
      const isAnswered = ({ evidence }: { evidence: string[] }) => evidence.every((id) => ids.has(id));
      return { ...talk, sessions, questions: talk.questions.filter(isAnswered) };
    });
  return { ...set, conversations };
}

describe('the talks', () => {
  it('the talks are eight users of four kinds with 12 sessions and 50 questions each', () => {
    expect(set.conversations.length).toBe(8);
    for (const { questions, sessions } of set.conversations) {
      const ids = new Set(sessions.flatMap(({ turns }) => turns.map(({ id }) => id)));
      expect(questions.length).toBe(50);
      expect(questions.flatMap(({ evidence }) => evidence).filter((id) => !ids.has(id))).toEqual([]);
    }
  });

  it('a note of the talks is a conversation of its own, said by nobody', () => {
    const [notes] = set.conversations.filter(({ id }) => id.startsWith('notes'));
    expect(new Set(notes.sessions.map(({ turns }) => turns.length))).toEqual(new Set([1]));
    expect(notes.sessions.flatMap(({ turns }) => turns.map(({ speaker }) => speaker)).join('')).toBe('');
  });

  it('the scores of the talks are means by kind of user', () => {
    const right = { category: 'single-hop', evidence: ['a'], found: ['a'] };
    const wrong = { category: 'single-hop', evidence: ['a'], found: ['b'] };
    const scores = toScoresByKind({ 'team-1': [right], 'team-2': [wrong], 'notes-1-x': [right, right] });
    expect(Object.keys(scores)).toEqual(['notes', 'team', 'all']);
    expect([scores.notes.mrr, scores.team.mrr, scores.all.mrr]).toEqual([1, 0.5, 0.75]);
    const others = toScoresByKind({ 'team-1': [right], 'team-2': [right], 'notes-1-x': [right, right] });
    expect(largestDifference(scores, others)).toBe(0.5);
  });
});

describe('the talks through HTTP', () => {
  it('the talks are found alike by every engine, and no worse than they were at first', async () => {
    const runs = [];
    for (const engine of engines)
      runs.push(
        await measureEngine(small(), engine, async (url, keys) =>
          toScoresByKind((await measure(small(), url, keys, { method: 'hybrid' })).questions),
        ),
      );
    for (const run of runs) {
      expect(run.all.questions).toBeGreaterThan(10);
      expect(run.all.recall10).toBeGreaterThan(0.45);
      expect(largestDifference(runs[0], run)).toBeLessThanOrEqual(0.005);
    }
  }, 240_000);
});
