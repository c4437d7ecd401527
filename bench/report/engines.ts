import { type Engine, engines } from '../../test/support/server.ts';

/**
 * @param name 'sqlite', 'postgres' or 'both'; absent: every engine that this machine can test
 * @throws Error with the usage for another name
 */
export function toEngines(name: string | undefined, usage: string): readonly Engine[] {
  if (name === undefined) return engines;
  if (name === 'both') return ['sqlite', 'postgres'];
  if (name !== 'sqlite' && name !== 'postgres') throw new Error(`--engine ${name}?\n${usage}`);
  return [name];
}
