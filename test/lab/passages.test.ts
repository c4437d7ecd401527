import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const flat = (text: string) => text.replace(/\s+/g, ' ');

it('the text that answers a question about a page stands in that page', () => {
  const lines = readFileSync('lab/data/passages/questions.txt', 'utf8').trimEnd().split('\n');
  expect(lines.length).toBe(100);
  const wrong = lines.filter((line) => {
    const [page, , answer] = line.split(' | ');
    return !flat(readFileSync(`docs/${page}`, 'utf8')).includes(flat(answer));
  });
  expect(wrong).toEqual([]);
});
