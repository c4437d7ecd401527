import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Server } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

const mainPath = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What standard input has; without it, it is empty. */
  readonly input?: string | Buffer;
  readonly cwd?: string;
}

/** Times are shown in this zone, whatever that of the machine is: UTC+9 all year. */
const timeZone = 'Asia/Tokyo';

/** Runs a program with none of our own settings, in a folder without a `.env`. */
export function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const folder = newTempFolder('cli');
  const child = spawn(file, args, {
    cwd: options.cwd ?? folder.path,
    env: { PATH: process.env.PATH, TZ: timeZone, TERM: 'xterm-256color', ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (stdout += data));
  child.stderr.on('data', (data: Buffer) => (stderr += data));
  // A command that reads no input may end before it has all of it.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      folder.remove();
      resolve({ code, stdout, stderr });
    });
  });
}

/** Runs `memoryd` with these words. */
export function runCli(args: readonly string[], options?: RunOptions): Promise<Ran> {
  return run(process.execPath, [mainPath, ...args], options);
}

export function serviceEnv({ url, key }: Pick<Server, 'url' | 'key'>): Record<string, string> {
  return { MEMORYD_URL: url, MEMORYD_KEY: key };
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The same on a terminal of so many columns; what is printed has the line ends of one. */
export function runOnTerminal(args: readonly string[], columns: number, options?: RunOptions): Promise<Ran> {
  const words = [process.execPath, mainPath, ...args].map(quote).join(' ');
  return run('script', ['-qec', `stty cols ${columns}; ${words}`, '/dev/null'], options);
}
