import type { Metadata } from '../../../domain/memories/metadata.ts';
import {
  evidenceShownMax,
  type Pattern,
  type PatternField,
  type PatternSummary,
  type PatternType,
} from '../../../domain/patterns/pattern.ts';
import type { PatternsTable } from '../core/pattern-tables.ts';

/** @param memoryIds live ones that show it, the last first */
export const toPattern = (row: PatternsTable, memoryIds: readonly string[]): Pattern => ({
  ...toSummary(row, memoryIds.length),
  evidence: memoryIds.slice(0, evidenceShownMax),
});

/** @param occurrences live memories that show it */
export function toSummary(row: PatternsTable, occurrences: number): PatternSummary {
  return {
    id: row.id,
    key: row.pattern_key,
    type: row.type as PatternType,
    name: row.name,
    description: row.description,
    context: row.context,
    owner: row.owner,
    target: row.target,
    against: row.against,
    isNegated: row.negated === 1,
    confidence: row.confidence,
    baseConfidence: row.base_confidence,
    positives: row.positive_count,
    negatives: row.negative_count,
    feedback: row.feedback,
    edited: row.edited.split(',').filter(Boolean) as PatternField[],
    isActive: row.is_active === 1,
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Metadata),
    wordedBy: row.worded_by,
    firstSeen: row.first_seen_at,
    lastSeen: row.last_seen_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    occurrences,
  };
}

export function toRow(pattern: Pattern): Omit<PatternsTable, 'user_id'> {
  return {
    id: pattern.id,
    pattern_key: pattern.key,
    type: pattern.type,
    name: pattern.name,
    description: pattern.description,
    context: pattern.context,
    owner: pattern.owner,
    target: pattern.target,
    against: pattern.against,
    negated: pattern.isNegated ? 1 : 0,
    confidence: pattern.confidence,
    base_confidence: pattern.baseConfidence,
    positive_count: pattern.positives,
    negative_count: pattern.negatives,
    feedback: pattern.feedback,
    edited: pattern.edited.join(','),
    is_active: pattern.isActive ? 1 : 0,
    metadata: pattern.metadata === null ? null : JSON.stringify(pattern.metadata),
    worded_by: pattern.wordedBy,
    first_seen_at: pattern.firstSeen,
    last_seen_at: pattern.lastSeen,
    created_at: pattern.createdAt,
    updated_at: pattern.updatedAt,
  };
}
