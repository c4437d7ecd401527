import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Client } from '../support/http-client.ts';

const mainPath = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export interface ImportEnd {
  /** Null when a signal ended it. */
  readonly code: number | null;
  /** The lines of standard output, without those on other kinds and times. */
  readonly out: readonly string[];
  readonly details: readonly string[];
  /** The lines of standard error, without the notes on layouts and on how to take the import back. */
  readonly err: readonly string[];
  readonly notes: readonly string[];
}

export interface ImportProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<ImportEnd>;
}

export interface ImportSettings {
  readonly cwd: string;
  readonly env?: Record<string, string>;
}

/** Starts `memoryd import` with none of our own settings, in a folder without a `.env`. */
export function spawnImport(args: readonly string[], { cwd, env = {} }: ImportSettings): ImportProcess {
  const child = spawn(process.execPath, [mainPath, 'import', ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (data: Buffer) => (out += data));
  child.stderr.on('data', (data: Buffer) => (err += data));
  const ended = new Promise<ImportEnd>((resolve) =>
    child.once('close', (code) => {
      const all = toLines(err);
      const lines = toLines(out);
      const details = lines.filter((line) => isDetail.test(line));
      const notes = all.filter((line) => isNote.test(line));
      resolve({
        code,
        out: lines.filter((line) => !isDetail.test(line)),
        details,
        err: all.filter((line) => !isNote.test(line)),
        notes,
      });
    }),
  );
  return { child, ended };
}

const isDetail = /^(conversations|named memories|facts|artifacts|relationships|left out|times): /;
const isNote = /: (JSON Lines of memories|an archive of GET \S+)$|takes it back\.$/;

function toLines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** `memoryd import FILE` as the owner of the client's key, until it ends. */
export function runImport(http: Client, file: string, args: readonly string[] = []): Promise<ImportEnd> {
  return startImport(http, file, args).ended;
}

export function startImport(http: Client, file: string, args: readonly string[] = []): ImportProcess {
  return spawnImport([file, '--url', http.url, '--key', http.key ?? '', ...args], { cwd: '/' });
}

export interface Stored {
  readonly id: string;
  readonly content: string;
  readonly conversationId: string;
  readonly eventTime?: string;
  readonly topics: readonly string[];
  readonly role?: string;
}

/** Every memory of the client's user. */
export async function listAll(http: Client): Promise<Stored[]> {
  const all: Stored[] = [];
  for (;;) {
    const { body } = await http.get<{ data: Stored[] }>(
      `/api/memories?limit=100&order=asc&offset=${all.length}`,
    );
    all.push(...body.data);
    if (body.data.length === 0) return all;
  }
}

/** Contents in the order of their conversation, by its title. */
export async function listByTitle(http: Client): Promise<Record<string, string[]>> {
  type Titled = { id: string; title: string };
  const conversations = await http.get<{ data: Titled[] }>('/api/conversations?limit=100');
  const byTitle: Record<string, string[]> = {};
  for (const { id, title } of conversations.body.data) {
    const timeline = await http.get<{ data: Stored[] }>(`/api/conversations/${id}/timeline`);
    if (byTitle[title]) throw new Error(`two conversations have the title ${title}`);
    byTitle[title] = timeline.body.data.map(({ content }) => content);
  }
  return byTitle;
}
