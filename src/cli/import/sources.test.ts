import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { fromLine } from '../transfer/file-format.ts';
import { type Item, openSource } from './sources.ts';

const folder = mkdtempSync(join(tmpdir(), 'memoryd-source-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function read(content: string | Buffer): Promise<Item[]> {
  const path = join(folder, 'file');
  writeFileSync(path, content);
  const items: Item[] = [];
  for await (const item of openSource(path).items()) items.push(item);
  return items;
}

const textOf = ({ content }: Item) => ('refusal' in content ? content.refusal : content.body.content);

describe('openSource', () => {
  it('lines of an import file are numbered whatever ends them, and empty ones are left out', async () => {
    const items = await read('\ufeff{"content":"a"}\r\n\n  \n{"content":"b\u2028c"}\n{"content":"d"}');
    expect(items.map((item) => [item.label, textOf(item)])).toEqual([
      ['line 1', 'a'],
      ['line 4', 'b\u2028c'],
      ['line 5', 'd'],
    ]);
  });

  it('a line that is spread over several pieces of the file is read whole', async () => {
    const contents = Array.from({ length: 40 }, (_, index) => `${index} ${'ж'.repeat(index * 1000)}`);
    const text = contents.map((content) => JSON.stringify({ content })).join('\n');
    expect(Buffer.byteLength(text)).toBeGreaterThan(1024 * 1024);
    expect((await read(text)).map(textOf)).toEqual(contents);
  });

  it('a line that is too long or not UTF-8 is refused, and the next one is read', async () => {
    const long = `{"content":"${'x'.repeat(5 * 1024 * 1024)}"}\n`;
    const broken = Buffer.concat([Buffer.from('{"content":"'), Buffer.from([0xff]), Buffer.from('"}\n')]);
    const items = await read(Buffer.concat([Buffer.from(long), broken, Buffer.from('{"content":"fine"}')]));
    expect(items.map(textOf)).toEqual(['the line is longer than 4 MiB', 'the line is not UTF-8', 'fine']);
  });

  it('a line or a file that is nested too deep is refused', async () => {
    const nested = `${'['.repeat(60_000)}${']'.repeat(60_000)}`;
    const items = await read(`{"content":"x","metadata":{"a":${nested}}}\n{"content":"fine"}`);
    expect(items.map(textOf)).toEqual([
      'the line is not JSON: it must not be nested deeper than 64 levels',
      'fine',
    ]);
    await expect(read(`[{"a":${nested}}]`)).rejects.toThrow('nested deeper than 64 levels');
    const line = `{"a":${nested}`;
    expect(() => fromLine(`${line},"crc":${crc32(line)}}`)).toThrow('nested too deeply');
  });

  it('a file that does not exist is refused with a message that says so', () => {
    expect(() => openSource(join(folder, 'nowhere'))).toThrow(/nowhere cannot be read: ENOENT/);
  });
});
