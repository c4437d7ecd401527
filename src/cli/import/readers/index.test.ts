import { describe, expect, it } from 'vitest';
import { inputOf, leftOutOf, ofKind, recordsOf } from '../../../../test/support/import-records.ts';
import { withInputs } from '../input/open-inputs.ts';
import { readerOf } from './index.ts';
import { serverMemory } from './services/server-memory.ts';

describe('the table of readers', () => {
  it.each([
    ['chatgpt/export', 'chatgpt'],
    ['chatgpt/export.zip', 'chatgpt'],
    ['chatgpt/newer/conversations.json', 'chatgpt'],
    ['claude/export', 'claude'],
    ['claude/export/conversations.json', 'claude'],
    ['claude/newer', 'claude'],
    ['claude/newer/conversations-000.zip', 'claude'],
    ['claude-code', 'claude-code'],
    ['mem0/oss-get_all.json', 'mem0'],
    ['mem0/platform-page-1.json', 'mem0'],
    ['mem0/openmemory.zip', 'mem0'],
    ['mem0/mem0-export-band-2026-02-01.md', 'mem0'],
    ['server-memory/memory.jsonl', 'server-memory'],
    ['server-memory/read_graph.json', 'server-memory'],
    ['mcp-memory-service/export.json', 'mcp-memory-service'],
    ['mcp-memory-service/sqlite_vec.db', 'mcp-memory-service'],
    ['letta/harbour.af', 'letta'],
    ['letta/legacy.af', 'letta'],
    ['letta/passages.json', 'letta'],
    ['langgraph/items.json', 'langgraph'],
    ['langgraph/items.jsonl', 'langgraph'],
    ['hindsight/harbour.zip', 'hindsight'],
    ['pasted-list/memories.txt', 'list'],
    ['plain/messages.json', 'messages'],
    ['plain/conversations.jsonl', 'messages'],
    ['plain/notes.csv', 'csv'],
    ['plain/records.jsonl', 'jsonl'],
  ])('takes the sample %s for %s', async (path, format) => {
    const named = { path: `test/data/imports/${path}`, name: path };
    const reader = await withInputs([named], ([input]) => readerOf(input, undefined));
    expect(reader?.format).toBe(format);
  });

  it('a reader takes with --only the conversations of this name, and theirs', async () => {
    const entity = (name: string) =>
      JSON.stringify({ type: 'entity', name, entityType: 'x', observations: ['One'] });
    const input = inputOf({ 'memory.jsonl': `${entity('Ada')}\n${entity('Bob')}` });
    const records = await recordsOf(serverMemory, input, { only: new Set(['Bob']) });
    expect(ofKind(records, 'memory').map(({ body }) => body.content)).toEqual(['Bob: One']);
    expect(ofKind(records, 'fact').map(({ body }) => body.subject)).toEqual(['Bob']);
    expect(leftOutOf(records)).toEqual({ 'not --only': 2 });
  });
});
