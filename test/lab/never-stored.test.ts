import { describe, expect, it } from 'vitest';
import { readTalks } from '../../bench/talks/read-talks.ts';
import {
  type NeverStoredPart,
  neverStoredHalves,
  neverStoredParts,
  readNeverStored,
} from '../../lab/relevance/never-stored.ts';

const talks = readTalks().conversations;
const texts = talks.flatMap(({ sessions }) => sessions.flatMap(({ turns }) => turns.map(({ text }) => text)));

describe('the questions about what was never stored', () => {
  it('the questions about what was never stored are 50 a half, none twice, each to a user of the talks', () => {
    const all = neverStoredHalves.map(readNeverStored);
    expect(all.map(({ length }) => length)).toEqual([50, 50]);
    expect(new Set(all.flat().map(({ question }) => question)).size).toBe(100);
    const ids = talks.map(({ id }) => id);
    expect(all.flat().filter(({ user }) => !ids.includes(user))).toEqual([]);
  });

  it('what is fitted on further, and what was written last, have no subject of the locked half', () => {
    const subjectsOf = (part: NeverStoredPart) => readNeverStored(part).flatMap(({ subjects }) => subjects);
    const locked = subjectsOf('locked');
    expect([readNeverStored('further').length, readNeverStored('fresh').length]).toEqual([112, 30]);
    expect(
      [...subjectsOf('further'), ...subjectsOf('fresh')].filter((each) => locked.includes(each)),
    ).toEqual([]);
    expect(subjectsOf('fresh').filter((each) => subjectsOf('further').includes(each))).toEqual([]);
  });

  it('a subject of the questions about what was never stored is in its question and in no talk', () => {
    for (const { question, subjects } of neverStoredParts.flatMap(readNeverStored))
      for (const subject of subjects) {
        const begins = new RegExp(`\\b${subject}`, 'i');
        expect(question).toMatch(begins);
        expect(texts.filter((text) => begins.test(text))).toEqual([]);
      }
  });
});
