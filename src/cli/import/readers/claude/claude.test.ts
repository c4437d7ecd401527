import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  brokenVariants,
  inputOf,
  leftOutOf,
  ofKind,
  readSample,
  recordsOf,
} from '../../../../../test/support/import-records.ts';
import { withInputs } from '../../input/open-inputs.ts';
import { claude } from './claude.ts';

const message = (uuid: string, sender: string, text: string, more: object = {}) => ({
  uuid,
  sender,
  text,
  content: [{ type: 'text', text }],
  created_at: '2026-01-05T19:20:00.000000Z',
  attachments: [],
  files: [],
  ...more,
});
const conversation = (uuid: string, ...messages: unknown[]) => ({
  uuid,
  name: 'Engine',
  created_at: '2026-01-05T19:20:00.000000Z',
  chat_messages: messages,
});
const read = (...conversations: unknown[]) =>
  recordsOf(claude, inputOf({ 'conversations.json': JSON.stringify(conversations) }));

const use = (name: string, input: object) => ({ type: 'tool_use', name, input });

describe('an export of Claude.ai', () => {
  it.each(['claude/export', 'claude/export.zip'])(
    '%s has its conversations, artifacts, projects and memory',
    async (path) => {
      const { isRecognised, records } = await readSample(claude, path);
      expect(isRecognised).toBe(true);
      expect(ofKind(records, 'conversation')).toHaveLength(5);
      expect(ofKind(records, 'memory')).toHaveLength(16);
      expect(ofKind(records, 'artifact').map(({ body }) => body.name)).toEqual([
        'layup-2025.md',
        'Packing list',
        'rota.csv',
      ]);
      expect(ofKind(records, 'named').map(({ name }) => name)).toEqual([
        'claude-project-be84a1ce',
        'claude-memory',
        'claude-memory-be84a1ce',
      ]);
      expect(ofKind(records, 'refused')).toHaveLength(2);
      expect(leftOutOf(records)).toEqual({
        'other branch': 1,
        thinking: 1,
        'tool message': 6,
        empty: 1,
        duplicate: 1,
        'conversation without messages': 1,
        'starter project': 1,
      });
      expect(JSON.stringify(records)).not.toMatch(/ABANDONED|HIDDEN|TOOL-|STARTER|PROFILE|@example/);
    },
  );

  it('a manifest with a zip for each category is the same export', async () => {
    const { isRecognised, records } = await readSample(claude, 'claude/newer');
    expect(isRecognised).toBe(true);
    expect(ofKind(records, 'memory')).toHaveLength(6);
    expect(ofKind(records, 'named').map(({ name, body }) => [name, body.createdAt])).toContainEqual([
      'claude-memory-boat-md',
      '2026-04-02T17:00:00.000Z',
    ]);
  });

  it('a zip of one category is an export too', async () => {
    const { isRecognised, records } = await readSample(claude, 'claude/newer/memories-000.zip');
    expect(isRecognised).toBe(true);
    expect(ofKind(records, 'named')).toHaveLength(3);
  });

  it('a message whose parent is not in the list follows the one before it', async () => {
    const records = await read(
      conversation(
        'c',
        message('1', 'human', 'One'),
        message('2', 'assistant', 'Two', { parent_message_uuid: 'gone' }),
      ),
    );
    expect(ofKind(records, 'memory').map(({ body }) => body.content)).toEqual(['One', 'Two']);
  });

  it('parents in a circle end', async () => {
    const records = await read(
      conversation(
        'c',
        message('1', 'human', 'One', { parent_message_uuid: '2' }),
        message('2', 'assistant', 'Two', { parent_message_uuid: '1' }),
      ),
    );
    expect(ofKind(records, 'memory')).toHaveLength(2);
  });

  it('files that are sent without a word are the message, and files sent with one are its artifacts', async () => {
    const attachments = [{ file_name: 'log.txt', extracted_content: 'The log' }];
    const sent = { text: '', content: [], attachments };
    const records = await read(
      conversation('c', message('1', 'human', '', sent), message('2', 'human', 'And again', { attachments })),
    );
    expect(ofKind(records, 'memory').map(({ body }) => body.content)).toEqual(['The log', 'And again']);
    expect(ofKind(records, 'artifact')).toMatchObject([{ memory: 'claude:2', body: { content: 'The log' } }]);
  });

  it('an artifact has its last state, and a change of a text that it does not have is counted', async () => {
    const content = [
      use('create_file', { path: '/a/plan.md', file_text: 'one $& two' }),
      use('str_replace', { path: '/a/plan.md', old_str: 'two', new_str: '$& three' }),
      use('str_replace', { path: '/a/plan.md', old_str: 'missing', new_str: 'x' }),
    ];
    const records = await read(
      conversation(
        'c',
        message('1', 'assistant', '', { text: '', content }),
        message('2', 'assistant', 'Done'),
      ),
    );
    expect(ofKind(records, 'artifact')).toMatchObject([
      { memory: 'claude:2', body: { name: 'plan.md', content: 'one $& $& three' } },
    ]);
    expect(leftOutOf(records)).toEqual({ empty: 1, 'tool message': 3, 'change of an artifact': 1 });
  });

  it('paths of memory files that differ have names that differ', async () => {
    const files = ['/a-b.md', '/a/b.md', '/船.md', '/海.md'].map((path) => ({ path, content: path }));
    const records = await recordsOf(
      claude,
      inputOf({ 'memories.json': JSON.stringify([{ memory_files: files }]) }),
    );
    const names = ofKind(records, 'named').map(({ name }) => name);
    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^[a-z0-9][a-z0-9-]{0,62}[a-z0-9]$/);
  });

  it('a file of a zip that is broken costs itself, not the others', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'memoryd-test-'));
    try {
      const path = join(folder, 'export.zip');
      const zip = readFileSync('test/data/imports/claude/export.zip');
      zip.fill(0xff, zip.indexOf('conversations.json') + 200, zip.indexOf('conversations.json') + 240);
      writeFileSync(path, zip);
      const records = await withInputs([{ path, name: 'export.zip' }], async ([input]) => {
        expect(await claude.recognises(input)).toBe(true);
        return recordsOf(claude, input);
      });
      expect(ofKind(records, 'refused').map(({ at }) => at)).toContain('conversations.json');
      expect(ofKind(records, 'named')).toHaveLength(3);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('a member of any other type costs its element, never the others or the run', async () => {
    const folder = 'test/data/imports/claude/export';
    const [boat, , letter, , packing] = JSON.parse(readFileSync(`${folder}/conversations.json`, 'utf8'));
    for (const sample of [boat, letter, packing])
      for (const { place, variant } of [...brokenVariants(sample)].filter((_, i) => i % 7 === 0)) {
        const records = await read(variant, conversation('other', message('o', 'human', 'Other')));
        const others = ofKind(records, 'memory').filter((memory) => memory.conversation === 'claude:other');
        expect(others.length, place).toBe(1);
      }
    for (const name of ['projects.json', 'memories.json'])
      for (const { place, variant } of brokenVariants(
        JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')),
      )) {
        const conversations = JSON.stringify([conversation('other', message('o', 'human', 'Other'))]);
        const input = inputOf({ 'conversations.json': conversations, [name]: JSON.stringify(variant) });
        expect(ofKind(await recordsOf(claude, input), 'memory').length, place).toBe(1);
      }
  });
});
