import type { Memory } from '../domain/memories/memory.ts';
import type { ProposedRelationship } from '../domain/relationships/relationship-steps.ts';
import type { DerivedRelationshipType } from '../language/edges/edge.ts';
import type { ProposedTextRelationship } from '../llm/check/check-edges.ts';

const reasons: Readonly<Record<DerivedRelationshipType, string>> = {
  DUPLICATES: 'An LLM proposes it: both say the same.',
  SUPERSEDES: 'An LLM proposes it: the later replaces what the earlier says.',
  CONTRADICTS: 'An LLM proposes it: both cannot be true.',
  RESOLVES: 'An LLM proposes it: the later says how the problem of the earlier was solved.',
  REFERENCES: 'An LLM proposes it: the later refers to the earlier.',
};

/** What an LLM proposes between a memory and those it was shown, as candidates. */
export function toRelationships(
  memory: Memory,
  shown: readonly Memory[],
  edges: readonly ProposedTextRelationship[],
): ProposedRelationship[] {
  return edges.map(({ earlier, type, confidence, evidence }) => {
    const target = shown[earlier];
    const found = {
      sourceMemoryId: memory.id,
      targetMemoryId: target.id,
      type,
      confidence,
      reason: reasons[type],
      evidence: {
        earlier: [target.doc, evidence.earlier.start, evidence.earlier.end],
        later: [memory.doc, evidence.later.start, evidence.later.end],
      },
    } as const;
    return { target, found };
  });
}
