import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { smallDiskIfAllowed } from '../../../test/support/small-disk.ts';
import { newTempFolder } from '../../../test/support/temp-folder.ts';
import { newUser, writeMemory } from '../contract/store-fixture.ts';
import { wordIndexer } from '../contract/word-indexer.ts';
import type { StorageEngine } from '../engine.ts';
import { backupSqlite, restoreSqlite } from './file/backup.ts';
import { openSqliteEngine } from './sqlite-engine.ts';

const disk = smallDiskIfAllowed('24m');
const open = (path: string) => openSqliteEngine({ path, indexer: wordIndexer, exclusive: true });
const noPages = () => undefined;
const long = (word: string) => `${word} `.repeat(1500);

async function fillStore(engine: StorageEngine, count: number): Promise<void> {
  const stores = engine.forUser(await newUser(engine));
  for (let i = 0; i < count; i++) await writeMemory(stores, { content: long(`word${i}`) });
}

/** All of the file is looked at. */
const anyUser = { id: 1, publicId: 'any', name: 'any' };

describe.skipIf(!disk)('an SQLite store on a full disk (needs a tmpfs)', () => {
  if (!disk) return;
  const path = join(disk.path, 'm.db');
  const copies = newTempFolder('copies');
  afterEach(() => {
    for (const name of readdirSync(disk.path)) disk.removeFile(name);
  });
  afterAll(() => {
    disk.remove();
    copies.remove();
  });

  it('a store on a full disk answers 503 where deleted text cannot be taken out of the log, and succeeds once there is room', async () => {
    const engine = await open(path);
    await fillStore(engine, 100);
    disk.fill();
    await expect(engine.trash.scrub(anyUser)).rejects.toMatchObject({
      status: 503,
      code: 'STORAGE_FULL',
      message: expect.stringContaining('The text is deleted'),
    });
    disk.free();
    await expect(engine.trash.scrub(anyUser)).resolves.toBeUndefined();
    await engine.close();
  });

  it('a store on a full disk is not opened, with a message that says that the disk is full, and is opened once there is room', async () => {
    const engine = await open(path);
    await fillStore(engine, 10);
    await engine.close();
    disk.fill();
    await expect(open(path)).rejects.toThrow(/^The disk of .* is full: .*left as it is/);
    disk.free();
    const again = await open(path);
    expect((await again.users.list()).length).toBe(1);
    await again.close();
  });

  it('a store on a full disk is not made, and leaves nothing that the next start takes for a lost store', async () => {
    disk.fill();
    await expect(open(path)).rejects.toThrow(/^The disk of .* is full/);
    disk.free();
    expect(readdirSync(disk.path)).toEqual([]);
    await (await open(path)).close();
  });

  it('a store on a full disk is left as it was by a restore, which says that the disk is full', async () => {
    const copy = join(copies.path, `${randomUUID()}.bak`);
    const engine = await open(path);
    await fillStore(engine, 150);
    await backupSqlite(path, copy, noPages);
    await engine.close();
    disk.fill();
    expect(() => restoreSqlite(path, copy, { replace: true })).toThrow(/^The disk of .* is full/);
    disk.free();
    expect(readdirSync(disk.path).filter((name) => name.includes('restoring'))).toEqual([]);
    const again = await open(path);
    expect((await again.users.list()).length).toBe(1);
    await again.close();
    restoreSqlite(path, copy, { replace: true });
    expect(existsSync(`${path}.restoring`)).toBe(false);
  });

  it('a store on a full disk is not copied onto itself, with a message that says that the disk is full and nothing left of the copy', async () => {
    const engine = await open(path);
    await fillStore(engine, 100);
    disk.fill(64 * 1024);
    const target = join(disk.path, 'copy.bak');
    await expect(backupSqlite(path, target, noPages)).rejects.toThrow(/^The disk of .* is full/);
    disk.free();
    expect(readdirSync(disk.path).filter((name) => name.includes('copy'))).toEqual([]);
    await engine.close();
  });

  it('a backup is restored from where nothing can be written, and nothing is left next to it', async () => {
    const engine = await open(path);
    await fillStore(engine, 5);
    const backup = join(disk.path, 'm.bak');
    await backupSqlite(path, backup, noPages);
    const names = readdirSync(disk.path).filter((name) => name.startsWith('m.bak'));
    expect(names).toEqual(['m.bak']);
    await engine.close();
    // Earlier versions left this file next to a backup that they had read.
    writeFileSync(`${backup}-wal`, '');
    const restored = join(copies.path, `${randomUUID()}.db`);
    disk.makeReadOnly(true);
    try {
      restoreSqlite(restored, backup, { replace: false });
    } finally {
      disk.makeReadOnly(false);
    }
    expect(readdirSync(disk.path).filter((name) => name.startsWith('m.bak'))).toEqual(['m.bak', 'm.bak-wal']);
    expect(readdirSync(copies.path).filter((name) => name.includes('restoring'))).toEqual([]);
    const again = await open(restored);
    const [user] = await again.users.list();
    expect(await again.forUser(user).memories.count()).toBe(5);
    await again.close();
  });

  it('a backup that can not be written is refused with the name of the setting', async () => {
    const engine = await open(path);
    await engine.close();
    disk.makeReadOnly(true);
    try {
      for (const file of [path, join(disk.path, 'other', 'm.db')])
        await expect(open(file)).rejects.toThrow('MEMORYD_DATABASE_URL');
    } finally {
      disk.makeReadOnly(false);
    }
    await expect(open('/dev/null/folder/m.db')).rejects.toThrow('MEMORYD_DATABASE_URL');
  });
});
