import { spawnSync } from 'node:child_process';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { program } from '../../src/cli/program.ts';
import { blocksOf, pagePaths, readPage } from '../support/pages.ts';

const scripts: Record<string, string> = JSON.parse(readPage('package.json')).scripts;

/** Shell lines of a page, those that a backslash continues as one, without comments. */
function shellLinesOf(page: string): string[] {
  const blocks = blocksOf(page).filter(({ language }) => ['sh', 'text', 'bash'].includes(language));
  return blocks
    .flatMap(({ text }) => text.replace(/\\\n\s*/g, ' ').split('\n'))
    .map((line) => line.replace(/\s#.*$/, ''));
}

const inlineCodeOf = (page: string) =>
  [...page.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`]+)`/g)].map(([, code]) =>
    code.replace(/\s+/g, ' '),
  );

const words = '([a-z][a-z-]*(?: [^|&;)]*)?)';
/** `memoryd` where a command stands, as `docker exec memoryd ...` names a container. */
const start = String.raw`(?:^|&& |\| )(?:[A-Z_]+=\S* )*memoryd`;
const call = new RegExp(String.raw`(?:npx memoryd|npm run memoryd --|\S*dist/main\.js|${start}) ${words}`);

/** What is said to the command line in a page: the words after `memoryd`. */
function callsOf(page: string): string[] {
  return [
    ...shellLinesOf(page),
    ...inlineCodeOf(page).filter((code) => /^(npx |npm run |node )?\S*(memoryd|main\.js)\b/.test(code)),
  ]
    .map((line) => call.exec(line)?.[1].trim())
    .filter((words) => words !== undefined);
}

const pages = pagePaths().filter((path) => !path.startsWith('docs/adr/') && path !== 'CHANGELOG.md');

it('every npm script that a page names exists', () => {
  const named = pages.flatMap((path) =>
    [...readPage(path).matchAll(/npm run ([a-z][\w:-]*)/g)].map(([, script]) => ({ path, script })),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ script }) => !(script in scripts))).toEqual([]);
});

/** What is wrong with a call: no such command, or an option that it does not have. */
function faultOf(memoryd: Command, said: string): string | undefined {
  const [first, second, ...rest] = said.split(/\s+/);
  const command = memoryd.commands.find((each) => each.name() === first);
  if (!command) return `no command ${first}`;
  const isGroup = command.commands.length > 0 && /^[a-z]+$/.test(second ?? '');
  const called = isGroup ? command.commands.find((inner) => inner.name() === second) : command;
  if (!called) return `no command ${first} ${second}`;
  const options = [second, ...rest]
    .filter((word) => /^--[a-z]/.test(word ?? ''))
    .map((word) => word.split('=')[0]);
  const unknown = options.filter(
    (option) => !called.options.some(({ long, short }) => long === option || short === option),
  );
  return unknown.length > 0 ? `no option ${unknown.join(', ')}` : undefined;
}

it('every command of memoryd that a page names exists, with the options that it is given', async () => {
  const memoryd = await program();
  const calls = pages.flatMap((path) => callsOf(readPage(path)).map((said) => ({ path, said })));
  expect(calls.length).toBeGreaterThan(20);
  const faults = calls.map((named) => ({ ...named, fault: faultOf(memoryd, named.said) }));
  expect(faults.filter(({ fault }) => fault !== undefined)).toEqual([]);
});

it.each(pages)('blocks of shell in %s can be read by a shell', (path) => {
  for (const { language, text } of blocksOf(readPage(path))) {
    if (language !== 'sh') continue;
    const read = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
    expect(read.stderr, text).toBe('');
  }
});
