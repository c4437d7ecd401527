import { documentTraits } from '../../search-index/ports.ts';
import type { Arm, ArmContext } from './arm.ts';
import type { RatedSignal, SignalSpec } from './signal.ts';

const question: SignalSpec = {
  name: 'question',
  group: 'conversation',
  parts: { self: 'being a question' },
  needsContext: true,
};
const shortQuestion: SignalSpec = {
  name: 'shortQuestion',
  group: 'conversation',
  parts: { self: 'being a short question' },
  needsContext: true,
};

/** Rates questions, and short questions: they are rarely the answer. */
export const questionArm: Arm = {
  name: 'question',
  signals: [question, shortQuestion],
  isAsked: () => true,
  run: (context) => [
    rateTraits(question, documentTraits.question, context),
    rateTraits(shortQuestion, documentTraits.question | documentTraits.short, context),
  ],
};

/** 1 for rows with all of these traits. */
function rateTraits(spec: SignalSpec, bits: number, { view }: ArmContext): RatedSignal {
  const { traits } = view.index.columns;
  return {
    spec,
    rate: (rows, count, out) => {
      for (let i = 0; i < count; i++) out[i] = (traits[rows[i]] & bits) === bits ? 1 : 0;
    },
  };
}
