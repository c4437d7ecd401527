import { readFileSync } from 'node:fs';

interface AgentMemory {
  readonly id: string;
  /** ISO 8601; memories of one day are of one session. */
  readonly at: string;
  readonly text: string;
  readonly topics: readonly string[];
  readonly outcome?: 'resolved' | 'unresolved';
}

export interface AgentQuestion {
  readonly ask: string;
  /** Ids of the memories that answer it and hold; empty: nothing is known. */
  readonly right: readonly string[];
  /** Ids of memories on the same matter that hold no longer. */
  readonly outdated?: readonly string[];
}

export interface AgentSet {
  readonly about: string;
  readonly askedAt: string;
  readonly memories: readonly AgentMemory[];
  readonly questions: readonly AgentQuestion[];
}

/** The set to develop with, and the locked one. */
export const agentSets = ['software', 'house'] as const;

export function readAgentSet(name: (typeof agentSets)[number]): AgentSet {
  const file = new URL(`../data/agents/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as AgentSet;
}
