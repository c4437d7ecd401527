/** A statement whose lists are one parameter each. */
export interface ListedStatement {
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
export function listsAsArrays(text: string): ListedStatement {
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
export function joinLists(
  parameters: readonly unknown[],
  lists: ListedStatement['lists'],
): readonly unknown[] {
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
