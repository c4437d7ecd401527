import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'dotenv';

/** The variables of `.env` in the working directory; empty if the file does not exist. */
export function readEnvFile(): Readonly<Record<string, string>> {
  return existsSync('.env') ? parse(readFileSync('.env')) : {};
}
