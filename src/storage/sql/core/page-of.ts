import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { assertPosition, type OrderPart } from '../../../domain/shared/cursor.ts';
import type { Page, PageRequest, Position } from '../../../domain/shared/page.ts';

/** A column by which a list is sorted; the last column is unique. */
export interface SortColumn extends OrderPart {
  readonly column: string;
}

interface HowToRead {
  readonly by: readonly SortColumn[];
  readonly request: PageRequest;
  /** Number of all rows, if it is known; otherwise the statement that reads the page counts them. */
  readonly count?: number;
  /** Counts the rows; the default is `count(*)`. */
  readonly counting?: RawBuilder<number>;
}

/**
 * Reads a page of rows and their number by one statement, which sees one
 * state of the store. With a position it continues with the first row that
 * is behind it now, whether or not the row at that position still exists.
 * @param rows all rows; `selected` are the same rows with the columns to read, including those of the order
 */
export async function pageOf<DB, TB extends keyof DB, O>(
  rows: SelectQueryBuilder<DB, TB, Record<never, never>>,
  selected: SelectQueryBuilder<DB, TB, O>,
  { by, request, count, counting = sql<number>`count(*)` }: HowToRead,
): Promise<Page<O>> {
  const { limit, offset, after } = request;
  const all = rows.select(counting.as('count')).$castTo<{ count: number | string }>();
  let page = selected as unknown as SelectQueryBuilder<DB, TB, unknown>;
  if (after) page = page.where(isBehind(by, after));
  for (const { column, order } of by) page = page.orderBy(sql.ref(column), order);
  if (count === undefined) page = page.select(sql<number>`${all}`.as('all_rows'));
  const found = await page
    .limit(limit + 1)
    .offset(offset)
    .execute();
  const read = found as (O & { readonly all_rows?: number | string })[];
  const isMore = read.length > limit;
  const items = isMore ? read.slice(0, limit) : read;
  const positions = items.map((row) => positionOf(by, row));
  return {
    items,
    positions,
    limit,
    offset,
    count: countOf(
      request,
      read.length,
      Number(count ?? read[0]?.all_rows ?? (await all.execute())[0].count),
    ),
    ...(isMore && { next: positions.at(-1) }),
  };
}

/** Corrects the count by the rows of the page if the two are from different states of the store. */
function countOf({ limit, offset, after }: PageRequest, read: number, count: number): number {
  if (read === 0) return count;
  return !after && read <= limit ? offset + read : Math.max(count, offset + read);
}

/** The first column in which two rows differ decides. */
function isBehind(by: readonly SortColumn[], after: Position): RawBuilder<boolean> {
  assertPosition(after, ...by.map(({ part }) => part));
  const [[first, ...rest], [value, ...values]] = [by, after];
  const column = sql.ref(first.column);
  const sign = sql.raw(first.order === 'asc' ? '>' : '<');
  if (rest.length === 0) return sql<boolean>`${column} ${sign} ${value}`;
  return sql<boolean>`(${column} ${sign}= ${value} AND (${column} ${sign} ${value} OR ${isBehind(rest, values)}))`;
}

function positionOf(by: readonly SortColumn[], row: unknown): Position {
  const values = row as Readonly<Record<string, number | string>>;
  return by.map(({ column }) => values[column.slice(column.indexOf('.') + 1)]);
}
