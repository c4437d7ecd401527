import { type JudgedHit, shares } from './fit-relevance.ts';

const half = 0.5;

/** How many hits of each kind are above one half. */
export function summaryOf(judged: readonly JudgedHit[]): string[][] {
  const kinds: [string, (hit: JudgedHit) => boolean][] = [
    ['right', ({ of }) => of === 'right'],
    ['wrong, though stored', ({ of }) => of === 'wrong'],
    ["another user's question", ({ of }) => of === 'foreign'],
    ['the same with the names of its own', ({ of }) => of === 'renamed'],
    ['never stored, further', ({ example }) => example.asked === 'further'],
    ['never stored, training half', ({ example }) => example.asked === 'training'],
    ['never stored, locked half', ({ example }) => example.asked === 'locked'],
    ['never stored, fresh', ({ example }) => example.asked === 'fresh'],
  ];
  return kinds.flatMap(([name, isOfKind]) => {
    const hits = judged.filter(isOfKind);
    if (hits.length === 0) return [];
    const share = (count: number) => `${count} (${((100 * count) / hits.length).toFixed(1)} %)`;
    return [
      [
        name,
        String(hits.length),
        share(hits.filter(({ relevance }) => relevance > half).length),
        share(hits.filter(({ best }) => best > half).length),
      ],
    ];
  });
}

/** What a hit counts: those that are right together as much as those that are not. */
export function weightOf(judged: readonly JudgedHit[]): (hit: JudgedHit) => number {
  const counts = { right: 0, wrong: 0, foreign: 0, renamed: 0, neverStored: 0 };
  for (const { of } of judged) counts[of]++;
  return ({ of }) => shares[of] / counts[of];
}

const steps = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/** By tenths of relevance how many hits are right: of the hits as they are, and as they count. */
export function curveOf(judged: readonly JudgedHit[], weight: (hit: JudgedHit) => number): string[][] {
  return steps.map((from) => {
    const hits = judged.filter(
      ({ relevance }) => relevance >= from && (relevance < from + 0.1 || from === 0.9),
    );
    const right = hits.filter(({ of }) => of === 'right');
    const sum = (of: readonly JudgedHit[]) => of.reduce((total, hit) => total + weight(hit), 0);
    const mean = hits.reduce((total, { relevance }) => total + relevance, 0) / hits.length;
    return [
      `${from.toFixed(1)}-${(from + 0.1).toFixed(1)}`,
      String(hits.length),
      mean.toFixed(2),
      (right.length / hits.length).toFixed(2),
      (sum(right) / sum(hits)).toFixed(2),
    ];
  });
}
