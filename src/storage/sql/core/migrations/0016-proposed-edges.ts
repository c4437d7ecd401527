import type { ColumnTypes } from './column-types.ts';

/** Who found a candidate: the rules, which find each again when they compare, or an LLM, which is asked once. */
export const proposedEdges = ({ text }: ColumnTypes) => [
  `ALTER TABLE edge_candidates ADD COLUMN creation_method ${text} NOT NULL DEFAULT 'auto-semantic'`,
];
