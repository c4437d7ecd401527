/** A table of rows of users; keys of the API are looked up by their prefix over all users. */
const ofUsers = /^CREATE TABLE (?!api_keys\b)(\w+) \(\s*user_id /;

/** @param count 2 to 256 */
export function partitioned(statement: string, count: number): string[] {
  const [, table] = ofUsers.exec(statement) ?? [];
  if (table === undefined) return [statement];
  const parts = Array.from(
    { length: count },
    (_, i) =>
      `CREATE TABLE ${table}_p${i} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${count}, REMAINDER ${i})`,
  );
  return [`${statement} PARTITION BY HASH (user_id)`, ...parts];
}
