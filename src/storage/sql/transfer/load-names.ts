import { type SqlBool, sql } from 'kysely';

const loadingPrefix = '(loading) ';
const replacedPrefix = '(replaced) ';

/** Prefixes of the names of users that are being loaded, or that were replaced and wait to be erased. */
const inactivePrefixes = [loadingPrefix, replacedPrefix] as const;

/** `isActiveName` as a condition of a statement that reads the table of users. */
export const isActiveUser = sql<SqlBool>`(${sql.join(
  inactivePrefixes.map((prefix) => sql`users.name NOT LIKE ${`${prefix}%`}`),
  sql` AND `,
)})`;

/** Names with these prefixes. No user can be given one. */
export const loadingName = (name: string) => loadingPrefix + name;
export const replacedName = (id: number) => replacedPrefix + id;
export const isReplaced = (name: string) => name.startsWith(replacedPrefix);

/** False for the name of a user that is half imported, or that was replaced and waits to be erased. */
export function isActiveName(name: string): boolean {
  return !inactivePrefixes.some((prefix) => name.startsWith(prefix));
}
