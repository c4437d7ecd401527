import { namesInQuery } from '../../query/words/names-in-query.ts';
import type { AnswerType } from '../../query/words/question-form.ts';
import { bestRows } from '../../scores/order.ts';
import { withSummand } from '../fuse/fuse.ts';
import type { Rescorer } from '../rescorer.ts';

/** Number of best results that it reads: a right answer is nearly always among them. */
const readMax = 200;

const phrases: Readonly<Record<AnswerType, string>> = {
  PERSON: 'a person in it, as is asked for',
  LOCATION: 'a place in it, as is asked for',
  TIME: 'a time in it, as is asked for',
};

/**
 * In units of the weighted sum; ADR 22 has the effect. A stated time is often
 * of another event than the requested one: half of the weight was best.
 */
const weights: Readonly<Record<AnswerType, number>> = { PERSON: 0.3, LOCATION: 0.3, TIME: 0.15 };

/** Lifts results that name an answer of the requested type: a place for "where", a person for "who", a time for "when". */
export const answers: Rescorer = {
  name: 'answers',
  // Neither vectors alone nor words without context (BM25) have the unit of these weights.
  applies: ({ form, method, context }) =>
    form.answerType !== undefined && (method === 'hybrid' || (method === 'keyword' && context)),
  rescore: async (ranked, { plan, view, reader: { derived } }) => {
    const { query, form } = plan;
    const answerType = form.answerType as AnswerType;
    const { index } = view;
    const { docs } = index.columns;
    const best = bestRows(ranked.rows, readMax, index, ranked.scores);
    if (best.length === 0) return ranked;
    const asked = best.map((row) => docs[row]);
    const answering =
      answerType === 'TIME'
        ? await derived.docsWithTime(asked)
        : await derived.docsNaming(asked, answerType, new Set(namesInQuery(query).entityKeys));
    if (answering.length === 0) return ranked;
    const scores = view.arrays.numbers(view.size);
    for (const doc of answering) scores[index.rowOf(doc)] = 1;
    return withSummand(ranked, view, {
      signal: 'answer',
      group: 'answer',
      phrase: phrases[answerType],
      factor: weights[answerType],
      scores,
    });
  },
};
