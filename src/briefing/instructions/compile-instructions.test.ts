import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PatternSummary, patternTypes } from '../../domain/patterns/pattern.ts';
import { loadTokenCounter } from '../text/tokens.ts';
import { selectInstructions } from './compile-instructions.ts';

const runs = 10_000;
const text = fc.string({ unit: 'grapheme', maxLength: 120 });

const pattern: fc.Arbitrary<PatternSummary> = fc.record({
  id: fc.uuid(),
  key: fc.uuid(),
  type: fc.constantFrom(...patternTypes),
  owner: fc.constantFrom('user', 'Ana'),
  target: fc.constantFrom('', 'tea', 'coffee', 'Tea'),
  against: fc.constantFrom(null, 'tea', 'coffee'),
  isNegated: fc.boolean(),
  name: text,
  description: text,
  context: fc.constant(null),
  confidence: fc.double({ min: 0, max: 1, noNaN: true }),
  baseConfidence: fc.constant(0.5),
  positives: fc.nat(2),
  negatives: fc.nat(2),
  feedback: fc.constant(null),
  edited: fc.constantFrom<PatternSummary['edited']>([], ['description']),
  isActive: fc.boolean(),
  metadata: fc.constant(null),
  wordedBy: fc.constant(null),
  firstSeen: fc.nat(),
  lastSeen: fc.nat(),
  createdAt: fc.nat(),
  updatedAt: fc.nat(),
  occurrences: fc.nat(3),
});

const asked = fc.record({
  tokenBudget: fc.integer({ min: 50, max: 2000 }),
  minConfidence: fc.double({ min: 0, max: 1, noNaN: true }),
  maxInstructions: fc.integer({ min: 1, max: 10 }),
});

describe('the instructions made of patterns', () => {
  it('instructions never have more tokens than their budget, whatever the patterns are', async () => {
    const countTokens = await loadTokenCounter();
    await fc.assert(
      fc.asyncProperty(fc.array(pattern, { maxLength: 12 }), asked, async (patterns, request) => {
        const made = await selectInstructions(patterns, request, () => ['always'], countTokens);
        const lines = made.instructions.map((one) => one.text).join('\n');
        expect(countTokens(lines)).toBe(made.tokenCount);
        expect(made.tokenCount).toBeLessThanOrEqual(request.tokenBudget);
        expect(made.instructions.length).toBeLessThanOrEqual(request.maxInstructions);
        const shown = new Set(made.instructions.map((one) => one.pattern.id));
        expect(made.conflicts.filter(({ loserId }) => shown.has(loserId))).toEqual([]);
        expect(made.instructions.every((one) => one.text.length <= 500)).toBe(true);
      }),
      { numRuns: runs },
    );
  }, 120_000);
});
