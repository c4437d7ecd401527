/** An arm of a search that gave nothing, in the words that clients know. */
export interface BranchFailure {
  readonly name: 'semantic';
  readonly status: 'timeout' | 'error';
  readonly reason: 'timeout' | 'connection' | 'provider_error';
}

/** What a search says of the arm of vectors. */
export function vectorsFailed(reason: BranchFailure['reason']): BranchFailure {
  return { name: 'semantic', status: reason === 'timeout' ? 'timeout' : 'error', reason };
}
