import { Type } from 'typebox';
import { parseWindowStart, toIso } from '../../domain/shared/time.ts';
import { limitField, offsetField, queryField, topicsField, windowField } from '../fields.ts';
import { knownName } from '../known-name.ts';
import { budgetField } from '../tool.ts';
import { searchTool } from '../tools/search.ts';

export const searchMemoriesTool = knownName({
  name: 'search_memories',
  title: 'Search memories',
  description: 'The same as `search`: memories by meaning and words, best first.',
  scope: 'read',
  properties: {
    query: queryField('What to find.'),
    limit: limitField(10, 100, 'memories'),
    offset: offsetField,
    topics: Type.Optional(topicsField('Only memories with any of these topics.')),
    recent: Type.Optional(windowField('Only what happened within this time, such as 24h or 7d.')),
    ...budgetField,
  },
  output: searchTool.output,
  run: (context, { recent, ...request }) => {
    const now = context.services.clock.now();
    const from = recent === undefined ? undefined : toIso(parseWindowStart(recent, 'recent', now));
    return searchTool.run(context, { ...request, from });
  },
});
