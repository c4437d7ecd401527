import { existsSync, readFileSync } from 'node:fs';
import type { Config } from '../../config/settings.ts';
import { firstKeyPath } from '../first-key.ts';

/**
 * The key given, else that of the configuration, else the first key that `serve` left beside the store.
 * @throws Error where there is none
 */
export function findKey(given: string | undefined, config: Config): string {
  const key = given ?? config.apiKey;
  if (key !== undefined) return key;
  const path = firstKeyPath(config);
  if (existsSync(path)) return readFileSync(path, 'utf8').trim();
  throw new Error(`No API key: give --key or MEMORYD_API_KEY (there is no ${path}).`);
}
