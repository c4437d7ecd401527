import { closeSync, openSync, readSync } from 'node:fs';
import { exportedSource } from './exported-source.ts';
import type { Source } from './item.ts';
import { jsonLinesSource } from './json-lines-source.ts';

const headBytes = 64 * 1024;

/**
 * Opens a file of any layout, recognized by its beginning.
 * @throws Error if it cannot be read
 */
export function openSource(path: string): Source {
  return arrayMark.test(readHead(path)) ? exportedSource(path) : jsonLinesSource(path);
}

/** A line of JSON Lines begins with a brace. */
const arrayMark = /^\ufeff?\s*\[\s*(?:[{\]]|$)/;

function readHead(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const head = Buffer.alloc(headBytes);
      return head.toString('utf8', 0, readSync(file, head, 0, headBytes, 0));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
}
