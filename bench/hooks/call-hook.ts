import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const mainPath = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export interface CalledHook {
  /** The text that the host adds to the prompt; undefined: nothing. */
  readonly added: string | undefined;
  /** Processor time of the process of the hook, user and system. */
  readonly processMs: number;
  readonly wallMs: number;
}

/** Processor time of the children of a shell, in the second line of `times`: 0m0.123s 0m0.045s. */
function childrenMs(times: string): number {
  const [, children = ''] = times.trim().split('\n').slice(-2);
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000,
    0,
  );
}

/** Calls `memoryd hook` with a prompt, as Claude Code does. @throws Error if it fails or says something on standard error */
export async function callHook(
  { url, key }: { readonly url: string; readonly key: string | undefined },
  prompt: string,
): Promise<CalledHook> {
  const began = performance.now();
  const child = spawn('bash', ['-c', '"$1" "$2" hook && times >&2', 'hook', process.execPath, mainPath], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', MEMORYD_URL: url, MEMORYD_KEY: key ?? '' },
    stdio: 'pipe',
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  child.stdin.end(
    JSON.stringify({ session_id: 's', cwd: '/home/ana/none', hook_event_name: 'UserPromptSubmit', prompt }),
  );
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0 || output.stderr.includes('memoryd hook')) throw new Error(`hook: ${output.stderr}`);
  const { hookSpecificOutput } = JSON.parse(output.stdout || '{}') as {
    readonly hookSpecificOutput?: { readonly additionalContext: string };
  };
  return {
    added: hookSpecificOutput?.additionalContext,
    processMs: childrenMs(output.stderr),
    wallMs: performance.now() - began,
  };
}
