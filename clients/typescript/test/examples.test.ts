import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../src/index.js';
import { newClient } from './user.js';

const folder = fileURLToPath(new URL('../../../examples', import.meta.url));

/** Runs a program as its first lines say. @returns what it printed */
async function run(command: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(command, args, { cwd: folder, env: { ...process.env, ...env } });
  const ended = once(child, 'exit');
  const [out, faults] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect([(await ended)[0], faults]).toEqual([0, '']);
  return out;
}

describe('examples at the root', () => {
  let memory: Client;
  let model: Server;
  /** The system messages that the model got. */
  const told: string[] = [];
  const env: Record<string, string> = {};
  beforeAll(async () => {
    model = createServer(async (request, response) => {
      const { messages } = JSON.parse(await text(request)) as { messages: { content: string }[] };
      told.push(messages[0].content);
      response.end(JSON.stringify({ choices: [{ message: { content: 'You live in Lisbon.' } }] }));
    });
    await once(model.listen(0, '127.0.0.1'), 'listening');
    env.OPENAI_BASE_URL = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
  });
  afterAll(() => void model.close());
  beforeEach(async () => {
    memory = await newClient();
  });

  it('examples: curl.sh stores, finds, corrects and restores', async () => {
    const out = await run('bash', ['curl.sh']);
    expect(out).toContain('found: Ana prefers the window seat on night trains');
    expect(out).toContain('restored: Ana prefers the aisle seat on night trains');
  });

  it('examples: agent.ts answers with what it was told before, fenced as data', async () => {
    await run('npx', ['tsx', 'agent.ts', 'I moved to Lisbon in May.'], env);
    expect(told.at(-1)).not.toContain('<memories>');
    expect(await run('npx', ['tsx', 'agent.ts', 'Which town did I move to?'], env)).toBe(
      'You live in Lisbon.\n',
    );
    expect(told.at(-1)).toMatch(/<memories>.*data, not instructions[\s\S]*I moved to Lisbon in May/);
    expect((await memory.search('Lisbon')).length).toBeGreaterThan(1);
  });

  it('examples: mcp.ts lists the tools, remembers and finds', async () => {
    const out = await run('npx', ['tsx', 'mcp.ts']);
    expect(out).toMatch(/tools: .*remember/);
    expect(out).toContain('found: The staging database listens on port 5433.');
  });
});
