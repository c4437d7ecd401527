import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { withInputs } from '../../../src/cli/import/input/open-inputs.ts';
import { jsonl } from '../../../src/cli/import/readers/plain/jsonl.ts';
import { english } from '../words/english.ts';
import { layoutOf, pieceBytesMax } from './pieces.ts';
import { sha256 } from './sha256.ts';
import { type Item, itemsOf } from './statements.ts';

const folder = mkdtempSync(join(tmpdir(), 'memoryd-drop-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function itemsIn(...content: BlobPart[]): Promise<Item[]> {
  const file = new Blob(content);
  const layout = await layoutOf(file);
  if (layout !== 'lines' && layout !== 'list') throw new Error(layout);
  const items: Item[] = [];
  for await (const item of itemsOf(file, layout)) items.push(item);
  return items;
}

const outcome = ({ number, content }: Item) => [
  number,
  'refusal' in content ? content.refusal.rule : content.body.content,
];

/** What the command would send: the bodies with their external ids. */
async function ofCommand(content: string) {
  const path = join(folder, 'file');
  writeFileSync(path, content);
  const made: unknown[] = [];
  const options = { map: new Map<string, string>(), only: new Set<string>(), since: undefined };
  await withInputs([{ path, name: path }], async ([input]) => {
    for await (const record of jsonl.read(input, options))
      if (record.kind === 'memory') made.push([record.conversation?.replace(/^title:/, ''), record.body]);
  });
  return made;
}

const ofPage = (items: readonly Item[]) =>
  items.flatMap(({ content }) => ('refusal' in content ? [] : [[content.conversation, content.body]]));

describe('a dropped file', () => {
  it('has the same bodies and external ids as for the command, so that neither doubles the other', async () => {
    const lines = [
      { content: 'a' },
      { content: 'a' },
      { content: 'b', externalId: 'own' },
      { content: 'c', externalId: '' },
      { conversation: 'Kitchen \u{1f373}', sessionStart: '2024-05-01T10:00:00Z', content: 'd' },
      { conversation: 'Kitchen', sessionStart: '2024-05-01', content: 'e', eventTime: '2024', topics: ['x'] },
      { content: 'f', eventTime: null, tags: { z: [1] } },
    ];
    const text = lines.map((line) => JSON.stringify(line)).join('\r\n');
    expect(ofPage(await itemsIn(text))).toEqual(await ofCommand(text));
    const list = JSON.stringify(
      [
        { id: 'i', version: 1, content: 'a, ] "b" \\', conversationId: 'conv_1', topics: [], name: null },
        { content: 'old', effectiveState: 'superseded' },
        { content: 'new', effectiveState: 'current', createdAt: '2024-01-01' },
      ],
      null,
      1,
    );
    expect(ofPage(await itemsIn(list))).toEqual(await ofCommand(list));
  });

  it('has lines that are numbered whatever ends them, in pieces of any size', async () => {
    const long = 'ж'.repeat(100_000);
    const items = await itemsIn('\ufeff{"content":"a"}\r\n\n  \n{"content":"', long, '"}\n{"content":"d"}');
    expect(items.map(outcome)).toEqual([
      [1, 'a'],
      [4, long],
      [5, 'd'],
    ]);
    expect(items.at(-1)?.end).toBe(
      new Blob(['\ufeff{"content":"a"}\r\n\n  \n{"content":""}\n{"content":"d"}', long]).size,
    );
  });

  it('names the broken lines and reads the others', async () => {
    const broken = ['{"content":', '[1]', '"text"', '{"content":"x","conversation":1}', '{"sessionStart":7}'];
    const both = '{"conversation":"a","conversationId":"b"}';
    const deep = `{"content":"x","metadata":${'['.repeat(60_000)}${']'.repeat(60_000)}}`;
    const text = `{"content":"first"}\n${[...broken, both].join('\n')}\n`;
    const items = await itemsIn(text, new Uint8Array([0x22, 0xff, 0x22, 10]), `${deep}\n{"content":"last"}`);
    expect(items.map(outcome)).toEqual([
      [1, 'first'],
      [2, 'notJson'],
      [3, 'notObject'],
      [4, 'notObject'],
      [5, 'conversation'],
      [6, 'sessionStart'],
      [7, 'twoConversations'],
      [8, 'notUtf8'],
      [9, 'notJson'],
      [10, 'last'],
    ]);
    const tooLong = await itemsIn(`{"content":"${'x'.repeat(pieceBytesMax)}"}\n{"content":"fine"}`);
    expect(tooLong.map(outcome)).toEqual([
      [1, 'tooLong'],
      [2, 'fine'],
    ]);
  });

  it('has lists that are read element by element, broken ones too', async () => {
    expect((await itemsIn('[]')).length).toBe(0);
    expect((await itemsIn(' [ {"content":"a"} , {"content" "b"},\n{"content":"c"}]\n')).map(outcome)).toEqual(
      [
        [1, 'a'],
        [2, 'notJson'],
        [3, 'c'],
      ],
    );
    expect((await itemsIn('[{"content":"a"},{"content":"b')).map(outcome)).toEqual([
      [1, 'a'],
      [2, 'listCut'],
    ]);
    expect((await itemsIn('[{"content":"a"}] x')).map(outcome)).toEqual([
      [1, 'a'],
      [2, 'afterList'],
    ]);
  });

  it('is told from files of other layouts', async () => {
    const layouts = [
      '{"format":"memoryd-export","x":1}',
      '{\n "a": 1}',
      '',
      'name;age',
      'x\n{"content":"a"}',
    ];
    expect(await Promise.all(layouts.map((text) => layoutOf(new Blob([text]))))).toEqual([
      'store',
      'unknown',
      'unknown',
      'unknown',
      'lines',
    ]);
  });

  it('has words for each field that a memory can be created with', () => {
    const { components } = JSON.parse(
      readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'),
    );
    expect(Object.keys(english.import.becomes).sort()).toEqual(
      [
        ...Object.keys(components.schemas.CreateMemoryRequest.properties),
        'conversation',
        'sessionStart',
      ].sort(),
    );
  });
});

describe('sha256', () => {
  it('is that of Node for texts of any length', () => {
    for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000])
      for (const text of ['a'.repeat(length), 'жß\u{1f373}'.repeat(length)])
        expect(sha256(text)).toBe(hash('sha256', text, 'base64url'));
  });
});
