import {
  existsSync,
  linkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newDatabase, sqlitePath, type TestDatabase } from '../../../../test/support/database.ts';
import { newUser, writeMemory } from '../../contract/store-fixture.ts';
import { wordIndexer } from '../../contract/word-indexer.ts';
import type { StorageEngine } from '../../engine.ts';
import { openSqliteEngine } from '../sqlite-engine.ts';
import { FileWatch } from './file-watch.ts';
import { StoreRefusedError } from './open-failure.ts';

const open = (path: string, exclusive = true) => openSqliteEngine({ path, indexer: wordIndexer, exclusive });

/** All of the file is looked at. */
const anyUser = { id: 1, publicId: 'any', name: 'any' };

describe('a store whose file is taken away', () => {
  let database: TestDatabase;
  let path: string;
  let engine: StorageEngine;
  beforeEach(async () => {
    database = await newDatabase('sqlite');
    path = sqlitePath(database.url);
    engine = await open(path);
    const stores = engine.forUser(await newUser(engine));
    for (let i = 0; i < 20; i++) await writeMemory(stores, { content: 'words '.repeat(1000) });
  });
  afterEach(() => database.drop());

  const writing = async () => writeMemory(engine.forUser(await newUser(engine)));
  const refused = (code: string) =>
    expect.objectContaining({ code: 'STORAGE_UNAVAILABLE', cause: expect.objectContaining({ code }) });
  const isRefusedAs = async (code: string) => {
    await expect(writing()).rejects.toEqual(refused(code));
    await expect(engine.ping()).rejects.toEqual(refused(code));
  };

  it('a store whose file is taken away refuses writes and is unhealthy, is not begun again, and works on where it is put back', async () => {
    renameSync(path, `${path}.away`);
    await isRefusedAs('STORE_FILE_REMOVED');
    await expect(open(path, false)).rejects.toThrow(StoreRefusedError);
    expect(existsSync(path)).toBe(false);
    renameSync(`${path}.away`, path);
    await expect(engine.ping()).resolves.toBeUndefined();
    await writing();
    await engine.close();
  });

  it('a store whose file was taken away is refused by the next start and by commands, until what is left of it is removed', async () => {
    await engine.close();
    rmSync(path);
    for (const exclusive of [true, false]) {
      await expect(open(path, exclusive)).rejects.toThrow(/There is no file .*, but there was a store/);
    }
    expect(existsSync(path)).toBe(false);
    rmSync(`${path}-serve`);
    engine = await open(path);
    await engine.close();
  });

  it('a store whose file is replaced by another refuses writes, and writes nothing of the old one into the other', async () => {
    const other = join(dirname(path), 'other.db');
    const another = await open(other);
    const user = await newUser(another, 'another');
    await another.close();
    renameSync(other, path);
    await isRefusedAs('STORE_FILE_REPLACED');
    await engine.close();
    engine = await open(path);
    expect(await engine.users.list()).toEqual([user]);
    await engine.close();
    expect(existsSync(`${path}-wal.of-replaced-file`)).toBe(true);
  });

  it.each([0, 0.5])(
    'a store whose file is cut to %d of its length refuses writes and reads no wrong state',
    async (part) => {
      // Moves the WAL into the file, from which the cut removes it.
      await engine.trash.scrub(anyUser);
      await engine.ping();
      truncateSync(path, Math.floor((statSync(path).size * part) / 4096) * 4096);
      await isRefusedAs('STORE_FILE_CUT');
      // Still refused, whatever SQLite writes into it now.
      await isRefusedAs('STORE_FILE_CUT');
      await engine.close().catch(() => undefined);
      await expect(open(path)).rejects.toThrow(StoreRefusedError);
    },
  );

  it('a store whose file is emptied while no service runs is refused and left as it is', async () => {
    await engine.close();
    truncateSync(path, 0);
    for (const exclusive of [true, false]) {
      await expect(open(path, exclusive)).rejects.toThrow('is empty, as no store ever is');
    }
    expect(statSync(path).size).toBe(0);
  });

  it('a store without its WAL refuses writes, and commands are not shown the store of some time ago', async () => {
    rmSync(`${path}-wal`);
    await isRefusedAs('STORE_FILE_REMOVED');
    await expect(open(path, false)).rejects.toThrow('Stop the service');
    const users = (await engine.users.list()).length;
    await engine.close();
    // Users in a successful response are in the file after the service has stopped.
    engine = await open(path);
    expect((await engine.users.list()).length).toBe(users);
    await engine.close();
  });

  it.each([
    ['a moment ago', 0],
    ['long ago', 3_600_000],
  ])('a WAL that goes is noticed in a folder that changed %s', async (_, later) => {
    const watch = new FileWatch(path, () => Date.now() + later);
    const looks = () => watch.look();
    for (let i = 0; i < 3; i++) expect(looks).not.toThrow();
    renameSync(`${path}-wal`, `${path}-wal.away`);
    for (let i = 0; i < 3; i++) expect(looks).toThrow(refused('STORE_FILE_REMOVED'));
    writeFileSync(`${path}-wal`, '');
    for (let i = 0; i < 3; i++) expect(looks).toThrow(refused('STORE_FILE_REPLACED'));
    renameSync(`${path}-wal.away`, `${path}-wal`);
    for (let i = 0; i < 3; i++) expect(looks).not.toThrow();
    await engine.close();
  });

  it('a store may be vacuumed, which makes its file shorter', async () => {
    await engine.trash.scrub(anyUser);
    await engine.ping();
    const before = statSync(path).size;
    const [user] = await engine.users.list();
    await engine.users.erase(user);
    const other = new SqliteConnection(path);
    other.exec('VACUUM');
    other.pragma('wal_checkpoint(TRUNCATE)');
    other.close();
    expect(statSync(path).size).toBeLessThan(before);
    await engine.ping();
    await writing();
    await engine.close();
  });
});

describe('a second service on the same file', () => {
  it('a second service on the same file is refused by a symbolic link, by another way to write the path and by a hard link', async () => {
    const database = await newDatabase('sqlite');
    const path = sqlitePath(database.url);
    const engine = await open(path);
    const [link, hard] = ['link.db', 'hard.db'].map((name) => join(dirname(path), name));
    symlinkSync(path, link);
    for (const name of [path, link, path.replace('/memoryd.db', '//./memoryd.db')]) {
      await expect(open(name), name).rejects.toThrow('Another `memoryd serve`');
    }
    linkSync(path, hard);
    for (const name of [hard, path]) await expect(open(name, false)).rejects.toThrow('2 names');
    await expect(open(hard)).rejects.toThrow('2 names');
    expect(existsSync(`${hard}-wal`)).toBe(false);
    rmSync(hard);
    await engine.close();
    const again = await open(link);
    expect((statSync(`${path}-serve`).mode & 0o777).toString(8)).toBe('600');
    expect(existsSync(`${link}-serve`)).toBe(false);
    await again.close();
    rmSync(path);
    await expect(open(link)).rejects.toThrow('symbolic link to a file that is not there');
    await database.drop();
  });
});

describe('a store that is made', () => {
  it('a store that is made takes over what a process that was killed left of another try', async () => {
    const database = await newDatabase('sqlite');
    const path = sqlitePath(database.url);
    writeFileSync(`${path}.creating`, 'half of a page');
    const engine = await open(path);
    expect(await engine.users.list()).toEqual([]);
    expect(existsSync(`${path}.creating`)).toBe(false);
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
    await engine.close();
    await database.drop();
  });
});
