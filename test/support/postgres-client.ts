import pg from 'pg';

export interface EndOptions {
  /** An `application_name`; absent: all. */
  readonly who?: string;
  readonly atMost?: number;
}

/** Ends connections of a database from outside, as a restart or an operator does, in no order. @returns how many */
export async function endConnections(url: string, { who, atMost = 1000 }: EndOptions = {}): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(pg_terminate_backend(pid))::int AS count FROM (
         SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND ($1::text IS NULL OR application_name = $1)
         ORDER BY random() LIMIT $2
       ) AS chosen`,
      [who ?? null, atMost],
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
