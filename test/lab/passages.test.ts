import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const flat = (text: string) => text.replace(/\s+/g, ' ');
const textOf = (page: string) => flat(readFileSync(`docs/${page}`, 'utf8'));

it.each([
  ['questions', 100],
  ['more', 48],
])('the texts that answer a question of %s stand in the pages', (name, count) => {
  const lines = readFileSync(`lab/data/passages/${name}.txt`, 'utf8').trimEnd().split('\n');
  expect(lines.length).toBe(count);
  const pages = readdirSync('docs').filter((page) => page.endsWith('.md'));
  const texts = pages.map(textOf);
  const wrong = lines.filter((line) => {
    const [first, ...others] = line.split(' || ');
    const [page, , answer] = first.split(' | ');
    const isThere = (text: string) => texts.some((of) => of.includes(flat(text)));
    return !textOf(page).includes(flat(answer)) || !others.every(isThere);
  });
  expect(wrong).toEqual([]);
});
