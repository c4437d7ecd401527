export const feedbackKinds = ['positive', 'negative', 'neutral'] as const;
export type FeedbackKind = (typeof feedbackKinds)[number];

/** What the confidence of a detection weighs against feedback: as much as two judgements. */
export const priorWeight = 2;

const negativeWords =
  /\b(?:no|not|never|wrong|false|incorrect|bad|useless|unhelpful|irrelevant|outdated|stale|disagree|stop|\w+n['’]t|mistaken?|negative|dislike)\b/iu;
/** A denial of something bad agrees: "not wrong at all". */
const deniedFault =
  /\b(?:no|not|never|nothing|\w+n['’]t)\s+(?:\w+\s+)?(?:wrong|false|incorrect|bad|useless|unhelpful|irrelevant|outdated|stale|mistaken?)\b/giu;
const positiveWords =
  /\b(?:yes|right|correct|true|good|great|useful|helpful|agreed?|exactly|accurate|perfect|thanks|positive|works?|confirm(?:ed)?|relevant)\b/iu;

/**
 * What a feedback says: one of the three words, or words of its own, judged by what they hold. A word of denial decides,
 * for "not helpful" holds both, unless it denies a fault; what holds neither is neutral.
 */
export function kindOfFeedback(text: string): FeedbackKind {
  const word = text.trim().toLowerCase();
  const named = feedbackKinds.find((kind) => kind === word);
  if (named !== undefined) return named;
  const rest = text.replace(deniedFault, '');
  if (negativeWords.test(rest)) return 'negative';
  return rest !== text || positiveWords.test(rest) ? 'positive' : 'neutral';
}

/**
 * The mean of a Beta distribution (Laplace's rule with a prior): the confidence that was detected or set, counted as
 * `priorWeight` judgements, and each judgement since as one. @returns 0-1
 */
export function confidenceAfter(base: number, positives: number, negatives: number): number {
  return (base * priorWeight + positives) / (priorWeight + positives + negatives);
}
