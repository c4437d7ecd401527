import type { Arm, ArmContext } from './arm.ts';
import type { RatedSignal, SignalSpec } from './signal.ts';

const speaker: SignalSpec = {
  name: 'speaker',
  group: 'conversation',
  parts: { self: 'the speaker named in the query' },
  needsContext: true,
};

/** Rates memories whose speaker's full name is in the query. */
export const speakerArm: Arm = {
  name: 'speaker',
  signals: [speaker],
  isAsked: () => true,
  run: rateSpeakers,
};

function rateSpeakers({ plan, view: { index }, terms }: ArmContext): RatedSignal[] {
  const named = index.speakersNamed(new Set([...plan.terms, ...terms.map(({ term }) => term)]));
  if (named.size === 0) return [];
  const { speaker: speakers } = index.columns;
  return [
    {
      spec: speaker,
      rate: (rows, count, out) => {
        for (let i = 0; i < count; i++) out[i] = named.has(speakers[rows[i]]) ? 1 : 0;
      },
    },
  ];
}
