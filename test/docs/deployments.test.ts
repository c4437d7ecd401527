import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { client } from '../support/http-client.ts';
import { engines, newDatabase, startServer } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

const run = promisify(execFile);
const read = (path: string) => readFileSync(path, 'utf8');

/** What each `COPY` of the Dockerfile takes from the build context. */
function copiedIntoImage(): string[] {
  const copies = read('deploy/Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm);
  return [...copies].flatMap(([, sources]) => sources.split(' '));
}

/** The exceptions of an ignore file that leaves out everything else. */
function keptInContext(): string[] {
  const [everything, ...lines] = read('deploy/Dockerfile.dockerignore').trim().split('\n');
  expect(everything).toBe('*');
  return lines.map((line) => line.replace(/^!/, ''));
}

describe('the image', () => {
  it('the image is built from files that its ignore file lets pass', () => {
    const kept = keptInContext();
    const lost = copiedIntoImage().filter(
      (path) => !kept.some((name) => path === name || path.startsWith(`${name}/`)),
    );
    expect(lost).toEqual([]);
  });

  it('the image has all that its build needs', async () => {
    const context = newTempFolder('image');
    for (const path of copiedIntoImage()) cpSync(path, join(context.path, path), { recursive: true });
    symlinkSync(join(process.cwd(), 'node_modules'), join(context.path, 'node_modules'));
    await run('npm', ['run', 'build', '--silent'], { cwd: context.path });
    const { stdout } = await run(process.execPath, ['dist/main.js', '--help'], { cwd: context.path });
    expect(stdout).toContain('serve');
    context.remove();
  }, 180_000);
});

describe.each(engines)('a server set up as the guide for systemd says, on %s', (engine) => {
  it('a server set up as the guide for systemd says stores and finds a memory from the folder that was copied', async () => {
    const [, copied] = /cp -r (.+) \/opt\/memoryd\//.exec(read('docs/deploy.md')) ?? [];
    const folder = newTempFolder('opt');
    const home = newTempFolder('var-lib');
    for (const name of copied.split(' ')) {
      // Packages are many and the same: a link does for them.
      if (name === 'node_modules') symlinkSync(join(process.cwd(), name), join(folder.path, name));
      else cpSync(name, join(folder.path, name), { recursive: true });
    }
    mkdirSync(join(home.path, 'data'));
    const database = await newDatabase(engine);
    const server = await startServer({
      databaseUrl: database.url,
      dataDir: home.path,
      main: join(folder.path, 'dist/main.js'),
    });
    const http = client(server.url, server.key);
    const content = 'Ana prefers the window seat on night trains';
    expect((await http.post('/api/memories', { content })).status).toBe(201);
    const found = await http.get<{ data: { content: string }[] }>(
      '/api/memories/search?q=which+seat+does+ana+like',
    );
    expect(found.body.data.map((hit) => hit.content)).toEqual([content]);
    expect(await server.stop()).toBe(0);
    for (const made of [database.drop, folder.remove, home.remove]) await made();
  });
});
