import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newTempFolder } from './temp-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A migration of a version to come. */
interface NextMigration {
  readonly name: string;
  readonly needs?: number;
  readonly statements: readonly string[];
}

/**
 * A build of a version to come: this one with more migrations, whose ids follow the present ones.
 * @returns what `startServer` takes as `main`
 */
export function nextBuild(migrations: readonly NextMigration[]): { main: string; remove(): void } {
  const folder = newTempFolder('next');
  const dist = join(folder.path, 'dist');
  cpSync(join(root, 'dist'), dist, { recursive: true, filter: (path) => !path.endsWith('.map') });
  for (const name of ['package.json', 'models', 'node_modules'])
    symlinkSync(join(root, name), join(folder.path, name));
  const main = join(dist, 'main.js');
  // The bundle has the migrations in it as well; the program runs without it.
  change(main, './bundle/program.js', './cli/program.js');
  const more = migrations.map(
    ({ name, needs, statements }, i) =>
      `{ id: ${i + 2}, name: ${JSON.stringify(name)}, needs: ${needs}, run: statements(${JSON.stringify(statements)}) },\n];`,
  );
  for (const entry of more) change(join(dist, 'storage/sql/core/migrations/all.js'), '];', entry);
  return { main, remove: () => folder.remove() };
}

function change(path: string, from: string, to: string): void {
  const text = readFileSync(path, 'utf8');
  const at = text.lastIndexOf(from);
  if (at < 0) throw new Error(`${path} has no ${from}`);
  writeFileSync(path, text.slice(0, at) + to + text.slice(at + from.length));
}
