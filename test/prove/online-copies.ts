import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newDatabase, sqlitePath, type TestDatabase } from '../support/database.ts';
import { readRows } from '../support/run-statement.ts';
import { runMemoryd } from '../support/server.ts';
import { demand } from './proof.ts';
import { checkSqliteFile } from './sqlite-file.ts';

/** Copies of a store, made one after the other while it is written to. */
export interface OnlineCopies {
  /** Ends with the copy at hand, checks it, and says how many were made. Throws where one failed. */
  finish(): Promise<number>;
}

/**
 * SQLite: the file is copied by a process of its own, with SQLite's own online backup. PostgreSQL: `memoryd backup`.
 * @param acknowledged memories answered by now
 */
export function startCopies(
  database: TestDatabase,
  folder: string,
  acknowledged: () => number,
): OnlineCopies {
  return database.engine === 'sqlite'
    ? copiesOfFile(sqlitePath(database.url), join(folder, 'copy.db'))
    : copiesOfDatabase(database.url, folder, acknowledged);
}

function copiesOfFile(source: string, target: string): OnlineCopies {
  const script = fileURLToPath(new URL('./online-copy.ts', import.meta.url));
  const repository = fileURLToPath(new URL('../../', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, source, target], {
    cwd: repository,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  let failures = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    failures += chunk.toString();
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    async finish() {
      child.stdin.end();
      const code = await exited;
      demand(code === 0, `the copy failed with ${code}`, failures);
      checkSqliteFile(target);
      return printed.trim().split('\n').length;
    },
  };
}

function copiesOfDatabase(url: string, folder: string, acknowledged: () => number): OnlineCopies {
  const file = join(folder, 'copy');
  let isEnding = false;
  const copy = async () => {
    for (let copies = 1; ; copies += 1) {
      const least = acknowledged();
      rmSync(file, { force: true });
      const made = await runMemoryd(url, ['backup', file]);
      demand(made.code === 0, `the copy failed with ${made.code}`, made.stderr);
      if (isEnding) return { copies, least };
    }
  };
  // Kept as a value until `finish` asks: a rejection that nobody awaits yet would end the process.
  const quiesced = copy().catch((error: unknown) => ({ error }));
  return {
    async finish() {
      isEnding = true;
      const done = await quiesced;
      if ('error' in done) throw done.error;
      await checkRestored(file, done.least);
      return done.copies;
    },
  };
}

/** A database of its own takes the file, and holds what was acknowledged before it was begun. */
async function checkRestored(file: string, least: number): Promise<void> {
  const restored = await newDatabase('postgres');
  try {
    for (const command of [['restore', file], ['check']]) {
      const { code, stderr } = await runMemoryd(restored.url, command);
      demand(code === 0, `${command[0]} of the copy failed with ${code}`, stderr);
    }
    const [{ memories }] = await readRows(restored, 'SELECT count(*) AS memories FROM memories');
    demand(Number(memories) >= least, `the copy holds ${memories} of ${least} memories`);
  } finally {
    await restored.drop();
  }
}
