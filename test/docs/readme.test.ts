import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { blocksOf, readPage, repository } from '../support/pages.ts';
import { engines, newDatabase, startServer } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

const readme = readPage('README.md');

describe.each(engines)('the README on %s', (engine) => {
  it('the README stores a memory and finds it by other words with the lines that it gives', async () => {
    const database = await newDatabase(engine);
    const server = await startServer({ databaseUrl: database.url });
    const folder = newTempFolder('readme');
    mkdirSync(join(folder.path, 'data'));
    writeFileSync(join(folder.path, 'data/first-key'), `${server.key}\n`);
    const run = async (sign: string) => {
      const [block] = blocksOf(readme).filter(
        ({ language, text }) => language === 'sh' && text.includes(sign),
      );
      const script = block.text
        .replaceAll('localhost:3000', server.url.replace('http://', ''))
        .replaceAll('npx memoryd', `'${process.execPath}' '${repository}dist/main.js'`);
      const env = { ...process.env, MEMORYD_URL: server.url, MEMORYD_KEY: server.key };
      const ran = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder.path, env });
      return (await ran).stdout;
    };
    const content = 'Ana prefers the window seat on night trains';
    expect(await run('npx memoryd search')).toMatch(new RegExp(`${content} +travel`));
    expect((await run('curl')).split(`"content":"${content}"`).length - 1).toBe(3);
    expect(await server.stop()).toBe(0);
    for (const made of [database.drop, folder.remove]) await made();
  });
});

it('the README gives figures that the page of benchmarks has', () => {
  const benchmarks = readPage('docs/benchmarks.md');
  const [, table] = /## Figures\n([\s\S]*?)\n## /.exec(readme) ?? [];
  const rounded = [...benchmarks.matchAll(/\d*\.?\d[\d,]*(?:\.\d+)?/g)].flatMap(([text]) => {
    const number = Number(text.replaceAll(',', ''));
    return [1, 10, 100].map((scale) => Math.round(number * scale) / scale);
  });
  const given = [...table.matchAll(/^\|.*\| ([^|]+) \|$/gm)].flatMap(([, cell]) =>
    [...cell.matchAll(/\d*\.?\d[\d,]*(?:\.\d+)?/g)].map(([text]) => Number(text.replaceAll(',', ''))),
  );
  expect(given.length).toBeGreaterThan(5);
  expect(given.filter((number) => !rounded.includes(number))).toEqual([]);
});
