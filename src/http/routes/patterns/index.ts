import type { Route } from '../../route-plugin.ts';
import { analyzePatterns } from './analyze-patterns.ts';
import { getBehaviorState, updateBehaviorState } from './behaviour-state.ts';
import { compileInstructions } from './compile-instructions.ts';
import { compilePatterns } from './compile-patterns.ts';
import { detectPatterns } from './detect-patterns.ts';
import { givePatternFeedback } from './give-pattern-feedback.ts';
import { listPatterns } from './list-patterns.ts';
import { updatePattern } from './update-pattern.ts';

export const patternRoutes: readonly Route[] = [
  listPatterns,
  updatePattern,
  detectPatterns,
  compilePatterns,
  compileInstructions,
  analyzePatterns,
  givePatternFeedback,
  getBehaviorState,
  updateBehaviorState,
];
