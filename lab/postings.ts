/**
 * Compares ways to store postings in SQLite: in FTS5, as now, or in a table.
 * Measures size, and processor time of insert, look-up and erase of the same
 * documents, the ways by turns (docs/adr, "postings in a table").
 *
 *     npm run bench postings [--size 20000] [--users 10]
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { generateCorpus } from '../bench/http/corpus.ts';
import { englishWords } from '../bench/http/english-words.ts';
import { toTable } from '../bench/report/table.ts';
import { analyze, analyzeQuery } from '../src/search-index/analysis/index.ts';
import { newTempFolder } from '../test/support/temp-folder.ts';
import {
  type Document,
  fts5Store,
  numberedStore,
  type PostingsStore,
  plainStore,
  secureDeleteStore,
} from './postings/stores.ts';

const { values } = parseArgs({ options: { size: { type: 'string' }, users: { type: 'string' } } });
const size = Number(values.size ?? 20_000);
const users = Number(values.users ?? 10);
const rounds = 3;
/** Documents per transaction, as in grouped writes of many clients. */
const groupSize = 32;
const queriesCount = 300;
const eraseGroups = 10;
const eraseGroupSize = 20;

const corpus = generateCorpus(size, 7, englishWords());
const documents = corpus.memories.map(
  ({ content }, i): Document => ({
    doc: i + 1,
    prefix: `m${(i % users) + 1}_`,
    terms: [...analyze(content)],
  }),
);
const queries = corpus
  .queries(queriesCount, 8)
  .map((query, i) => ({ prefix: `m${(i % users) + 1}_`, terms: analyzeQuery(query) }));
const erased = Array.from({ length: eraseGroups }, (_, g) =>
  documents.slice(g * eraseGroupSize * 5, g * eraseGroupSize * 5 + eraseGroupSize),
);
/** A word of erased documents only; the file is searched for its bytes. */
const secret = 'xylotomous';
for (const { terms } of erased.flat()) (terms as string[]).push(secret);

const ways: Readonly<Record<string, (path: string) => PostingsStore>> = {
  FTS5: fts5Store,
  'FTS5, secure-delete': secureDeleteStore,
  'table by term': plainStore,
  'table by number': numberedStore,
};

/** Processor time in microseconds for each of `count` items. */
function timeEach(count: number, work: () => void): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / count;
}

function fileBytes(store: PostingsStore, path: string): number {
  store.sqlite.pragma('wal_checkpoint(TRUNCATE)');
  return statSync(path).size;
}

interface Measured {
  readonly bytes: number;
  readonly insert: number;
  readonly tidy: number;
  readonly lookUp: number;
  readonly erase: number;
  readonly found: number;
  /** Whether no byte of an erased word is in the file. */
  readonly isGone: boolean;
}

function measure(make: (path: string) => PostingsStore): Measured {
  const folder = newTempFolder('postings');
  const path = join(folder.path, 'postings.db');
  const store = make(path);
  let tidy = 0;
  const all = timeEach(size, () => {
    for (let from = 0; from < size; from += groupSize) {
      store.insert(documents.slice(from, from + groupSize));
      tidy += timeEach(size, () => store.tidy());
    }
  });
  const bytes = fileBytes(store, path);
  let found = 0;
  const lookUp = timeEach(queriesCount, () => {
    for (const { prefix, terms } of queries)
      for (const term of new Set(terms)) {
        const { docs, frequencies } = store.lookUp(prefix, term);
        found += docs.length + frequencies;
      }
  });
  const erase = timeEach(eraseGroups * eraseGroupSize, () => {
    for (const group of erased) store.erase(group);
  });
  for (const { doc, prefix, terms } of erased.flat())
    if (store.lookUp(prefix, terms[0]).docs.includes(doc)) throw new Error(`document ${doc} is still found`);
  fileBytes(store, path);
  const isGone = !readFileSync(path).includes(secret);
  store.sqlite.close();
  folder.remove();
  return { bytes, insert: all - tidy, tidy, lookUp, erase, found, isGone };
}

const results = new Map<string, Measured[]>(Object.keys(ways).map((name) => [name, []]));
for (let round = 0; round < rounds; round++)
  for (const [name, make] of Object.entries(ways)) results.get(name)?.push(measure(make));

const found = new Set([...results.values()].flat().map((each) => each.found));
if (found.size !== 1) throw new Error(`the ways find different postings: ${[...found].join(', ')}`);

const median = (list: readonly Measured[], of: (each: Measured) => number) =>
  list.map(of).sort((a, b) => a - b)[list.length >> 1];
console.log(`${size} documents of ${users} users, ${queriesCount} queries, median of ${rounds} rounds\n`);
console.log(
  toTable(
    [
      'kept in',
      'bytes a document',
      'insert us',
      'merging us',
      'query us',
      'erase us a document',
      'erased bytes',
    ],
    [...results].map(([name, list]) => [
      name,
      (median(list, (each) => each.bytes) / size).toFixed(0),
      ...(['insert', 'tidy', 'lookUp', 'erase'] as const).map((key) =>
        median(list, (each) => each[key]).toFixed(0),
      ),
      list.every(({ isGone }) => isGone) ? 'gone' : 'left',
    ]),
  ),
);
