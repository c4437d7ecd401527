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
import { mem0 } from './mem0.ts';

const memoriesOf = async (path: string) => {
  const { isRecognised, records } = await readSample(mem0, `mem0/${path}`);
  expect(isRecognised).toBe(true);
  return { records, memories: ofKind(records, 'memory') };
};
const bodyOf = (memories: Awaited<ReturnType<typeof memoriesOf>>['memories'], text: string) =>
  memories.find(({ body }) => String(body.content).startsWith(text));

describe('an export of mem0', () => {
  it('the result of get_all has its memories, with the day after which one expires', async () => {
    const { records, memories } = await memoriesOf('oss-get_all.json');
    expect(memories).toHaveLength(10);
    expect(leftOutOf(records)).toEqual({ empty: 2, duplicate: 1 });
    expect(ofKind(records, 'refused')).toHaveLength(1);
    expect(bodyOf(memories, 'Prefers the aisle')).toMatchObject({
      conversation: 'mem0:run:trip-oslo',
      body: { role: 'user' },
    });
    expect(bodyOf(memories, 'Parking permit')?.body.validTo).toBe('2026-01-01T00:00:00.000Z');
    expect(bodyOf(memories, 'Allergic')?.body.createdAt).toBe('2025-09-14T15:12:44.120Z');
    expect(bodyOf(memories, 'Plays the tenor')?.body.metadata).toMatchObject({
      mem0Source: { app: 'band-bot' },
    });
  });

  it('pages of the platform have topics, what replaces a memory, and a note of their users', async () => {
    const { records, memories } = await memoriesOf('platform-page-1.json');
    expect(bodyOf(memories, 'Likes cardamom')?.body.topics).toEqual(['food', 'preferences']);
    expect(ofKind(records, 'relationship')).toMatchObject([
      {
        from: 'mem0:91a8156c-e675-42d3-88a1-e29d22ddb7f2',
        to: 'mem0:e014a85d-0924-4ba7-8d0e-696825f7a417',
        type: 'SUPERSEDES',
      },
    ]);
    const page2 = await memoriesOf('platform-page-2.json');
    expect(ofKind(page2.records, 'noted').map(({ reason }) => reason)).toEqual([
      'it has memories of 2 users: oskar, sigrid; --only takes those of one',
    ]);
  });

  it('--only takes one user', async () => {
    const page = readFileSync('test/data/imports/mem0/platform-page-2.json', 'utf8');
    const records = await recordsOf(mem0, inputOf({ 'page.json': page }), { only: new Set(['sigrid']) });
    expect(ofKind(records, 'memory').map(({ body }) => body.content)).toEqual([
      'Berths get cold: bring wool',
    ]);
    expect(leftOutOf(records)).toEqual({ 'another user': 1 });
  });

  it('a zip of OpenMemory has the names of categories, and ends archived memories', async () => {
    const { records, memories } = await memoriesOf('openmemory.zip');
    expect(memories).toHaveLength(4);
    expect(bodyOf(memories, 'The stove')?.body.topics).toEqual(['home']);
    expect(bodyOf(memories, 'OLD-LANDLORD')?.body.validTo).toBe('2026-01-01T00:00:00.000Z');
    expect(JSON.stringify(records)).not.toMatch(/DELETED-RECORD|ACCOUNT-NAME/);
    expect(leftOutOf(records)).toEqual({ deleted: 1 });
  });

  it('the lines of OpenMemory alone are enough', async () => {
    const line = {
      id: '1',
      content: 'A text',
      state: 'active',
      app: 'a',
      categories: ['home'],
      created_at: '2026-01-01T00:00:00Z',
    };
    const input = inputOf({ 'memories.jsonl': `${JSON.stringify(line)}\n` });
    expect(await mem0.recognises(input)).toBe(true);
    expect(ofKind(await recordsOf(mem0, input), 'memory')).toMatchObject([
      { body: { externalId: 'mem0:1', topics: ['home'] } },
    ]);
  });

  it('Markdown of the plugin has a memory for each head', async () => {
    const { memories } = await memoriesOf('mem0-export-band-2026-02-01.md');
    expect(memories.map(({ body }) => body.content)).toEqual([
      'Tests of the scheduler need a frozen clock.',
      'Release notes are written in Norwegian: nynorsk, not bokmål.',
    ]);
    expect(memories[0].body.topics).toEqual(['coding_conventions', 'testing']);
  });

  it('a rule within a text of Markdown is part of the text', async () => {
    const text =
      '---\nid: 1\ncreated_at: 2026-01-01\n---\nOne\n\n---\n\nTwo\n\n---\nid: 2\ncreated_at:\n---\nThree\n';
    const records = await recordsOf(mem0, inputOf({ 'export.md': text }));
    expect(ofKind(records, 'memory').map(({ body }) => body.content)).toEqual(['One\n\n---\n\nTwo', 'Three']);
  });

  it('a member of any other type costs its record, never the others or the run', async () => {
    const page = JSON.parse(readFileSync('test/data/imports/mem0/platform-page-1.json', 'utf8'));
    const other = { id: 'other', memory: 'Other', user_id: 'oskar' };
    for (const { place, variant } of brokenVariants(page.results[0])) {
      const input = inputOf({ 'page.json': JSON.stringify({ results: [variant, other] }) });
      const records = await recordsOf(mem0, input);
      expect(
        ofKind(records, 'memory').filter(({ body }) => body.externalId === 'mem0:other').length,
        place,
      ).toBe(1);
    }
  });
});
