import { describe, expect, it } from 'vitest';
import { inputOf, leftOutOf, ofKind, recordsOf } from '../../../../../test/support/import-records.ts';
import type { StoredMemory } from '../reader.ts';
import { splitFrontMatter } from './front-matter.ts';
import { markdown, piecesAtHeadings } from './markdown.ts';
import { readNoteBody } from './note-body.ts';

type Files = Readonly<Record<string, string>>;

async function read(files: Files, stored?: readonly StoredMemory[]) {
  async function* all() {
    yield* stored ?? [];
  }
  return recordsOf(markdown, inputOf(files), stored && { stored: all });
}
const memoriesOf = (records: Awaited<ReturnType<typeof read>>) => ofKind(records, 'memory');
const edgesOf = (records: Awaited<ReturnType<typeof read>>) =>
  ofKind(records, 'relationship').map(({ from, type, to }) =>
    [from, type, to].map((id) => id.replace('notes:', '')),
  );

describe('the text of a note', () => {
  it.each([
    ['a #tag, (#other) and #a/b-c', ['tag', 'other', 'a/b-c']],
    ['#2026 #2026-plan issue #12. C# #', ['2026-plan']],
    ['# Heading\n##not a heading', []],
    ['`#code` ``a ` #code`` #out', ['out']],
    ['a stray ` here\n\n#in-the-next ` paragraph', ['in-the-next']],
    ['```\n#fenced\n```\n~~~\n#also\n~~~\n    #indented', ['indented']],
    ['[x](#anchor) https://a.b/#part [[Note#Heading]] \\#escaped', []],
    ['#日本語 #émile #🎉', ['日本語', 'émile', '🎉']],
  ])('the tags of %j are %j', (text, tags) => {
    expect(readNoteBody(text).tags).toEqual(tags);
  });

  it.each([
    ['- [fact] One (context)', [['fact', 'One']]],
    ['* [tech choice] Two #tag three', [['tech choice', 'Two three']]],
    ['- [x] done\n- [ ] open\n- [-] gone\n- [/] half', []],
    ['- [00:12] time\n- [link](a.md) text\n- [[Note]] text\n- [^1] note', []],
    ['> - [quoted] text', []],
    ['  1. [nested] number', [['nested', 'number']]],
  ])('the observations of %j are %j', (text, observations) => {
    expect(readNoteBody(text).observations.map((each) => [each.category, each.text])).toEqual(observations);
  });

  it.each([
    ['- part_of [[A]]', 'part_of', 'A'],
    ['- "owned by" [[A|b]] (since 2025)', 'owned by', 'A'],
    ['- uses [[A#Heading]] #tag', 'uses', 'A'],
    ['- see also [[A]]', undefined, 'A'],
    ['- uses [[A]] and more', undefined, 'A'],
    ['uses [[A]]', undefined, 'A'],
    ['| [[A\\|b]] |', undefined, 'A'],
    ['![[A]]', undefined, 'A'],
    ['[text](sub/A%20b.md#c "title")', undefined, 'sub/A b.md'],
  ])('%j is a relation %s to %s', (text, word, target) => {
    expect(readNoteBody(text).links).toEqual([expect.objectContaining({ word, target })]);
  });

  it('comments are taken out, also over lines, but not in code, and not without an end', () => {
    const { text } = readNoteBody('a %%b\n`%%`%% c `%%d%%` \ue000\n```\n%%e%%\n```\n50%% off');
    expect(text).toBe('a  c `%%d%%` \ue000\n```\n%%e%%\n```\n50%% off');
  });

  it('a long text is cut before headings that are not in code', () => {
    const text = `${'a'.repeat(50)}\n# One\n${'b'.repeat(30)}\n\`\`\`\n# no heading\n\`\`\`\n# Two\nc`;
    const pieces = piecesAtHeadings(text, 70);
    expect(pieces.join('')).toBe(text);
    expect(pieces.map((piece) => piece.slice(0, 5))).toEqual(
      ['aaaaa', '# One', '# Two'].slice(0, pieces.length),
    );
    expect(piecesAtHeadings('short', 70)).toEqual(['short']);
  });

  it('long texts of one mark are read to their end: a square of their length would take minutes', () => {
    for (const mark of [
      '`',
      '` ',
      '%%',
      '[[',
      '[[a',
      '- [',
      '](a.md',
      '#a',
      '(',
      '- "',
      '```\n',
      '> ',
      '\n \n',
    ]) {
      const read = readNoteBody(mark.repeat(400_000 / mark.length));
      expect(read, mark).toBeDefined();
    }
  });
});

describe('front matter', () => {
  it.each([
    ['---\na: 1\n---\ntext', { a: 1 }, 'text'],
    ['---\r\na: 1\r\n---\r\ntext', { a: 1 }, 'text'],
    ['---\n---\ntext', {}, 'text'],
    ['---\na: 1\n...\ntext', { a: 1 }, 'text'],
    ['---\nno end', {}, '---\nno end'],
    ['text\n---\na: 1\n---\n', {}, 'text\n---\na: 1\n---\n'],
    ['---\na: 2026-01-20\nb: .inf\n"__proto__": 1\n---\nt', { a: '2026-01-20', b: 'Infinity' }, 't'],
  ])('of %j', (text, fields, body) => {
    expect(splitFrontMatter(text)).toEqual({ fields, body });
  });

  it('front matter that is no YAML, no list of fields, or a bomb, is kept as a text', () => {
    const bomb = `a: &a [${'x,'.repeat(9)}]\n${[...'bcdefghi'].map((to, i) => `${to}: &${to} [${`*${'abcdefgh'[i]},`.repeat(9)}]`).join('\n')}`;
    for (const head of ['a: [', '- a list', 'just text', bomb]) {
      const { fields, body, broken } = splitFrontMatter(`---\n${head}\n---\ntext`);
      expect([fields, body, broken?.text]).toEqual([{}, 'text', `${head}\n`]);
    }
  });
});

describe('a folder of notes', () => {
  it('links find notes by path, title, alias and file name, the nearest of several; others are counted', async () => {
    const records = await read({
      'a/Note.md':
        '[[Other]] [[b/Other]] [[Alias]] [[Title here]] [[nowhere]] [[pic.png]] [self](Note.md) [up](../b/Other.md)',
      'a/Other.md': 'near',
      'b/Other.md': 'far',
      'c/x.md': '---\ntitle: Title here\naliases: [Alias]\n---\nnamed',
      'c/Caf\u00e9.md': '- supersedes [[cafe\u0301 old]]',
      'c/Caf\u00e9 old.md': 'old',
    });
    expect(edgesOf(records)).toEqual([
      ['a/Note.md', 'REFERENCES', 'a/Other.md'],
      ['a/Note.md', 'REFERENCES', 'b/Other.md'],
      ['a/Note.md', 'REFERENCES', 'c/x.md'],
      ['c/Café.md', 'SUPERSEDES', 'c/Café old.md'],
    ]);
    expect(leftOutOf(records)).toEqual({ 'link to nowhere': 1 });
  });

  it('notes of one id or permalink stay two; templates and lists of a bundle are left out', async () => {
    const records = await read({
      'index.md': '---\nokf_version: "0.2"\n---\n# List',
      'a.md': '---\npermalink: same\n---\none',
      'b.md': '---\npermalink: same\n---\ntwo',
      'c.md': '---\nid: 7\ngenerated: {at: 2026-05-28T14:30:00Z}\n---\nthree',
      'sub/Templates/d.md': 'TEMPLATE',
    });
    expect(memoriesOf(records).map(({ body }) => body.externalId)).toEqual([
      'notes:same',
      'notes:b.md',
      'notes:id:7',
    ]);
    expect(memoriesOf(records)[2].body.createdAt).toBe('2026-05-28T14:30:00.000Z');
    expect(leftOutOf(records)).toEqual({ template: 1, 'list of notes': 1 });
  });

  it('the folders that a vault names as templates are left out, and its settings are no files', async () => {
    const records = await read({
      '.obsidian/templates.json': '{"folder":"Meta/Vorlagen"}',
      '.obsidian/plugins/templater-obsidian/data.json': '{"templates_folder":"/forms/"}',
      'Meta/Vorlagen/day.md': 'TEMPLATE',
      'forms/x.md': 'TEMPLATE',
      'Meta/kept.md': 'kept',
    });
    expect(memoriesOf(records).map(({ body }) => body.content)).toEqual(['kept']);
    expect(leftOutOf(records)).toEqual({ template: 2 });
  });

  it('a renamed file is the note that had its text; copies, and notes under their own path, stay what they are', async () => {
    const first = memoriesOf(await read({ 'old.md': 'the text', 'kept.md': 'the other text' }));
    const stored = first.map(({ body }) => ({
      externalId: String(body.externalId),
      metadata: body.metadata as object as StoredMemory['metadata'],
    }));
    const idsOf = async (files: Files) =>
      memoriesOf(await read(files, stored)).map(({ body }) => body.externalId);
    expect(await idsOf({ 'kept.md': 'the other text', 'new/name.md': 'the text' })).toEqual([
      'notes:kept.md',
      'notes:old.md',
    ]);
    expect(await idsOf({ 'old.md': 'the text', 'copy.md': 'the text' })).toEqual(
      expect.arrayContaining(['notes:old.md', 'notes:copy.md']),
    );
    expect(await idsOf({ 'new.md': 'another text' })).toEqual(['notes:new.md']);
    // A permalink that was added later changes nothing.
    expect(await idsOf({ 'old.md': '---\npermalink: p/old\n---\nthe text, edited' })).toEqual([
      'notes:old.md',
    ]);
    // Two files with the text: the store cannot tell which one it was.
    expect((await idsOf({ 'x.md': 'the text', 'y.md': 'the text' })).sort()).toEqual([
      'notes:old.md',
      'notes:y.md',
    ]);
  });

  it('a link to a note that only the store has finds it', async () => {
    const stored = [{ externalId: 'notes:p', metadata: { path: 'far/Gone.md', title: 'The title' } }];
    expect(edgesOf(await read({ 'a.md': 'see [[The title]] and [[Gone]]' }, stored))).toEqual([
      ['a.md', 'REFERENCES', 'p'],
    ]);
  });
});
