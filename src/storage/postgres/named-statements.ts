import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { QueryConfig } from 'pg';

/** Maximum of texts with a name: each connection keeps the plans of at most that many. */
const namesMax = 400;
/** Maximum of texts that are remembered, with or without a name; then all are looked at again. */
const textsMax = 2000;
/** Longer texts, as those of hundreds of rows, are looked at each time: in characters. */
const lengthMax = 8000;

const unnamedMark = '/* planned for the values */';
/** At the beginning of a statement that gets no name: its plan depends on the values. */
export const plannedForValues = sql.raw(unnamedMark);

/** A column that a migration adds is one more in the rows, on which a plan that is kept fails once. */
const allColumns = /\b(?:select|returning|,)\s+(?:"\w+"\.)?\*|, (?:"\w+"\.)?\*/i;
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
    if (text.startsWith(unnamedMark) || !hasParameters.test(text) || countedParameters.test(text))
      return undefined;
    if (allColumns.test(text)) return undefined;
    // PostgreSQL cuts names at 63 bytes.
    const name = `m${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
    this.#seen.delete(text);
    this.#names.set(text, name);
    return name;
  }
}

/** A statement whose lists are one parameter each. */
interface ListedStatement {
  readonly text: string;
  /** First and last parameter, from 1, of each list that became one, in order. */
  readonly lists: readonly { readonly first: number; readonly last: number }[];
}

const list = /\b(not\s+)?in\s*\(\s*(\$\d+(?:\s*,\s*\$\d+)*)\s*\)/gi;

/**
 * `IN ($2, $3, $4)` as `= any($2)`: the text of a statement is then the same for lists of each length, so that it can
 * have a name, and a list of hundreds is planned as one value. A list whose parameters do not follow one another
 * or that occur elsewhere too stays as it is.
 */
function listsAsArrays(text: string): ListedStatement {
  const uses = new Map<number, number>();
  for (const [, number] of text.matchAll(/\$(\d+)/g))
    uses.set(Number(number), (uses.get(Number(number)) ?? 0) + 1);
  const lists: { first: number; last: number }[] = [];
  const joined = text.replace(list, (whole: string, not: string | undefined, members: string) => {
    const numbers = members.split(',').map((member) => Number(member.trim().slice(1)));
    const first = numbers[0];
    if (!numbers.every((number, i) => number === first + i && uses.get(number) === 1)) return whole;
    lists.push({ first, last: first + numbers.length - 1 });
    return not === undefined ? `= any($${first})` : `<> all($${first})`;
  });
  if (lists.length === 0) return { text, lists };
  lists.sort((a, b) => a.first - b.first);
  const renumbered = joined.replace(/\$(\d+)/g, (_, digits: string) => {
    const number = Number(digits);
    const gone = lists.reduce((sum, { first, last }) => (first < number ? sum + last - first : sum), 0);
    return `$${number - gone}`;
  });
  return { text: renumbered, lists };
}

/** The parameters of the statement, with an array for each list. */
function joinLists(parameters: readonly unknown[], lists: ListedStatement['lists']): readonly unknown[] {
  if (lists.length === 0) return parameters;
  const joined: unknown[] = [];
  let next = 0;
  for (const { first, last } of lists) {
    joined.push(...parameters.slice(next, first - 1), parameters.slice(first - 1, last));
    next = last;
  }
  joined.push(...parameters.slice(next));
  return joined;
}
