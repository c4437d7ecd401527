// Compares two files of Kubernetes objects, in any order, and fails with the first difference.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

const objectsOf = (path) =>
  Object.fromEntries(
    parseAllDocuments(readFileSync(path, 'utf8'))
      .map((document) => document.toJS())
      .filter(Boolean)
      .map((object) => [`${object.kind} ${object.metadata.name}`, object])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const [rendered, manifest] = process.argv.slice(2).map(objectsOf);
assert.deepEqual(rendered, manifest);
