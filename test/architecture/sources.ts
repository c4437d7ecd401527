import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../src', import.meta.url));

export interface SourceFile {
  /** Below `src`, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  /** Files of `src` that it imports, types included. */
  readonly imports: readonly string[];
  readonly isTest: boolean;
}

const importPath = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const imports = [...text.matchAll(importPath)].map(([, target]) =>
    relative(root, resolve(root, dirname(path), target)).replaceAll('\\', '/'),
  );
  const isTest = /\.test\.ts$|^storage\/contract\//.test(path);
  return { path, text, lines: text.split('\n').length - 1, imports, isTest };
}

/** Every TypeScript file of `src`. */
export function sourceFiles(): SourceFile[] {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) =>
    path.replaceAll('\\', '/'),
  );
  return paths.filter((path) => path.endsWith('.ts')).map(readSource);
}
