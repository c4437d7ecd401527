import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  brokenVariants,
  inputOf,
  leftOutOf,
  ofKind,
  readSample,
  recordsOf,
} from '../../../../../test/support/import-records.ts';
import { chatgpt } from './chatgpt.ts';

const node = (id: string, parent: string | null, message: unknown, children: string[] = []) => ({
  id,
  parent,
  children,
  message,
});
const message = (id: string, role: string, text: string, more: object = {}) => ({
  id,
  author: { role },
  create_time: 1770746568.25,
  content: { content_type: 'text', parts: [text] },
  recipient: 'all',
  ...more,
});
const chat = (more: object = {}) => ({
  title: 'Chat',
  conversation_id: 'c1',
  create_time: 1770746500,
  update_time: 1770746600,
  current_node: 'b',
  mapping: {
    a: node('a', null, message('a', 'user', 'A question'), ['b']),
    b: node('b', 'a', message('b', 'assistant', 'A reply')),
  },
  ...more,
});
const read = (...chats: unknown[]) =>
  recordsOf(chatgpt, inputOf({ 'conversations.json': JSON.stringify(chats) }));
const textsOf = async (...chats: unknown[]) =>
  ofKind(await read(...chats), 'memory').map(({ body }) => body.content);

describe('an export of ChatGPT', () => {
  it.each(['chatgpt/export', 'chatgpt/export.zip'])(
    '%s has its conversations, saved memories and instructions',
    async (path) => {
      const { isRecognised, records } = await readSample(chatgpt, path);
      const memories = ofKind(records, 'memory');
      expect(isRecognised).toBe(true);
      expect(memories.filter(({ conversation }) => conversation !== 'chatgpt:memory')).toHaveLength(18);
      expect(memories.filter(({ conversation }) => conversation === 'chatgpt:memory')).toHaveLength(4);
      expect(ofKind(records, 'conversation')).toHaveLength(8);
      expect(ofKind(records, 'named').map(({ name }) => name)).toEqual([
        'chatgpt-about-me',
        'chatgpt-instructions',
      ]);
      expect(ofKind(records, 'refused')).toHaveLength(2);
      expect(leftOutOf(records)).toMatchObject({ 'other branch': 2, empty: 2, duplicate: 2 });
      expect(JSON.stringify(records)).not.toMatch(
        /Brandywine|gallons|SECRET|48391-|\ue200|†|HTML-COPY|FEEDBACK|SETTINGS|@example/,
      );
    },
  );

  it('a newer export ends the saved memory that its list no longer has', async () => {
    const { records } = await readSample(chatgpt, 'chatgpt/newer/conversations.json');
    const ended = ofKind(records, 'memory').filter(({ body }) => body.validTo !== undefined);
    expect(ended.map(({ body }) => [body.content, body.validTo])).toContainEqual([
      'Lives in Turku with two cats.',
      '2026-03-21T17:00:37.250Z',
    ]);
  });

  it('a conversation without a current node is read from its newest leaf, and one without parents by its children', async () => {
    const { a, b } = chat().mapping;
    expect(await textsOf(chat({ current_node: undefined }))).toEqual(['A question', 'A reply']);
    expect(
      await textsOf(chat({ current_node: 'gone', mapping: { a, b: { ...b, parent: undefined } } })),
    ).toEqual(['A question', 'A reply']);
  });

  it('parents in a circle end', async () => {
    const { a, b } = chat().mapping;
    expect(await textsOf(chat({ mapping: { a: { ...a, parent: 'b' }, b } }))).toEqual([
      'A question',
      'A reply',
    ]);
    expect(await textsOf(chat({ mapping: { a: { ...a, parent: 'a' }, b } }))).toEqual([
      'A question',
      'A reply',
    ]);
  });

  it('messages of tools, the system and unknown types are left out by their reason', async () => {
    const line = [
      message('1', 'system', 'x'),
      message('2', 'tool', 'x'),
      message('3', 'assistant', 'x', { recipient: 'python' }),
      message('4', 'assistant', 'x', { content: { content_type: 'of_next_year', parts: ['x'] } }),
      message('5', 'critic', 'x'),
      message('6', 'user', 'x', { metadata: { is_visually_hidden_from_conversation: true } }),
      message('7', 'user', 'A question'),
    ];
    const mapping = Object.fromEntries(line.map((m, i) => [m.id, node(m.id, i === 0 ? null : String(i), m)]));
    const records = await read(chat({ mapping, current_node: '7' }));
    expect(ofKind(records, 'memory').map(({ body }) => body.content)).toEqual(['A question']);
    expect(leftOutOf(records)).toEqual({
      'system message': 1,
      'tool message': 2,
      'unknown content type': 1,
      'unknown role': 1,
      'hidden message': 1,
    });
  });

  it('the newest of several custom instructions counts, since the time when it took the place of another', async () => {
    const custom = (id: string, time: number, text: string) => ({
      ...chat({ conversation_id: id, create_time: time, update_time: time }),
      current_node: 'u',
      mapping: {
        u: node('u', null, {
          id: `${id}-u`,
          author: { role: 'user' },
          create_time: null,
          content: { content_type: 'user_editable_context', user_profile: text },
        }),
      },
    });
    const records = await read(
      custom('3', 1770000300, 'new'),
      custom('1', 1770000100, 'old'),
      custom('2', 1770000200, 'new'),
    );
    expect(ofKind(records, 'named')).toMatchObject([
      { name: 'chatgpt-about-me', body: { content: 'new', createdAt: '2026-02-02T02:43:20.000Z' } },
    ]);
  });

  it('a member of any other type costs its element, never the others or the run', async () => {
    const sample = JSON.parse(
      readFileSync('test/data/imports/chatgpt/export/conversations-000.json', 'utf8'),
    )[2];
    const variants = [
      ...brokenVariants(chat()),
      ...[...brokenVariants(sample)].filter((_, i) => i % 5 === 0),
    ];
    for (const { place, variant } of variants) {
      const records = await read(variant, chat({ conversation_id: 'other' }));
      const memories = ofKind(records, 'memory');
      expect(memories.filter(({ conversation }) => conversation === 'chatgpt:other').length, place).toBe(2);
      for (const { body } of memories) expect(typeof body.content, place).toBe('string');
    }
  });

  it('a file that breaks off gives what was there before', async () => {
    const text = JSON.stringify([chat(), chat({ conversation_id: 'c2' })]);
    const records = await recordsOf(chatgpt, inputOf({ 'conversations.json': text.slice(0, -40) }));
    expect(ofKind(records, 'memory')).toHaveLength(2);
    expect(ofKind(records, 'refused')).toMatchObject([{ reason: 'the file breaks off here' }]);
  });
});
