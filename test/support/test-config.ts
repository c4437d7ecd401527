import { type Environment, parseConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/settings.ts';

/** What tests run with unless they say otherwise: the encoder takes a thread and 100 MB for every service that loads it. */
export const testDefaults = { MEMORYD_EMBEDDER: 'static' } as const satisfies Environment;

/** A configuration for tests. */
export function testConfig(environment: Environment): Config {
  return parseConfig({ ...testDefaults, ...environment });
}
