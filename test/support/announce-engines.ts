import { postgresSkipped } from './database.ts';

/** Global setup of vitest: says once a run, not once a file, which engine is left out. */
export function setup(): void {
  if (postgresSkipped) console.log(postgresSkipped);
}
