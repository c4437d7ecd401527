import { type Static, Type } from 'typebox';
import { type Explained, type Explanation, explainedStatuses } from '../../../search/request.ts';
import { component } from '../../schemas/component.ts';
import { oneOf } from '../../schemas/query.ts';
import { sampleIds } from '../../schemas/samples.ts';

export const ExplanationSchema = Type.Object(
  {
    matchReason: Type.String(),
    matchedTerms: Type.Array(Type.String()),
    contributingFactors: Type.Array(Type.String()),
    parts: Type.Array(
      Type.Object(
        {
          key: Type.String({ description: 'Signal and part.', examples: ['words.self'] }),
          label: Type.String({ examples: ['its own words'] }),
          value: Type.Number({ examples: [0.126] }),
        },
        component('ScorePart'),
      ),
      { description: 'What adds up to the score, the largest first; a value below 0 counts against it.' },
    ),
  },
  component('SearchExplanation'),
);

const optionalNumber = (description: string) => Type.Optional(Type.Number({ description }));

/** The answer to `explainId`. */
export const ExplainedSchema = Type.Object(
  {
    memoryId: Type.String({ examples: [sampleIds.memory] }),
    status: oneOf(explainedStatuses, {
      description:
        'found: it is in `data`. Else where it was left out: notOnPage (by its rank), belowRelevance (by minRelevance), ' +
        'unmatched (no arm found it), filtered, notKnownYet (asOfTime is earlier), inTrash, unknown (no such memory).',
    }),
    reason: Type.String({
      examples: ['It was found at rank 14 of 120: this page ends at 10.'],
      description: 'The same in sentences.',
    }),
    rank: Type.Optional(Type.Integer({ description: 'Place among all results in their order, from 1.' })),
    score: optionalNumber('Its score, if it matches.'),
    lastScore: optionalNumber('With notOnPage: score of the last result of the page.'),
    relevance: optionalNumber('Its relevance, if it matches.'),
    filters: Type.Optional(
      Type.Array(Type.Object({ filter: Type.String(), reason: Type.String() }), {
        description:
          'Every parameter that leaves it out, each by itself; `phrase`: words in quotation marks.',
        examples: [[{ filter: 'topics', reason: 'its topics are kitchen, tea' }]],
      }),
    ),
    arms: Type.Optional(
      Type.Array(
        Type.Object({
          arm: Type.String({ description: 'As in `matchedVia`.' }),
          found: Type.Boolean(),
          rank: Type.Optional(Type.Integer({ description: 'Place among all that the arm found.' })),
          reason: Type.String(),
        }),
        {
          examples: [
            [
              {
                arm: 'vector',
                found: false,
                reason: 'It has no vector yet: it is compared once it is embedded.',
              },
            ],
          ],
        },
      ),
    ),
    missingWords: Type.Optional(
      Type.Array(Type.String(), { description: 'Words of the query that it has not, in no form.' }),
    ),
    explanation: Type.Optional(ExplanationSchema),
  },
  component('ExplainedMemory'),
);

type ExplainedRecord = Static<typeof ExplainedSchema>;

const sixDecimals = (value: number) => Math.round(value * 1e6) / 1e6;
const rounded = (value: number | undefined) => (value === undefined ? undefined : sixDecimals(value));

export function toExplanationRecord(explanation: Explanation): Static<typeof ExplanationSchema> {
  return {
    matchReason: explanation.matchReason,
    matchedTerms: [...explanation.matchedTerms],
    contributingFactors: [...explanation.contributingFactors],
    parts: explanation.parts.map(({ key, label, value }) => ({ key, label, value: sixDecimals(value) })),
  };
}

/** Names of parameters whose names in a filter differ. */
const parameters: Readonly<Record<string, string>> = {
  createdFrom: 'ingestionTimeFrom',
  createdTo: 'ingestionTimeTo',
  eventFrom: 'eventTimeFrom',
  eventTo: 'eventTimeTo',
  validAt: 'validAtTime',
  currentAt: 'includeExpired',
  outcome: 'outcomeFilter',
};

export function toExplainedRecord(explained: Explained): ExplainedRecord {
  const { filters, arms, missingWords, explanation } = explained;
  return {
    memoryId: explained.memoryId,
    status: explained.status,
    reason: explained.reason,
    rank: explained.rank,
    score: rounded(explained.score),
    lastScore: rounded(explained.lastScore),
    relevance: explained.relevance,
    filters: filters?.map(({ filter, reason }) => ({ filter: parameters[filter] ?? filter, reason })),
    arms: arms?.map((arm) => ({ ...arm })),
    missingWords: missingWords && [...missingWords],
    explanation: explanation && toExplanationRecord(explanation),
  };
}

/** A page that is cut to its limit of bytes has less than the search found. */
export function explainedOnPage(
  explained: ExplainedRecord,
  data: readonly { readonly id: string }[],
): ExplainedRecord {
  if (explained.status !== 'found' || data.some(({ id }) => id === explained.memoryId)) return explained;
  const reason = `${explained.reason} This page is full of bytes before it.`;
  return { ...explained, status: 'notOnPage', reason };
}
