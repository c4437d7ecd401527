import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { sdkOperations } from '../../test/support/sdk-operations.ts';

/** HTTP requests and SDK calls of one test file. */
export interface TestCalls {
  /** Path of the file in the repository. */
  readonly file: string;
  /** Requests such as `POST /api/memories/{}`, with `{}` for an inserted value. */
  readonly requests: ReadonlySet<string>;
  /** Methods of the public SDK. */
  readonly sdkMethods: ReadonlySet<string>;
}

/** Type arguments, which may be long, and a bracket. */
const target = '(?:<.{0,300}?>)?\\(\\s*';
/** A path in quotes, or the name of a constant that has one. */
const path = '(?:(?<quote>["\'`])(?<path>/.*?)\\k<quote>|(?<name>[a-zA-Z]\\w*)\\b)';
const call = new RegExp(`\\.(?<verb>get|post|put|patch|delete)${target}${path}`, 'gs');
const sent = new RegExp(`\\bsend${target}'(?<verb>[A-Z]+)',\\s*${path}`, 'gs');
const constant = /\bconst (\w+) = (['"`])(\/(?:api|mcp|health|livez|metrics)\b.*?)\2;/g;
const fetched = /\bfetch\(\s*`\$\{[\w.]+\}(\/[^`]*)`\s*[),]/g;

const knownMethods = new Set(sdkOperations.map(({ method }) => method));

/** Finds the calls in all test files below `root`, except those whose path is built elsewhere. */
export function readTestCalls(root: string): TestCalls[] {
  const files = ['test', 'src'].flatMap((folder) => testFilesBelow(join(root, folder))).sort();
  // Architecture tests send no requests, but contain examples of code.
  const senders = files.filter((file) => !file.includes('/test/architecture/'));
  return senders.map((file) => callsOf(relative(root, file), readFileSync(file, 'utf8')));
}

function testFilesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return testFilesBelow(path);
    return entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

export function callsOf(file: string, source: string): TestCalls {
  const constants = [...source.matchAll(constant)].reverse();
  /** Value of the last constant of this name before the call. */
  const pathOf = (name: string, at: number) =>
    constants.find((found) => found[1] === name && found.index < at)?.[3];
  const requests = new Set<string>();
  for (const expression of [call, sent])
    for (const { index, groups = {} } of source.matchAll(expression)) {
      const called = groups.path ?? pathOf(groups.name, index);
      if (called !== undefined) requests.add(`${groups.verb.toUpperCase()} ${shapeOf(called)}`);
    }
  for (const [, got] of source.matchAll(fetched)) requests.add(`GET ${shapeOf(got)}`);
  const methods = [...source.matchAll(/\.(\w+)\(/g)].map(([, name]) => name);
  return { file, requests, sdkMethods: new Set(methods.filter((name) => knownMethods.has(name))) };
}

/** The path without its query, with `{}` for each part that is filled in. */
function shapeOf(written: string): string {
  const filled = written.replace(/\$\{[^}]*\}/g, '{}').split('?')[0];
  return filled
    .split('/')
    .map((part) => (part.includes('{}') ? (part.startsWith('{}') ? '{}' : part.split('{}')[0]) : part))
    .join('/');
}
