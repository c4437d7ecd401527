import { createHash } from 'node:crypto';
import type { QueryConfig } from 'pg';
import { joinLists, type ListedStatement, listsAsArrays } from './lists-as-arrays.ts';

/** Maximum of texts with a name: each connection keeps the plans of at most that many. */
const namesMax = 400;
/** Maximum of texts that are remembered, with or without a name; then all are looked at again. */
const textsMax = 2000;
/** Longer texts, as those of hundreds of rows, are looked at each time: in characters. */
const lengthMax = 8000;

const hasParameters = /^\s*(select|insert|update|delete|with)\b[\s\S]*\$1/i;
/** Rows or lists of parameters: another number of them is another text. */
const countedParameters = /\bin\s*\(\s*\$\d+\s*,|\)\s*,\s*\(\s*(?:\$\d+|cast\()/i;

/**
 * Names for texts of statements, by which PostgreSQL parses and plans one once for each connection instead of
 * at each request. A text gets one at its second use. Those of several rows, whose texts have no end, get none.
 */
export class NamedStatements {
  readonly #names = new Map<string, string>();
  readonly #seen = new Set<string>();
  readonly #listed = new Map<string, ListedStatement>();

  /** The statement as it is sent. */
  of(text: string, parameters: readonly unknown[]): QueryConfig {
    const listed = this.#listOf(text);
    const values = joinLists(parameters, listed.lists) as unknown[];
    return { name: this.#nameOf(listed.text), text: listed.text, values };
  }

  #listOf(text: string): ListedStatement {
    const known = this.#listed.get(text);
    if (known !== undefined) return known;
    const listed = listsAsArrays(text);
    if (text.length > lengthMax) return listed;
    if (this.#listed.size >= textsMax) this.#listed.clear();
    this.#listed.set(text, listed);
    return listed;
  }

  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= namesMax || text.length > lengthMax) return known;
    if (!this.#seen.has(text)) {
      if (this.#seen.size >= textsMax) this.#seen.clear();
      this.#seen.add(text);
      return undefined;
    }
    if (!hasParameters.test(text) || countedParameters.test(text)) return undefined;
    // PostgreSQL cuts names at 63 bytes.
    const name = `m${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
    this.#seen.delete(text);
    this.#names.set(text, name);
    return name;
  }
}
