/** Patterns in the memories of a user. Visible if a live memory shows it or a person edited it. */
export interface PatternsTable {
  user_id: number;
  id: string;
  /** Key by which a later detection finds it: type, owner and words. */
  pattern_key: string;
  type: string;
  name: string;
  description: string;
  /** The topic of most of its memories. */
  context: string | null;
  /** The name of its owner, or `user`. */
  owner: string;
  target: string;
  /** The alternative that the target is preferred to. */
  against: string | null;
  /** 1 if it states something to avoid. */
  negated: number;
  confidence: number;
  /** `confidence` before feedback: as detected, or as set by a person. */
  base_confidence: number;
  positive_count: number;
  negative_count: number;
  /** The last feedback that had text. */
  feedback: string | null;
  /** Fields that a person set, separated by commas; empty if none. */
  edited: string;
  is_active: number;
  metadata: string | null;
  /** The memory from which name, description and target take their words. */
  worded_by: string | null;
  first_seen_at: number;
  last_seen_at: number;
  created_at: number;
  updated_at: number;
}

export interface PatternEvidenceTable {
  user_id: number;
  pattern_id: string;
  memory_id: string;
  seen_at: number;
}

export interface BehaviourStatesTable {
  user_id: number;
  /** JSON object. */
  state: string;
  updated_at: number;
}

export interface PatternDatabase {
  patterns: PatternsTable;
  pattern_evidence: PatternEvidenceTable;
  behaviour_states: BehaviourStatesTable;
}
