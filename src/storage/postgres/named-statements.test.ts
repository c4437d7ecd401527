import { describe, expect, it } from 'vitest';
import { NamedStatements } from './named-statements.ts';

/** The name at the second use. */
function nameOf(text: string, names = new NamedStatements()): string | undefined {
  names.of(text, []);
  return names.of(text, []).name;
}

describe('named statements', () => {
  it('a text has a name from its second use on, always the same one', () => {
    const names = new NamedStatements();
    const text = 'select "id" from "memories" where "user_id" = $1';
    expect(names.of(text, [7])).toEqual({ name: undefined, text, values: [7] });
    const { name } = names.of(text, [7]);
    expect(name).toMatch(/^m[0-9a-f]{40}$/);
    expect(names.of(text, [8])).toEqual({ name, text, values: [8] });
    expect(nameOf(`${text} limit $2`)).not.toBe(name);
    expect(nameOf('insert into "t" ("a", "b") values ($1, $2)')).toBeDefined();
    expect(nameOf('SELECT doc FROM t WHERE doc = ANY($1::bigint[])')).toBeDefined();
  });

  it('lists are one parameter each, so that those of each length have one name', () => {
    const names = new NamedStatements();
    const text = 'select 1 from t where u = $1 and a in ($2, $3) and b NOT IN ($4) and c = $5 and d in ($6)';
    const joined = 'select 1 from t where u = $1 and a = any($2) and b <> all($3) and c = $4 and d = any($5)';
    expect(names.of(text, [1, 'x', 'y', 4, 5, null])).toEqual({
      name: undefined,
      text: joined,
      values: [1, ['x', 'y'], [4], 5, [null]],
    });
    const longer =
      'select 1 from t where u = $1 and a in ($2, $3, $4) and b not in ($5, $6) and c = $7 and d in ($8)';
    const { name, values } = names.of(longer, [1, 'x', 'y', 'z', 4, 5, 6, 7]);
    expect(name).toBeDefined();
    expect(values).toEqual([1, ['x', 'y', 'z'], [4, 5], 6, [7]]);
    expect(names.of(text, [1, 'x', 'y', 4, 5, 6]).name).toBe(name);
  });

  it('a list with a parameter that occurs elsewhere, or in another order, stays', () => {
    const names = new NamedStatements();
    for (const text of ['select $1 where a in ($1, $2)', 'select 1 where a in ($2, $1)'])
      expect(names.of(text, [1, 2])).toEqual({ name: undefined, text, values: [1, 2] });
  });

  it.each([
    'insert into "t" ("a", "b") values ($1, $2), ($3, $4)',
    'begin',
    'savepoint "body"',
    'SET LOCAL statement_timeout = 1',
    'SELECT 1',
  ])('%s has none', (text) => expect(nameOf(text)).toBeUndefined());

  it('the number of names is bounded', () => {
    const names = new NamedStatements();
    const named = Array.from({ length: 3000 }, (_, i) => nameOf(`SELECT ${i} WHERE $1 > 0`, names));
    expect(named.filter((name) => name !== undefined)).toHaveLength(400);
    expect(names.of('SELECT 0 WHERE $1 > 0', []).name).toBe(named[0]);
  });
});
