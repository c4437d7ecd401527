import { describe, expect, it } from 'vitest';
import { halves, readNoteSet } from '../../bench/notes/note-set.ts';
import { analyze, analyzeQuery } from '../../src/search-index/analysis/index.ts';

const { asked, others } = readNoteSet();
const all = halves.flatMap((half) => asked[half]);

describe('the set of notes found by vectors', () => {
  it('the set of notes has two halves of 75 notes among 1,000 others, no text twice', () => {
    expect(halves.map((half) => asked[half].length)).toEqual([75, 75]);
    expect(others.length).toBe(1000);
    const texts = [...all.flatMap(({ note, question }) => [note, question]), ...others];
    expect(new Set(texts).size).toBe(texts.length);
    expect(all.filter(({ about }) => about === 'work').length).toBe(75);
  });

  it('the set of notes asks for each note with none of its words', () => {
    const shared = all.flatMap(({ note, question }) => {
      const terms = new Set(analyze(note));
      return analyzeQuery(question).filter((term) => terms.has(term));
    });
    expect(shared).toEqual([]);
  });

  it('the set of notes asks with two words of content or more', () => {
    expect(all.filter(({ question }) => analyzeQuery(question).length < 2)).toEqual([]);
  });

  it('the set of notes leaves no gap open', () => {
    expect(others.filter((text) => /[{}]/.test(text))).toEqual([]);
  });
});
