import { describe, expect, it } from 'vitest';
import { type SourceFile, sourceFiles } from './sources.ts';

/** Who may import whom, by the folder directly below `src`; the way of the data runs from left to right. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  lib: ['lib'],
  config: ['config', 'lib'],
  domain: ['domain', 'lib'],
  'search-index': ['search-index', 'domain', 'lib'],
  search: ['search', 'language', 'search-index', 'domain', 'lib'],
  'graph-rag': ['graph-rag', 'search', 'search-index', 'domain', 'lib'],
  jobs: ['jobs', 'domain', 'lib'],
  embedding: ['embedding', 'domain', 'lib'],
  language: ['language', 'lib'],
  llm: ['llm', 'language', 'domain', 'lib'],
  derivation: ['derivation', 'llm', 'language', 'embedding', 'search', 'search-index', 'domain', 'lib'],
  threads: ['threads', 'domain', 'lib'],
  storage: ['storage', 'search-index', 'domain', 'lib'],
  mcp: ['mcp', 'briefing', 'search', 'search-index', 'domain', 'lib'],
  briefing: ['briefing', 'language', 'search', 'search-index', 'domain', 'lib'],
  http: ['http', 'mcp', 'briefing', 'graph-rag', 'search', 'search-index', 'domain', 'lib', 'config'],
  cli: [
    'cli',
    'container.ts',
    'open-storage.ts',
    'http',
    'mcp',
    'briefing',
    'jobs',
    'storage',
    'domain',
    'config',
    'lib',
  ],
};
/** Folders whose own folders are below one another. `domain/shared/stores.ts` names the store of every aggregate. */
const layered = Object.keys(allowed).filter((top) => top !== 'domain');
const engines = ['storage/sqlite/', 'storage/postgres/'];

const files = sourceFiles().filter(({ isTest }) => !isTest);
const topOf = (path: string) => path.split('/')[0];

describe('imports', () => {
  it('imports run in one direction', () => {
    const wrong = files.flatMap(({ path, imports }) => {
      const rule = allowed[topOf(path)];
      return rule
        ? imports.filter((target) => !rule.includes(topOf(target))).map((target) => `${path} -> ${target}`)
        : [];
    });
    expect(wrong).toEqual([]);
  });

  it('imports name an engine only from the opening of the store and the engine itself', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => engines.some((engine) => target.startsWith(engine) && !path.startsWith(engine)))
        .filter(() => path !== 'open-storage.ts')
        .map((target) => `${path} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('imports never leave storage for anything of the search index but its ports', () => {
    const wrong = files
      .filter(({ path }) => path.startsWith('storage/'))
      .flatMap(({ path, imports }) =>
        imports
          .filter((target) => target.startsWith('search-index/') && target !== 'search-index/ports.ts')
          .map((target) => `${path} -> ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it('imports of the exported types reach nothing of Fastify, which the types would need', () => {
    const byPath = new Map(files.map((file) => [file.path, file]));
    const reached = new Set(['index.ts']);
    for (const path of reached) for (const target of byPath.get(path)?.imports ?? []) reached.add(target);
    expect([...reached].filter((path) => byPath.get(path)?.text.includes("from 'fastify'"))).toEqual([]);
    expect(reached).toContain('http/schemas/memory.ts');
  });

  it('imports have no cycles between files, types included', () => {
    expect(cyclesAmong(graphOf(files, (path) => path))).toEqual([]);
  });

  it('imports have no cycles between the folders of a folder, types included', () => {
    const cycles = layered.flatMap((top) => {
      const below = files.filter(({ path }) => path.startsWith(`${top}/`));
      return cyclesAmong(graphOf(below, (path) => path.split('/').slice(0, 2).join('/')));
    });
    expect(cycles).toEqual([]);
  });
});

/** By name of a file or folder, those that it imports from. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>;

function graphOf(of: readonly SourceFile[], nodeOf: (path: string) => string): Graph {
  const known = new Set(of.map(({ path }) => path));
  const graph = new Map<string, Set<string>>();
  for (const { path, imports } of of) {
    const node = nodeOf(path);
    const targets = graph.get(node) ?? new Set();
    for (const target of imports.filter((each) => known.has(each))) targets.add(nodeOf(target));
    targets.delete(node);
    graph.set(node, targets);
  }
  return graph;
}

/** One way round for each cycle met. */
function cyclesAmong(graph: Graph): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) cycles.push([...trail.slice(trail.indexOf(node)), node].join(' -> '));
    else if (!done.has(node)) {
      for (const target of graph.get(node) ?? []) visit(target, [...trail, node]);
      done.add(node);
    }
  };
  for (const node of graph.keys()) visit(node, []);
  return cycles;
}
