import { describe, expect, it } from 'vitest';
import { sourceFiles } from './sources.ts';

/** Who may import whom, by the folder directly below `src`; the way of the data runs from left to right. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  lib: ['lib'],
  config: ['config', 'lib'],
  domain: ['domain', 'lib'],
  retrieval: ['retrieval', 'domain', 'lib'],
  jobs: ['jobs', 'domain', 'lib'],
  embedding: ['embedding', 'domain', 'lib'],
  language: ['language', 'lib'],
  storage: ['storage', 'retrieval', 'domain', 'lib'],
  mcp: ['mcp', 'retrieval', 'domain', 'lib'],
  http: ['http', 'mcp', 'retrieval', 'domain', 'lib', 'config'],
  cli: [
    'cli',
    'container.ts',
    'open-storage.ts',
    'http',
    'mcp',
    'jobs',
    'storage',
    'domain',
    'config',
    'lib',
  ],
};
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

  it('imports never leave storage for anything of retrieval but its ports', () => {
    const wrong = files
      .filter(({ path }) => path.startsWith('storage/'))
      .flatMap(({ path, imports }) =>
        imports
          .filter((target) => target.startsWith('retrieval/') && target !== 'retrieval/ports.ts')
          .map((target) => `${path} -> ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it('imports have no cycles', () => {
    const byPath = new Map(files.map((file) => [file.path, file]));
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
      else if (!done.has(path)) {
        for (const target of runtimeImports(byPath.get(path)?.text ?? '', byPath.get(path)?.imports ?? []))
          visit(target, [...trail, path]);
        done.add(path);
      }
    };
    for (const { path } of files) visit(path, []);
    expect(cycles).toEqual([]);
  });
});

/** Imports that exist when the program runs: `import type` does not. */
function runtimeImports(text: string, imports: readonly string[]): string[] {
  const types = new Set(
    [...text.matchAll(/import type [^;]*?from '([^']+)'/g)].map(([, target]) => target.split('/').at(-1)),
  );
  return imports.filter((target) => !types.has(target.split('/').at(-1)));
}
