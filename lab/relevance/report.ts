import type { Asked } from './examples.ts';
import type { Judged } from './fit-relevance.ts';

const half = 0.5;

const sets: readonly (readonly [string, readonly Asked[]])[] = [
  ['direct questions', ['direct']],
  ['direct questions, locked half', ['direct-locked']],
  ['small stores', ['small']],
  ['small stores, locked half', ['small-locked']],
  ['questions of the talks', ['own']],
  ["other users' questions", ['foreign', 'renamed']],
  ['never stored, fitted on', ['training', 'further']],
  ['never stored, locked', ['locked', 'fresh']],
];

export const measuresHead = [
  'asked',
  'questions',
  'results of .5 and more that are right',
  'right first results that keep .5',
  'highest relevance on a wrong result, a right one being there',
  'nothing stored, and a result of .5',
];

/** Measures of the results with relevance of at least 0.5, by set of questions. */
export function measuresOf(judged: readonly Judged[]): string[][] {
  return sets.flatMap(([name, asked]) => {
    const own = judged.filter(({ example }) => asked.includes(example.asked));
    if (own.length === 0) return [];
    const stored = own.filter(({ example }) => example.isStored);
    const absent = own.filter(({ example }) => !example.isStored);
    const above = stored.flatMap(({ example, relevance }) =>
      example.hits.filter((_, i) => relevance[i] >= half),
    );
    const firstRight = stored.filter(({ example }) => example.hits[0]?.isRight);
    const wrongHighest = stored.filter(isWrongHighest);
    return [
      [
        name,
        String(own.length),
        share(above.filter(({ isRight }) => isRight).length, above.length),
        share(firstRight.filter(({ relevance }) => relevance[0] >= half).length, firstRight.length),
        share(wrongHighest.length, stored.length),
        share(absent.filter(({ relevance }) => relevance.some((each) => each >= half)).length, absent.length),
      ],
    ];
  });
}

function isWrongHighest({ example, relevance }: Judged): boolean {
  if (!example.hits.some(({ isRight }) => isRight)) return false;
  const highest = relevance.indexOf(Math.max(...relevance));
  return !example.hits[highest].isRight;
}

function share(count: number, of: number): string {
  return of === 0 ? '' : `${count} of ${of} (${((100 * count) / of).toFixed(1)} %)`;
}

const steps = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

export const curveHead = ['relevance', 'results', 'mean', 'right'];

/** Number, mean relevance and share of right results of the direct questions, by tenths of relevance. */
export function curveOf(judged: readonly Judged[]): string[][] {
  const results = judged
    .filter(({ example: { asked } }) => asked === 'direct' || asked === 'direct-locked')
    .flatMap(({ example, relevance }) =>
      example.hits.map(({ isRight }, i) => ({ isRight, relevance: relevance[i] })),
    );
  return steps.map((from) => {
    const within = results.filter(
      ({ relevance }) => relevance >= from && (relevance < from + 0.1 || from === 0.9),
    );
    const mean = within.reduce((total, { relevance }) => total + relevance, 0) / within.length;
    const right = within.filter(({ isRight }) => isRight).length / within.length;
    return [
      `${from.toFixed(1)}-${(from + 0.1).toFixed(1)}`,
      String(within.length),
      mean.toFixed(2),
      right.toFixed(2),
    ];
  });
}

const floors = [0.04, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5];

export const floorHead = [
  'floor',
  'direct: answered',
  'direct: right results kept',
  'direct: results that are right',
  'direct, nothing stored: a result',
  'in other words: answered',
  'never stored: a result',
];

/**
 * What a floor of relevance leaves, of the questions that are fitted on: questions with a right
 * result among the ten that keep one, right results kept, and questions about nothing stored with a result.
 */
export function floorsOf(judged: readonly Judged[]): string[][] {
  const of = (asked: readonly Asked[], isStored: boolean) =>
    judged.filter(({ example }) => asked.includes(example.asked) && example.isStored === isStored);
  const direct = of(['direct'], true);
  const sets = {
    own: of(['own'], true),
    absent: of(['direct'], false),
    never: of(['training', 'further'], false),
  };
  const isRight = ({ example }: Judged, i: number) => example.hits[i].isRight;
  return floors.map((floor) => {
    const shown = (each: Judged) => [...each.relevance.keys()].filter((i) => each.relevance[i] >= floor);
    const answered = (set: readonly Judged[]) => {
      const found = set.filter(({ example }) => example.hits.some((hit) => hit.isRight));
      return share(found.filter((each) => shown(each).some((i) => isRight(each, i))).length, found.length);
    };
    const above = (set: readonly Judged[]) =>
      share(set.filter((each) => shown(each).length > 0).length, set.length);
    const kept = direct.flatMap((each) => shown(each).map((i) => isRight(each, i)));
    const right = direct.flatMap(({ example }) => example.hits).filter((hit) => hit.isRight).length;
    const keptRight = kept.filter((is) => is).length;
    return [
      floor.toFixed(2),
      answered(direct),
      share(keptRight, right),
      share(keptRight, kept.length),
      above(sets.absent),
      answered(sets.own),
      above(sets.never),
    ];
  });
}
