/**
 * Memory and rate of `memoryd import` over one JSON array in the layout of ChatGPT's export: read alone (`--dry-run`) at full
 * size, and a part of it stored by a service. The peak is VmHWM of the command's process, which is compiled.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { randomFrom } from '../test/support/random.ts';
import { createUserKey, newDatabase, startServer } from '../test/support/server.ts';
import { generateText } from './http/corpus.ts';
import { englishWords } from './http/english-words.ts';

const mebibyte = 1024 * 1024;
const { values } = parseArgs({
  options: {
    mebibytes: { type: 'string', default: '2048' },
    stored: { type: 'string', default: '20' },
    check: { type: 'boolean', default: false },
  },
});
const peakMax = 300;
const turns = 20;
const everyMs = 100;
const random = randomFrom(31);
const words = englishWords();
const texts = Array.from({ length: 500 }, () =>
  Array.from({ length: 6 }, () => generateText(random, words)).join('\n\n'),
);

/** One conversation: a line of turns below a root. */
function conversation(number: number): string {
  const mapping: Record<string, object> = {
    root: { id: 'root', parent: null, children: ['0'], message: null },
  };
  for (let i = 0; i < turns; i++)
    mapping[i] = {
      id: `${i}`,
      parent: i === 0 ? 'root' : `${i - 1}`,
      children: i === turns - 1 ? [] : [`${i + 1}`],
      message: {
        id: `m-${number}-${i}`,
        author: { role: i % 2 === 0 ? 'user' : 'assistant' },
        create_time: 1_700_000_000 + number * 60 + i,
        content: {
          content_type: 'text',
          parts: [`${number}.${i} ${texts[(number * 7 + i) % texts.length]}`],
        },
        recipient: 'all',
        metadata: {},
      },
    };
  const id = `c-${number}`;
  return JSON.stringify({
    id,
    title: `Talk ${number}`,
    create_time: 1_700_000_000,
    current_node: `${turns - 1}`,
    mapping,
  });
}

async function writeArray(path: string, bytes: number): Promise<void> {
  const file = createWriteStream(path);
  file.write('[');
  for (let number = 0, done = 1; done < bytes; number++) {
    const text = `${number === 0 ? '' : ','}${conversation(number)}`;
    done += text.length;
    if (!file.write(text)) await once(file, 'drain');
  }
  file.end(']');
  await once(file, 'close');
}

interface Run {
  readonly seconds: number;
  readonly peakMebibytes: number;
  readonly data: Readonly<Record<string, number>>;
}

async function importFile(args: readonly string[]): Promise<Run> {
  const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
  const began = performance.now();
  const child = spawn(process.execPath, [main, 'import', ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk));
  let peakKibibytes = 0;
  const timer = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peakKibibytes = Math.max(peakKibibytes, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    } catch {
      // The process has ended since.
    }
  }, everyMs);
  await once(child, 'close');
  clearInterval(timer);
  const { data } = JSON.parse(out) as { data: Record<string, number> };
  return { seconds: (performance.now() - began) / 1000, peakMebibytes: peakKibibytes / 1024, data };
}

function report(name: string, path: string, { seconds, peakMebibytes, data }: Run): void {
  const size = statSync(path).size / mebibyte;
  const memories = data.memories ?? data.imported;
  console.log(
    `${name}: ${size.toFixed(0)} MiB, ${memories} memories in ${seconds.toFixed(1)} s: ${(size / seconds).toFixed(1)} MiB/s, ` +
      `${(memories / seconds).toFixed(0)} memories/s, peak ${peakMebibytes.toFixed(0)} MiB`,
  );
  if (values.check && peakMebibytes > peakMax) throw new Error(`The peak is above ${peakMax} MiB.`);
}

const folder = mkdtempSync(join(tmpdir(), 'memoryd-bench-import-'));
try {
  const path = join(folder, 'conversations.json');
  await writeArray(path, Number(values.mebibytes) * mebibyte);
  report('read', path, await importFile([path, '--dry-run']));
  await writeArray(path, Number(values.stored) * mebibyte);
  const database = await newDatabase('sqlite');
  const server = await startServer({ databaseUrl: database.url });
  const access = ['--url', server.url, '--key', await createUserKey(database.url, 'import')];
  report('stored', path, await importFile([path, ...access]));
  report('again', path, await importFile([path, ...access]));
  await server.stop();
  await database.drop();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
