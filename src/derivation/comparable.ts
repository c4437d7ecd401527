import type { Memory } from '../domain/memories/memory.ts';

/** Versions of one named memory supersede each other by their numbers. */
export const isToCompare = (memory: Memory, other: Memory) =>
  other.id !== memory.id && (memory.chainId === null || other.chainId !== memory.chainId);
