import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from '../architecture/sources.ts';
import { newTempFolder } from '../support/temp-folder.ts';

interface Manifest {
  readonly private?: boolean;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}
interface Locked {
  readonly dev?: boolean;
  readonly engines?: { readonly node?: string };
}

/** A package in an import statement or in `import()`. */
const importedPackage =
  /(?:^(?:import|export)\s[^;'`]*?\sfrom\s+|\bimport\()'(?!node:)((?:@[\w-]+\/)?[\w-][\w.-]*)/gm;

const readJson = <T>(path: string) => JSON.parse(readFileSync(path, 'utf8')) as T;
const manifest = readJson<Manifest>('package.json');

/** Paths of what `npm pack` packs of the build. */
function packedPaths(folder = '.'): string[] {
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files }] = JSON.parse(text) as [{ files: { path: string }[] }];
  return files.map(({ path }) => path);
}

describe('the package', () => {
  it('the package has every compiled source, types, the model, the documents and the licence, and nothing else', () => {
    const paths = packedPaths();
    // A declaration of types is compiled to nothing.
    const sources = sourceFiles().filter(({ isTest, path }) => !isTest && !path.endsWith('.d.ts'));
    const compiled = sources.map(({ path }) => `dist/${path.replace(/\.ts$/, '.js')}`);
    expect(compiled.filter((path) => !paths.includes(path))).toEqual([]);
    const known = [...compiled, ...compiled.map((path) => path.replace(/\.js$/, '.d.ts'))];
    const others = paths.filter(
      (path) =>
        !known.includes(path) &&
        !/^(docs\/[a-z-]+\.md$|deploy\/|dist\/bundle\/[\w.-]+\.js$|dist\/ui\/assets\/[\w.-]+\.(js|css)$)/.test(
          path,
        ),
    );
    expect(others.sort()).toEqual([
      'LICENSE',
      'README.md',
      'bin/memoryd.js',
      'dist/bundle/NOTICES.txt',
      'dist/ui/NOTICES.txt',
      'dist/ui/index.html',
      'models/language-en/README.md',
      'models/language-en/clusters512.bin',
      'models/language-en/clusters64.bin',
      'models/language-en/dep.bin',
      'models/language-en/dep.json',
      'models/language-en/gazetteer.json',
      'models/language-en/labels.txt',
      'models/language-en/ner.bin',
      'models/language-en/ner.json',
      'models/language-en/organisations.txt',
      'models/language-en/pos.bin',
      'models/language-en/pos.json',
      'models/language-en/technologies.txt',
      'models/language-en/verbs.txt',
      'models/minilm-l6-int8/README.md',
      'models/minilm-l6-int8/check.jsonl',
      'models/minilm-l6-int8/config.json',
      'models/minilm-l6-int8/model.onnx',
      'models/minilm-l6-int8/sentence_bert_config.json',
      'models/minilm-l6-int8/tokenizer.json',
      'models/ranking/README.md',
      'models/ranking/network-encoder.json',
      'models/ranking/network-static.json',
      'models/ranking/relevance.json',
      'models/static-en-256/README.md',
      'models/static-en-256/check.jsonl',
      'models/static-en-256/model.safetensors',
      'models/static-en-256/vocab.txt',
      'package.json',
    ]);
    for (const page of ['operations', 'agents', 'configuration', 'import', 'export'])
      expect(paths).toContain(`docs/${page}.md`);
  });

  it('the package leaves out the settings of a deployment, which hold secrets', () => {
    const folder = newTempFolder('packed');
    cpSync('package.json', join(folder.path, 'package.json'));
    cpSync('deploy', join(folder.path, 'deploy'), { recursive: true });
    writeFileSync(join(folder.path, 'deploy/memoryd.env'), 'MEMORYD_API_KEY=a.secret');
    const paths = packedPaths(folder.path);
    expect(paths).toContain('deploy/memoryd.env.example');
    expect(paths).not.toContain('deploy/memoryd.env');
    folder.remove();
  });

  it('the package can be published, and names the program that it has', () => {
    expect(manifest.private).toBeUndefined();
    expect(packedPaths()).toContain(manifest.bin.memoryd);
  });

  it('the package depends on every package that its code imports, and on none from this repository', () => {
    const imported = sourceFiles()
      .filter(({ isTest }) => !isTest)
      .flatMap(({ text }) => [...text.matchAll(importedPackage)])
      .map(([, name]) => name);
    expect(imported).toContain('fastify');
    const given = Object.keys(manifest.dependencies);
    expect([...new Set(imported)].filter((name) => !given.includes(name))).toEqual([]);
    const local = Object.entries(manifest.dependencies).filter(([, range]) => /^(file|link):/.test(range));
    expect(local).toEqual([]);
  });

  it('the package needs no package that refuses Node 20', () => {
    const { packages } = readJson<{ packages: Record<string, Locked> }>('package-lock.json');
    const refusing = Object.entries(packages).filter(([, { engines }]) => {
      const range = engines?.node;
      return range !== undefined && !range.split('||').some((part) => allowsNode20(part.trim()));
    });
    expect(refusing.map(([path, { engines }]) => `${path}: ${engines?.node}`)).toEqual([]);
  });
});

/** Whether one alternative of a range such as `^20.19.0`, `>= 18` or `18.x` has 20.19. */
function allowsNode20(part: string): boolean {
  const [, operator, major] = /^(>=|>|\^|~|<)?\s*v?(\d+|\*)/.exec(part) ?? [];
  if (major === '*' || part === '') return true;
  return operator === '>=' || operator === '>' ? Number(major) <= 20 : Number(major) === 20;
}
