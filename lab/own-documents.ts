import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toTable } from '../bench/report/table.ts';
import { groupBy } from '../src/lib/collections.ts';
import { newDatabase, runMemoryd, startServer } from '../test/support/server.ts';
import { newTempFolder } from '../test/support/temp-folder.ts';
import { waitForDone } from './derivation/service.ts';

/**
 * `npm run bench own-documents`: the data derived from this
 * repository's README and ADRs, for docs/derivation.md.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const charactersMin = 60;
const shown = 16;

interface Entity {
  readonly name: string;
  readonly type: string;
  readonly mentionCount: number;
}
interface Fact {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly confidence: number;
  readonly confidenceBasis?: string;
  readonly mentionCount: number;
}
interface Topic {
  readonly name: string;
  readonly count: number;
}
interface Page<T> {
  readonly data: readonly T[];
  readonly pagination?: { readonly total?: number; readonly hasMore?: boolean };
  readonly meta?: object;
}

/** Paragraphs and list items of a page, without code, tables and headings. */
function paragraphsOf(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8').replace(/^```.*?^```/gms, '');
  return text
    .split(/\n\s*\n|\n(?=[-*] |\d+\. )/)
    .map((part) =>
      part
        .replace(/^\s*(?:[-*]|\d+\.)\s+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((part) => part.length >= charactersMin && !/^[#|<!]/.test(part));
}

async function main(): Promise<void> {
  const adrs = readdirSync(join(root, 'docs/adr')).map((name) => `docs/adr/${name}`);
  const lines = ['README.md', ...adrs.sort()].flatMap((path) =>
    paragraphsOf(path).map((content) => JSON.stringify({ content, conversation: path })),
  );
  const folder = newTempFolder('own-documents');
  const database = await newDatabase('sqlite');
  const server = await startServer({ databaseUrl: database.url });
  try {
    const file = join(folder.path, 'own.jsonl');
    writeFileSync(file, `${lines.join('\n')}\n`);
    const imported = await runMemoryd(database.url, [
      'import',
      file,
      '--url',
      server.url,
      '--key',
      server.key,
    ]);
    if (imported.code !== 0) throw new Error(imported.stderr);
    console.log(imported.stdout.trim());
    for (const step of ['derive', 'relate']) await waitForDone(server, step, lines.length);
    const all = async <T>(path: string): Promise<T[]> => {
      const found: T[] = [];
      for (let page = 1; ; page++) {
        const url = `${server.url}${path}${path.includes('?') ? '&' : '?'}limit=100&page=${page}`;
        const response = await fetch(url, { headers: { authorization: `Bearer ${server.key}` } });
        if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
        const { data } = (await response.json()) as Page<T>;
        found.push(...data);
        if (data.length < 100) return found;
      }
    };
    print(await all<Entity>('/api/entities'), await all<Fact>('/api/facts'), await all<Topic>('/api/topics'));
  } finally {
    await server.stop();
    await database.drop();
    folder.remove();
  }
}

function print(entities: readonly Entity[], facts: readonly Fact[], topics: readonly Topic[]): void {
  const byCount = entities.toSorted((a, b) => b.mentionCount - a.mentionCount);
  console.log(`\n${entities.length} entities, the most frequent:`);
  console.log(
    byCount
      .slice(0, 2 * shown)
      .map((e) => `${e.name} (${e.type}, ${e.mentionCount})`)
      .join(', '),
  );
  const types = [...groupBy(entities, ({ type }) => type)].map(([type, of]) => [
    type,
    String(of.length),
    of
      .filter((_, i) => i % Math.ceil(of.length / 8) === 0)
      .map(({ name }) => name)
      .join(', '),
  ]);
  console.log(toTable(['type', 'entities', 'some'], types));
  const say = (f: Fact) =>
    `- ${f.subject} | ${f.predicate} | ${f.object} (${f.confidence.toFixed(3)}, ${f.confidenceBasis}, ${f.mentionCount})`;
  const sure = facts.toSorted((a, b) => b.confidence - a.confidence);
  console.log(`\n${facts.length} facts; the surest:\n${sure.slice(0, shown).map(say).join('\n')}`);
  console.log(`\nEvery ${Math.ceil(facts.length / shown)}th of all, as they come:`);
  console.log(
    facts
      .filter((_, i) => i % Math.ceil(facts.length / shown) === 0)
      .map(say)
      .join('\n'),
  );
  console.log(`\nThe least sure:\n${sure.slice(-shown).map(say).join('\n')}`);
  const often = topics.toSorted((a, b) => b.count - a.count);
  console.log(
    `\n${topics.length} topics: ${often
      .slice(0, 2 * shown)
      .map((t) => `${t.name} (${t.count})`)
      .join(', ')}`,
  );
}

await main();
