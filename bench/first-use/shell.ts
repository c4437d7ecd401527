import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** A Node and what is run with it, as its user would: `npm` and `npx` of the PATH, with this Node first. */
export interface Shell {
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Done {
  readonly seconds: number;
  readonly output: string;
}

/** @param bin folder of the `node` */
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
      // Where headers of this Node can be downloaded, node-gyp would do that.
      ...(headers !== undefined && { npm_config_nodedir: headers }),
    },
  };
}

export const secondsSince = (start: number) => (performance.now() - start) / 1000;

/** Runs a line to its end. @throws with what it printed where it fails */
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
