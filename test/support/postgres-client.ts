import pg from 'pg';

/** Ends connections of a database from outside, as a restart or an operator does; `who` is an `application_name`. */
export async function endConnections(url: string, who?: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(pg_terminate_backend(pid))::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND ($1::text IS NULL OR application_name = $1)`,
      [who ?? null],
    );
    return rows[0].count;
  } finally {
    await client.end();
  }
}

/** A connection of a test's own. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
