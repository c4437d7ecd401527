import type { Client } from '../support/http-client.ts';
import type { Random } from '../support/random.ts';
import type { World } from './model-world.ts';

/** What one operation of a history is given; equal `random` and `world` make equal choices. */
export interface Step {
  http: Client;
  world: World;
  random: Random;
  restart(way: 'stop' | 'kill'): Promise<void>;
}

/** Does something to the service and to the model, and throws when they differ. */
export type Operation = (step: Step) => Promise<void>;

export const topicNames = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta'];
export const memoryTypes = ['episodic', 'semantic', 'procedural'];
