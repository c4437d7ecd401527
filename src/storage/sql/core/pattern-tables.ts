/** What recurs in the memories of a user. Seen while a live memory shows it, or once a person edited it. */
export interface PatternsTable {
  user_id: number;
  id: string;
  /** Type, owner and words: what a later detection knows it by. */
  pattern_key: string;
  type: string;
  name: string;
  description: string;
  /** The topic that most of its memories have. */
  context: string | null;
  /** Whose it is: a name, or `user`. */
  owner: string;
  target: string;
  /** What the target is taken in place of. */
  against: string | null;
  /** 1 where it says what is not to be. */
  negated: number;
  confidence: number;
  /** What feedback moves `confidence` from: as detected, or as a person set it. */
  base_confidence: number;
  positive_count: number;
  negative_count: number;
  /** The last one in words. */
  feedback: string | null;
  /** Fields that a person set, by comma; empty for none. */
  edited: string;
  is_active: number;
  metadata: string | null;
  /** The memory whose words name, description and target have. */
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
