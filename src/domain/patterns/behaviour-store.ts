import type { EpochMs } from '../shared/time.ts';
/** Stored for clients, never interpreted. */
export type BehaviourState = Readonly<Record<string, unknown>>;

export interface BehaviourReader {
  find(): Promise<BehaviourState | undefined>;
}

export interface BehaviourWriter extends BehaviourReader {
  save(state: BehaviourState, at: EpochMs): Promise<void>;
}
