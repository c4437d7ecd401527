import type { ColumnTypes } from './column-types.ts';

/**
 * Origin of a candidate: the rules, which find it again at each comparison, or an LLM, which is asked once.
 */
export const proposedEdges = ({ text }: ColumnTypes) => [
  `ALTER TABLE edge_candidates ADD COLUMN creation_method ${text} NOT NULL DEFAULT 'auto-semantic'`,
];
