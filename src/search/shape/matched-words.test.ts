import { expect, it } from 'vitest';
import type { Memory } from '../../domain/memories/memory.ts';
import type { AnalyzeWithOffsets } from '../../search-index/ports.ts';
import { densestStart, highlightsOf, matchedInMemory } from './matched-words.ts';

function analyzer() {
  const analysed: string[] = [];
  const analyze: AnalyzeWithOffsets = (text) => {
    analysed.push(text);
    return [...text.matchAll(/\S+/g)].map(({ 0: term, index }) => ({
      term,
      start: index,
      end: index + term.length,
    }));
  };
  return { analysed, analyze };
}

const memoryOf = (content: string) => ({ content }) as Memory;

it('a short text is analysed once, whatever is asked of it', () => {
  const { analysed, analyze } = analyzer();
  const memory = memoryOf(`${'word '.repeat(150)} tea or milk or tea`);
  const starts = (...terms: string[]) =>
    matchedInMemory(memory, new Set(terms), analyze, undefined).map(({ start }) => start);
  expect(starts('milk')).toEqual([memory.content.indexOf('milk')]);
  expect(starts('tea')).toEqual([memory.content.indexOf('tea'), memory.content.lastIndexOf('tea')]);
  expect(starts('sugar')).toEqual([]);
  expect(analysed.length).toBe(1);
});

it('of a long text its passages alone are analysed, and places are those of the text', () => {
  const { analysed, analyze } = analyzer();
  const memory = memoryOf(`${'word '.repeat(300)}tea and milk`);
  const [found] = matchedInMemory(memory, new Set(['milk']), analyze, [{ start: 1500, end: 1512 }]);
  expect(analysed).toEqual(['tea and milk']);
  expect(memory.content.slice(found.start, found.end)).toBe('milk');
});

it('a preview begins where the most different words are near each other; highlights do not overlap', () => {
  const at = (term: string, start: number, end: number) => ({ word: term, term, start, end });
  const matched = [at('a', 0, 5), at('a', 300, 305), at('b', 310, 320), at('c', 315, 330)];
  expect(densestStart(matched, 100)).toBe(300);
  expect(densestStart([], 100)).toBeUndefined();
  expect(highlightsOf(matched)).toEqual([
    { start: 0, end: 5 },
    { start: 300, end: 305 },
    { start: 310, end: 330 },
  ]);
});
