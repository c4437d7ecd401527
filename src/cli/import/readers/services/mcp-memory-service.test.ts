import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  brokenVariants,
  inputOf,
  leftOutOf,
  ofKind,
  readSample,
  recordsOf,
} from '../../../../../test/support/import-records.ts';
import { withInputs } from '../../input/open-inputs.ts';
import { mcpMemoryService } from './mcp-memory-service.ts';

const folder = 'test/data/imports/mcp-memory-service';
let made: string;
beforeAll(() => {
  made = mkdtempSync(join(tmpdir(), 'memoryd-test-'));
});
afterAll(() => rmSync(made, { recursive: true, force: true }));

const readFile = (path: string) =>
  withInputs([{ path, name: path }], async ([input]) => ({
    isRecognised: await mcpMemoryService.recognises(input),
    records: await recordsOf(mcpMemoryService, input),
  }));

describe('mcp-memory-service', () => {
  it('an export has its memories with their topics, times and conversation', async () => {
    const { isRecognised, records } = await readSample(mcpMemoryService, 'mcp-memory-service/export.json');
    const memories = ofKind(records, 'memory');
    const of = (text: string) => memories.find(({ body }) => String(body.content).startsWith(text));
    expect(isRecognised).toBe(true);
    expect(memories).toHaveLength(10);
    expect(of('Port 8443')?.body).toMatchObject({
      createdAt: '2025-12-25T22:00:00.250Z',
      topics: ['proj:ferry', 'network'],
      metadata: { quality_score: 0.8, memory_type: 'learning' },
    });
    expect(of('Timeout of the card')?.body.topics).toBeUndefined();
    expect(of('No hash at all')?.body.topics).toEqual(['a', 'b']);
    expect(of('Created at is a text')?.body.createdAt).toBe('2025-12-26T10:00:00.000Z');
    expect(of('Restarting')?.conversation).toBe('mcp-memory-service:conversation:till-1');
    expect(leftOutOf(records)).toEqual({ duplicate: 1, empty: 1 });
  });

  it('a database has the same memories, and relationships', async () => {
    const { isRecognised, records } = await readSample(mcpMemoryService, 'mcp-memory-service/sqlite_vec.db');
    expect(isRecognised).toBe(true);
    expect(ofKind(records, 'memory')).toHaveLength(9);
    expect(ofKind(records, 'relationship').map(({ type, reason }) => [type, reason])).toEqual([
      ['SUPERSEDES', undefined],
      ['FOLLOWS', undefined],
      ['RESOLVES', undefined],
      ['REFERENCES', 'related'],
    ]);
    expect(JSON.stringify(records)).not.toContain('DELETED-IN-DATABASE');
    expect(leftOutOf(records)).toEqual({ deleted: 1, 'contradiction of a superseded memory': 1 });
    expect(readdirSync(folder).sort()).toEqual(['expected.json', 'export.json', 'newer', 'sqlite_vec.db']);
  });

  it('a database that another process writes in WAL mode is read with its log, and nothing is written next to it', async () => {
    const path = join(made, 'wal.db');
    const writer = new Database(path);
    writer.pragma('journal_mode = WAL');
    writer.exec('CREATE TABLE memories(content_hash TEXT, content TEXT)');
    writer.prepare('INSERT INTO memories VALUES (?, ?)').run('h', 'In the log');
    const before = readdirSync(made).sort();
    const { isRecognised, records } = await readFile(path);
    expect(isRecognised).toBe(true);
    expect(ofKind(records, 'memory')).toMatchObject([{ body: { content: 'In the log' } }]);
    expect(readdirSync(made).sort()).toEqual(before);
    writer.close();
  });

  it('a database that is cut off is refused in one sentence', async () => {
    const path = join(made, 'cut.db');
    copyFileSync(`${folder}/sqlite_vec.db`, path);
    truncateSync(path, 5000);
    const records = await withInputs([{ path, name: path }], ([input]) => recordsOf(mcpMemoryService, input));
    expect(ofKind(records, 'refused').length).toBe(1);
  });

  it('a member of any other type costs its record, never the others or the run', async () => {
    const [first] = JSON.parse(readFileSync(`${folder}/export.json`, 'utf8')).memories;
    const other = { content: 'Other', content_hash: 'other' };
    for (const { place, variant } of brokenVariants(first)) {
      const text = JSON.stringify({ export_metadata: {}, memories: [variant, other] });
      const records = await recordsOf(mcpMemoryService, inputOf({ 'export.json': text }));
      expect(
        ofKind(records, 'memory').map(({ body }) => body.content),
        place,
      ).toContain('Other');
    }
  });
});
