import { describe, expect, it } from 'vitest';
import { type SourceFile, sourceFiles } from './sources.ts';

const byPath = new Map(sourceFiles().map((file) => [file.path, file]));

/** What an import statement that exists when the program runs takes from: `import type` and `import()` are left out. */
const statement = /^(?:import|export)\s+(?!type\s)(?:[^;']*?\sfrom\s+)?'([^']+)'/gm;

function staticTargets({ text, imports }: SourceFile): string[] {
  return [...text.matchAll(statement)].flatMap(([, target]) => {
    if (!target.startsWith('.')) return target.startsWith('node:') ? [] : [`npm:${target}`];
    const file = target.split('/').at(-1);
    return imports.filter((path) => path.split('/').at(-1) === file).slice(0, 1);
  });
}

/** Files of `src`, and packages as `npm:NAME`, that are loaded with this one. */
function loadedWith(path: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(path)) return loaded;
  loaded.add(path);
  const file = byPath.get(path);
  if (file) for (const target of staticTargets(file)) loadedWith(target, loaded);
  return loaded;
}

describe('the service', () => {
  it('the service loads the SDK of agents with the first of them, and graph algorithms in their thread only', () => {
    const late = /^npm:(@modelcontextprotocol|graphology)/;
    const ofService = [...loadedWith('container.ts'), ...loadedWith('cli/serve.ts')];
    expect(ofService.filter((target) => late.test(target))).toEqual([]);
    const ofAgents = [...loadedWith('http/routes/mcp/exchange.ts')].filter((target) => late.test(target));
    expect(ofAgents.length).toBeGreaterThan(0);
    const ofThread = [...loadedWith('threads/graph-entry.ts')].filter((target) => late.test(target));
    expect(ofThread).toHaveLength(2);
  });

  it('the service loads the SDK of the LLM with the first question only', () => {
    const sdk = /^npm:(ai|@ai-sdk\/.*)$/;
    expect([...loadedWith('container.ts')].filter((target) => sdk.test(target))).toEqual([]);
    expect([...loadedWith('llm/ai-sdk-chat.ts')].filter((target) => sdk.test(target))).toHaveLength(2);
  });

  it('the service loads typebox from its package, which is bundled, and not from one that would read its 683 files', () => {
    const ofService = [...loadedWith('container.ts'), ...loadedWith('cli/serve.ts')];
    const typeboxes = ofService.filter((target) => target.includes('typebox'));
    expect(new Set(typeboxes)).toEqual(new Set(['npm:typebox']));
  });
});

describe('the command line', () => {
  it('the command line loads no command before one is called', () => {
    expect([...loadedWith('main.ts')].sort()).toEqual([
      'cli/program.ts',
      'lib/version.ts',
      'main.ts',
      'npm:commander',
    ]);
  });

  it('the command line loads neither the HTTP interface nor an engine with a command on the store, which opens the engine it needs', () => {
    const heavy = /^(http|mcp|storage\/postgres)\/|^npm:(fastify|typebox|chrono-node|pg|ajv|@)/;
    const names = ['store/users-and-keys', 'store/check', 'store/background-work', 'store/backup'];
    const loaded = [...names, 'import/import-command', 'init']
      .map((name) => `cli/${name}.ts`)
      .flatMap((path) => [...loadedWith(path)].map((target) => `${path} -> ${target}`))
      .filter((line) => heavy.test(line.split(' -> ')[1]));
    expect(loaded).toEqual([]);
  });

  it('the command line loads nothing that opens a store with a command that asks a service', () => {
    const names = ['read-memories', 'write-memories', 'trash', 'lists'];
    const commands = names.map((name) => `cli/client/${name}.ts`);
    const allowed = /^(cli|config|lib)\/|^domain\/[a-z]+\/[a-z-]+\.ts$|^npm:(commander|dotenv)$/;
    for (const path of commands) expect(byPath.has(path), path).toBe(true);
    const loaded = commands
      .flatMap((path) => [...loadedWith(path)].map((target) => `${path} -> ${target}`))
      .filter((line) => !allowed.test(line.split(' -> ')[1]));
    expect(loaded).toEqual([]);
  });
});
