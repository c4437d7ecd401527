import type { Network } from './network.ts';

/** What training found. */
export interface RerankModel extends Network {
  /** Units of the weighted sum for each unit of the network, so that both spread candidates as much. */
  readonly scale: number;
}
