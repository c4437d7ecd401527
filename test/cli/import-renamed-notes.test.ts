import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { client } from '../support/http-client.ts';
import { createUserKey, engines } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';
import { useServer } from '../support/use-server.ts';
import { importJson, snapshot } from './import-snapshot.ts';

describe.each(engines)('renamed notes on %s', (engine) => {
  const folder = newTempFolder('renamed');
  const server = useServer(engine);
  afterAll(() => folder.remove());

  it('a renamed file is the same note: nothing new, its path changes, and its links and facts stay', async () => {
    const http = client(server.url, await createUserKey(server.databaseUrl, 'notes'));
    const write = (path: string, text: string) => writeFileSync(join(folder.path, path), text);
    mkdirSync(join(folder.path, 'Boats'));
    write('Old name.md', '- [colour] red\n- part_of [[Harbour]]');
    write('Harbour.md', 'Twelve berths.');
    write('Log.md', '---\npermalink: log\n---\nSee [[Harbour]].');
    expect(await importJson(http, [folder.path])).toMatchObject({ imported: 3, refused: 0 });
    const before = await snapshot(http);
    renameSync(join(folder.path, 'Old name.md'), join(folder.path, 'Boats/New name.md'));
    write('Boats/Diary.md', '---\npermalink: log\n---\nSee [[Harbour]] and more.');
    renameSync(join(folder.path, 'Log.md'), join(folder.path, 'Log.txt'));
    expect(await importJson(http, [folder.path])).toMatchObject({
      imported: 0,
      changed: 2,
      refused: 0,
      skipped: 1,
    });
    const after = await snapshot(http);
    expect(after.memories.map(({ id }) => id)).toEqual(before.memories.map(({ id }) => id));
    expect(after.relationships.map(({ id }) => id)).toEqual(before.relationships.map(({ id }) => id));
    const facts = after.facts
      .map(({ subject, predicate, object }) => `${subject} ${predicate} ${object}`)
      .sort();
    // The note is called after its file: its facts are made again.
    expect(facts).toEqual(['New name colour red', 'New name part_of Harbour']);
  });
});
