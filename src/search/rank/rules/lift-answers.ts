import type { IndexReader } from '../../../search-index/ports.ts';
import type { IndexView } from '../../../search-index/rows/index-view.ts';
import { namesInQuery } from '../../query/words/names-in-query.ts';
import type { AnswerType } from '../../query/words/question-form.ts';
import { bestRows } from '../../scores/sort-orders.ts';
import type { Fused } from '../fuse/fuse.ts';
import { withFeature } from '../fuse/with-feature.ts';

/** Results that are looked at, the best: what answers a question is nearly always among them. */
const lookedAtMax = 200;

const phrases: Readonly<Record<AnswerType, string>> = {
  PERSON: 'a person in it, as is asked for',
  LOCATION: 'a place in it, as is asked for',
  TIME: 'a time in it, as is asked for',
};

export interface AnswerQuestion {
  readonly query: string;
  readonly answerType: AnswerType;
  readonly factor: number;
}

/** The best results that name what is asked for (where: a place, who: a person, when: a time) get more. */
export async function liftAnswers(
  fused: Fused,
  view: IndexView,
  reader: Pick<IndexReader, 'derived'>,
  { query, answerType, factor }: AnswerQuestion,
): Promise<Fused> {
  const { index } = view;
  const { docs } = index.columns;
  const best = bestRows(fused.rows, lookedAtMax, index, fused.scores);
  if (best.length === 0) return fused;
  const asked = best.map((row) => docs[row]);
  const answering =
    answerType === 'TIME'
      ? await reader.derived.docsWithTime(asked)
      : await reader.derived.docsNaming(asked, answerType, new Set(namesInQuery(query).entityKeys));
  if (answering.length === 0) return fused;
  const scores = view.arrays.numbers(view.size);
  for (const doc of answering) scores[index.rowOf(doc)] = 1;
  return withFeature(fused, view, {
    signal: 'answer',
    group: 'answer',
    phrase: phrases[answerType],
    factor,
    scores,
  });
}
