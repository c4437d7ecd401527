import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { poll } from '../support/poll.ts';
import { newDatabase, type Server, startServer, type TestDatabase } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

const main = pathToFileURL(fileURLToPath(new URL('../../dist/main.js', import.meta.url)));
const roomMin = 300;

/** The service, which prints on SIGUSR2 for how many further first members of a `{}` V8 will keep a hidden class. */
const counting = `
import { setFlagsFromString } from 'node:v8';
setFlagsFromString('--allow-natives-syntax');
const isSame = new Function('one', 'other', 'return %HaveSameMap(one, other)');
const withMember = (name) => {
  const made = {};
  made[name] = 1;
  return made;
};
process.on('SIGUSR2', () => {
  let room = 0;
  while (room < ${roomMin} && isSame(withMember('counted ' + room), withMember('counted ' + room))) room++;
  process.stdout.write('room for ' + room + '\\n');
});
await import(${JSON.stringify(main.href)});
`;

describe('hidden classes of objects in a service', () => {
  const folder = newTempFolder('first-members');
  let database: TestDatabase;
  let server: Server;

  beforeAll(async () => {
    const path = join(folder.path, 'main.mjs');
    writeFileSync(path, counting);
    database = await newDatabase('sqlite');
    server = await startServer({ databaseUrl: database.url, main: path });
  });

  afterAll(async () => {
    await server.stop();
    await database.drop();
    folder.remove();
  });

  it('a service that answered requests has room for further first members: else headers would be slow', async () => {
    const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
    const send = (body: object, path = '/api/memories') =>
      fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    for (let i = 0; i < 20; i++)
      expect((await send({ content: `The harbour opens at ${i}.`, conversationId: 'NEW' })).status).toBe(201);
    expect((await send({ query: 'when does the harbour open' }, '/api/memories/search')).status).toBe(200);
    process.kill(server.pid, 'SIGUSR2');
    const printed = await poll(
      'the service prints',
      async () => /^room for (\d+)$/m.exec(server.output())?.[1],
    );
    expect(Number(printed)).toBe(roomMin);
  });
});
