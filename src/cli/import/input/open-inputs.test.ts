import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { Input } from '../readers/reader.ts';
import { withInputs } from './open-inputs.ts';

const folder = mkdtempSync(join(tmpdir(), 'memoryd-inputs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Member {
  readonly name: string;
  readonly bytes: Buffer;
  /** Mode of Unix. */
  readonly mode?: number;
}

/** A zip with packed members. */
function zipOf(...members: readonly Member[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, bytes, mode = 0o100644 } of members) {
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x800, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x03'), fields, rest, Buffer.from(name));
    parts.push(local);
    at += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(members.length, 4);
  end.writeUInt16LE(members.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, listed, Buffer.from('PK\x05\x06'), end]);
}

const text = (name: string, content = name): Member => ({ name, bytes: Buffer.from(content) });

function write(name: string, bytes: Buffer | string): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

const textsOf = async ([{ files }]: readonly Input[]) =>
  Promise.all(files.map(async (file) => [file.path, await file.text()]));

const open = <T>(path: string, run: (inputs: readonly Input[]) => Promise<T>) =>
  withInputs([{ path, name: 'given' }], run);

describe('inputs', () => {
  it('inputs are the files of a folder without hidden ones and links, with the members of zips, and one zip in a zip', async () => {
    const inner = zipOf(text('c.json'), { name: 'deep.zip', bytes: zipOf(text('d.json')) });
    mkdirSync(join(folder, 'all/sub'), { recursive: true });
    mkdirSync(join(folder, 'all/.git'));
    write('all/.git/x.json', 'hidden');
    write('all/sub/a.json', 'a');
    write('all/packed.jsonl.gz', gzipSync('packed'));
    write('all/u\u0308.md', 'name in NFD');
    symlinkSync('/etc/passwd', join(folder, 'all/link.json'));
    write('all/outer.zip', zipOf(text('b.json'), text('__MACOSX/b.json'), { name: 'in.zip', bytes: inner }));
    const read = await open(join(folder, 'all'), async (inputs) => {
      const [{ files }] = inputs;
      return Promise.all(
        files.map(async (file) => [file.path, (await file.head(6)).replace(/^PK.*/s, 'zip')]),
      );
    });
    expect(read).toEqual([
      ['outer.zip/b.json', 'b.json'],
      ['outer.zip/in.zip/c.json', 'c.json'],
      ['outer.zip/in.zip/deep.zip', 'zip'],
      ['packed.jsonl', 'packed'],
      ['sub/a.json', 'a'],
      ['\u00fc.md', 'name i'],
    ]);
    const unpacked = await open(join(folder, 'all/outer.zip'), async ([{ files }]) => {
      const path = await files[0].diskPath();
      expect(readFileSync(path, 'utf8')).toBe('b.json');
      return path;
    });
    expect(existsSync(unpacked)).toBe(false);
  });

  it('inputs of a zip leave out links, and refuse a path that leaves it, a bomb and a file that is no zip in one sentence', async () => {
    const linked = zipOf(text('a.json'), { ...text('l.json', '/etc/passwd'), mode: 0o120777 });
    expect(await open(write('linked.zip', linked), textsOf)).toEqual([['a.json', 'a.json']]);
    for (const name of ['../a.json', '/etc/a.json', 'x/../../a.json'])
      await expect(open(write('out.zip', zipOf(text(name))), textsOf)).rejects.toThrow(
        /^given is refused: .*a\.json/,
      );
    const bomb = zipOf({ name: 'zeros.json', bytes: Buffer.alloc(20 * 1024 * 1024) });
    await expect(open(write('bomb.zip', bomb), textsOf)).rejects.toThrow(
      'given is refused: zeros.json would unpack to more than 250 times its size.',
    );
    const cut = linked.subarray(0, linked.length - 30);
    await expect(open(write('cut.zip', cut), textsOf)).rejects.toThrow(/^given cannot be read as a zip: /);
  });

  it('inputs give the text of a file within bounds, without its mark, and refuse other encodings', async () => {
    const path = write('one.txt', '\ufeffabc');
    await open(path, async ([{ files }]) => {
      expect(await files[0].text()).toBe('abc');
      expect(await files[0].diskPath()).toBe(path);
      await expect(files[0].text(5)).rejects.toThrow('it has more than 5 bytes');
    });
    await open(write('latin.txt', Buffer.from([0xe4, 0x20])), async ([{ files }]) => {
      await expect(files[0].text()).rejects.toThrow('it is not UTF-8');
    });
  });
});
