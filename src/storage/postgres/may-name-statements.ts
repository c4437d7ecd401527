import pg from 'pg';

const connectTimeoutMs = 5000;

/**
 * Whether statements may have names: not if a pooler as PgBouncer is between this process and the server (each end
 * of the session then states another id), whose sessions in transaction mode are not ours; nor on tables that are
 * split by user, since a plan that is kept for all users opens each part.
 */
export async function mayNameStatements(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  // A failure rejects a call below; an error without a listener ends the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number; isSplit: boolean }>(`
      SELECT pg_backend_pid() AS pid,
        EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = to_regclass('memories')) AS "isSplit"`);
    return !rows[0].isSplit && rows[0].pid === (client as unknown as { processID: number }).processID;
  } finally {
    // A connection that was never made cannot be ended.
    await client.end().catch(() => undefined);
  }
}
