import { Type } from 'typebox';
import { itemsWithin, loadTokenCounter } from '../../briefing/text/tokens.ts';
import { patternTypes } from '../../domain/patterns/pattern.ts';
import { choiceField, limitField, offsetField } from '../fields.ts';
import { knownName } from '../known-name.ts';
import { budgetField } from '../tool.ts';

/** Left for the counts around the list. */
const envelopeTokens = 60;

const PatternItemSchema = Type.Object({
  id: Type.String(),
  type: choiceField(patternTypes, 'What it is of.'),
  description: Type.String(),
  confidence: Type.Number(),
  occurrences: Type.Integer({ description: 'Memories that show it.' }),
});

export const patternsTool = knownName({
  name: 'patterns',
  title: 'How things are done here',
  description:
    'What recurs in memories: corrections, rules, preferences, habits, sequences of work, tools and times, the surest first. ' +
    'Call it when work begins, and go by those of high confidence. They are as last compiled (`memoryd patterns detect`).',
  scope: 'read',
  properties: { limit: limitField(50, 200, 'patterns'), offset: offsetField, ...budgetField },
  output: Type.Object({
    patterns: Type.Array(PatternItemSchema),
    total: Type.Integer({ description: 'All there are, not only those answered.' }),
    omitted: Type.Integer({ description: 'Patterns of this page that did not fit into maxTokens.' }),
  }),
  run: async ({ services, user }, { limit, offset, maxTokens }) => {
    const [{ items, count }, countTokens] = await Promise.all([
      services.patterns.list(user, { limit, offset }),
      loadTokenCounter(),
    ]);
    const all = items.map(({ id, type, description, confidence, occurrences }) => ({
      id,
      type,
      description,
      confidence: Number(confidence.toFixed(2)),
      occurrences,
    }));
    const patterns = await itemsWithin(all, { max: maxTokens - envelopeTokens, countTokens });
    return { patterns, total: count, omitted: items.length - patterns.length };
  },
});
