import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Environment of a user of one Node version: `npm` and `npx` of the PATH, with this Node first. */
export interface Shell {
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Done {
  readonly seconds: number;
  readonly output: string;
}

/** @param bin folder of the `node` binary */
export function shellWith(name: string, bin: string): Shell {
  const settings = Object.entries(process.env).filter(
    ([variable]) => !/^(MEMORYD_|npm_|NODE_(OPTIONS|ENV|PATH)$|INIT_CWD)/i.test(variable),
  );
  const headers = existsSync(join(dirname(bin), 'include/node')) ? dirname(bin) : undefined;
  return {
    name,
    env: {
      ...Object.fromEntries(settings),
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      // Local headers, which node-gyp would otherwise download.
      ...(headers !== undefined && { npm_config_nodedir: headers }),
    },
  };
}

export const secondsSince = (start: number) => (performance.now() - start) / 1000;

/** Runs a command line to its end. @throws Error with its output if it fails */
export function run(shell: Shell, folder: string, line: readonly string[]): Promise<Done> {
  const start = performance.now();
  const [command, ...args] = line;
  const child = spawn(command, args, { cwd: folder, env: shell.env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      output += part.toString();
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve({ seconds: secondsSince(start), output });
      else reject(new Error(`${line.join(' ')} ended with ${code}:\n${output}`));
    });
  });
}
