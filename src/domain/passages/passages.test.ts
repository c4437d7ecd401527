import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passageLengthMax, passagesOf, runOn, textOfPassage, wholeLengthMax } from './passages.ts';

const sentences = (count: number, word: string) =>
  Array.from({ length: count }, (_, i) => `The ${word} number ${i} says nothing of note.`).join(' ');
const lines = fc.constantFrom(
  '',
  '# Head',
  '### Low head',
  '**Bold**',
  '- an item of a list',
  '| a | b |',
  '| --- | --- |',
  '```',
  'Ana: hello there',
  '===',
  sentences(5, 'dog'),
  sentences(40, 'cat'),
  '日本語の文。'.repeat(300),
  '😀'.repeat(900),
);

describe('passages of a text', () => {
  it('passages are in order, short enough, and leave out blank space only, whatever the text is', () => {
    fc.assert(
      fc.property(fc.array(lines, { maxLength: 30 }), (parts) => {
        const text = parts.join('\n');
        const passages = passagesOf(text);
        if (text.length <= wholeLengthMax) {
          expect(passages).toHaveLength(1);
          return;
        }
        let at = 0;
        for (const { start, end } of passages) {
          expect(text.slice(at, start).trim()).toBe('');
          expect(end).toBeGreaterThan(start);
          expect(end - start).toBeLessThanOrEqual(passageLengthMax);
          expect(text.slice(start, end).isWellFormed?.() ?? true).toBe(true);
          at = end;
        }
        expect(text.slice(at).trim()).toBe('');
      }),
    );
  });

  it('a passage stands under the headings above it, and a row of a table under the head of the table', () => {
    const rows = Array.from({ length: 60 }, (_, i) => `| key${i} | ${'value '.repeat(5)}${i} |`).join('\n');
    const text = `# Book\n\n${sentences(9, 'word')}\n\n## Table of keys\n\n| key | value |\n| --- | --- |\n${rows}`;
    const passage = passagesOf(text).find(({ start, end }) => text.slice(start, end).includes('key50'));
    expect(passage).toMatchObject({ headings: ['Book', 'Table of keys'], tableHead: '| key | value |' });
    expect(passage && textOfPassage(text, passage)).toContain('Book > Table of keys\n| key | value |\n| key');
  });

  it('code in a fence has no headings, and is cut at ends of lines', () => {
    const code = `\`\`\`sh\n${'# a comment\nrun --with arguments\n'.repeat(60)}\`\`\``;
    const passages = passagesOf(`# Commands\n\n${code}\n\nAfter the code.`);
    expect(new Set(passages.flatMap(({ headings }) => headings))).toEqual(new Set(['Commands']));
    for (const { end } of passages.slice(0, -1))
      expect(`${code}`.length).toBeGreaterThan(end - passageLengthMax);
  });

  it('a passage that was cut within a sentence is shown to its end, or some words on', () => {
    const shown = (text: string) => {
      const [first] = passagesOf(text);
      const { start, end } = runOn(text, first);
      return text.slice(start, end);
    };
    const words = 'word '.repeat(130);
    expect(shown(`${words}to the end. ${words}`)).toMatch(/word to the end\.$/);
    expect(shown(words.repeat(3))).toMatch(/^(?:word )+word$/);
    expect(shown(words.repeat(3)).length).toBeLessThanOrEqual(passageLengthMax + 150);
    expect(shown('😀'.repeat(900)).isWellFormed?.() ?? true).toBe(true);
    const whole = sentences(40, 'dog');
    expect(shown(whole)).toBe(whole.slice(passagesOf(whole)[0].start, passagesOf(whole)[0].end));
  });

  it('a text of up to 1,000 units is one passage', () => {
    expect(passagesOf(`# A\n\n${'x '.repeat(490)}`)).toEqual([{ start: 0, end: 985, headings: [] }]);
  });
});
