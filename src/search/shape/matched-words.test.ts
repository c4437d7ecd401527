import { expect, it } from 'vitest';
import type { Memory } from '../../domain/memories/memory.ts';
import type { AnalyzeWithOffsets } from '../../search-index/ports.ts';
import { firstMatch } from './matched-words.ts';

function analyzer() {
  const analysed: (ReadonlySet<string> | undefined)[] = [];
  const analyze: AnalyzeWithOffsets = (text, until) => {
    analysed.push(until);
    return [...text.matchAll(/\S+/g)].map(({ 0: term, index }) => ({
      term,
      start: index,
      end: index + term.length,
    }));
  };
  return { analysed, analyze };
}

const memoryOf = (content: string) => ({ content }) as Memory;

it.each([
  [900, 1],
  [1100, 4],
])('the first match in %i units of text is found with %i analyses', (length, analyses) => {
  const { analysed, analyze } = analyzer();
  const memory = memoryOf(`${'word '.repeat(300).slice(0, length - 20)} tea or milk or tea`);
  const first = (...terms: string[]) => firstMatch(memory, new Set(terms), analyze);
  expect(first('milk')).toBe(memory.content.indexOf('milk'));
  expect(first('milk', 'tea')).toBe(memory.content.indexOf('tea'));
  expect(first('sugar')).toBeUndefined();
  expect(first('word')).toBe(0);
  expect(analysed.length).toBe(analyses);
});

it('another memory, and the same one read again, are analysed for themselves', () => {
  const { analysed, analyze } = analyzer();
  const terms = new Set(['tea']);
  expect(firstMatch(memoryOf('a tea'), terms, analyze)).toBe(2);
  expect(firstMatch(memoryOf('one tea'), terms, analyze)).toBe(4);
  expect(analysed.length).toBe(2);
});
