import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pagePaths, proseOf, readPage, repository } from '../support/pages.ts';

/** How GitHub names the heading of a page in a link. */
function anchorOf(heading: string): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

const anchorsOf = (path: string) =>
  new Set([...proseOf(readPage(path)).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => anchorOf(heading)));

/** Relative links of a page, as written. */
function linksOf(path: string): string[] {
  const prose = proseOf(readPage(path)).replace(/`[^`]*`/g, '');
  const written = [...prose.matchAll(/\]\(([^)\s]+)\)/g), ...prose.matchAll(/\b(?:src|href)="([^"]+)"/g)];
  return written.map(([, target]) => target).filter((target) => !/^[a-z]+:/.test(target));
}

function isBroken(page: string, link: string): boolean {
  const [target, anchor] = link.split('#');
  const path = target === '' ? page : normalize(join(dirname(page), target));
  if (!existsSync(join(repository, path))) return true;
  if (anchor === undefined) return false;
  return statSync(join(repository, path)).isDirectory() || !anchorsOf(path).has(anchor);
}

describe('pages', () => {
  it.each(pagePaths())('links of %s point to files and headings that exist', (page) => {
    expect(linksOf(page).filter((link) => isBroken(page, link))).toEqual([]);
  });

  it('the README links each page of docs once, in its section on documentation', () => {
    const [, documentation] = readPage('README.md').split('## Documentation\n');
    const links = documentation.matchAll(/\]\((docs\/[^/)#]+\.md)\)/g);
    const linked = [...links].map(([, link]) => link);
    expect(linked.toSorted()).toEqual([...new Set(linked)].toSorted());
    const missing = pagePaths().filter((path) => /^docs\/[^/]+\.md$/.test(path) && !linked.includes(path));
    expect(missing).toEqual([]);
  });

  it('decisions have a number each, which their heading repeats', () => {
    const files = readdirSync(join(repository, 'docs/adr')).filter((name) => /^\d{4}-/.test(name));
    const numbers = files.map((name) => Number(name.slice(0, 4)));
    expect(new Set(numbers).size).toBe(numbers.length);
    const headings = files.map((name) => readPage(`docs/adr/${name}`).split('\n')[0]);
    expect(headings.map((heading) => Number(/^# (\d+)\./.exec(heading)?.[1]))).toEqual(numbers);
  });
});
