import type { EpochMs } from '../shared/time.ts';

/** A JSON object that a client keeps of its own behaviour; the service stores it and never interprets it. */
export type BehaviourState = Readonly<Record<string, unknown>>;

export interface BehaviourReader {
  find(): Promise<BehaviourState | undefined>;
}

export interface BehaviourWriter extends BehaviourReader {
  save(state: BehaviourState, at: EpochMs): Promise<void>;
}
