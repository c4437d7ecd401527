import { checkedMetadata, type Metadata, metadataBytesMax } from '../memories/metadata.ts';
import { invalidInput, notFound } from '../shared/errors.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import { fillFrom } from '../shared/page-bytes.ts';
import { assertLength } from '../shared/storable-text.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type WriteDeps, writeAs } from '../shared/write.ts';
import { analyzePatterns, type Grouping, type PatternAnalysis } from './analyze-patterns.ts';
import { type Pattern, type PatternField, patternFields, patternLengthMax } from './pattern.ts';

interface PatternChange {
  readonly name?: string;
  readonly description?: string;
  readonly confidence?: number;
  /** Replaces all metadata. */
  readonly metadata?: Metadata;
  /** An inactive one gives no instructions. */
  readonly active?: boolean;
}

const patternsReadAtOnce = 200;
/** Upper bound of a pattern's size as JSON; 4,000 bytes for ids, times and field names. */
const jsonBytesMax = ({ metadata }: Pattern) =>
  4000 +
  6 * (patternLengthMax.name + patternLengthMax.description + patternLengthMax.feedback) +
  (metadata === null ? 0 : metadataBytesMax);

/** Reads and changes of stored patterns, and feedback to them. */
export class PatternService {
  readonly #deps: WriteDeps;

  constructor(deps: WriteDeps) {
    this.#deps = deps;
  }

  /** By falling confidence; a page ends early if the response would be too large. */
  async list(user: UserRef, request: PageRequest): Promise<Page<Pattern>> {
    const { patterns } = this.#deps.stores.forUser(user);
    const ids = await patterns.listIds(request);
    return fillFrom(ids, (some) => patterns.findMany(some), jsonBytesMax, patternsReadAtOnce);
  }

  /** @throws 404 */
  async get(user: UserRef, id: string): Promise<Pattern> {
    const pattern = await this.#deps.stores.forUser(user).patterns.find(id);
    if (!pattern) throw notFound('pattern');
    return pattern;
  }

  /** @param request days up to now, the grouping of trends, and how many patterns to return with it */
  async analyze(
    user: UserRef,
    request: { readonly days: number; readonly groupBy: Grouping; readonly shown: number },
  ): Promise<{ readonly analysis: PatternAnalysis; readonly patterns: readonly Pattern[] }> {
    const now = this.#deps.clock.now();
    const stored = this.#deps.stores.forUser(user).patterns;
    const summaries = await stored.listSummaries();
    const sightings = stored.sightings(summaries.map(({ id }) => id));
    const patterns =
      request.shown > 0 ? (await this.list(user, { limit: request.shown, offset: 0 })).items : [];
    return { analysis: await analyzePatterns(summaries, sightings, { ...request, now }), patterns };
  }

  /** Later detections keep the fields that it sets; a new confidence restarts the count of feedback. @throws 404, 422 */
  update(user: UserRef, id: string, change: PatternChange): Promise<Pattern> {
    const checked = checkedChange(change);
    return writeAs(this.#deps, user, async ({ tx, at }) => {
      const before = await tx.patterns.find(id);
      if (!before) throw notFound('pattern');
      const after = { ...changed(before, checked), updatedAt: at };
      await tx.patterns.replace(after);
      return after;
    });
  }

  /**
   * Moves the confidence up or down; see `confidenceAfter`.
   * @param isTakenBack takes one such feedback back, if there is one
   * @throws 404, 422
   */
  feedback(
    user: UserRef,
    id: string,
    { text, isTakenBack = false }: { readonly text: string; readonly isTakenBack?: boolean },
    act?: KeyedAct<Pattern>,
  ): Promise<Pattern> {
    assertLength(text, 'feedback', patternLengthMax.feedback, 1);
    if (text.trim() === '') throw invalidInput('feedback', 'must not be blank');
    const kind = kindOfFeedback(text);
    return writeAs(
      this.#deps,
      user,
      async ({ tx, at }) => {
        const before = await tx.patterns.find(id);
        if (!before) throw notFound('pattern');
        const more = isTakenBack ? -1 : 1;
        const positives = Math.max(0, before.positives + (kind === 'positive' ? more : 0));
        const negatives = Math.max(0, before.negatives + (kind === 'negative' ? more : 0));
        const isWord = feedbackKinds.some((word) => word === text.trim().toLowerCase());
        const after: Pattern = {
          ...before,
          positives,
          negatives,
          confidence: confidenceAfter(before.baseConfidence, positives, negatives),
          feedback: isWord || isTakenBack ? before.feedback : text,
          updatedAt: at,
        };
        await tx.patterns.replace(after);
        return after;
      },
      act,
    );
  }
}

/** @throws 422 */
function checkedChange(
  change: PatternChange,
): PatternChange & { readonly checkedMetadata?: Metadata | null } {
  const { name, description, metadata } = change;
  if (name !== undefined) assertLength(name, 'name', patternLengthMax.name, 1);
  if (name?.trim() === '') throw invalidInput('name', 'must not be blank');
  assertLength(description ?? '', 'description', patternLengthMax.description);
  return metadata === undefined ? change : { ...change, checkedMetadata: checkedMetadata(metadata) };
}

function changed(
  before: Pattern,
  { checkedMetadata: metadata, ...change }: ReturnType<typeof checkedChange>,
): Pattern {
  const set: PatternField[] = patternFields.filter((field) => change[field] !== undefined);
  const { name = before.name, description = before.description, confidence, active } = change;
  const rated = confidence !== undefined && {
    confidence,
    baseConfidence: confidence,
    positives: 0,
    negatives: 0,
  };
  return {
    ...before,
    name,
    description,
    ...rated,
    metadata: metadata === undefined ? before.metadata : metadata,
    isActive: active ?? before.isActive,
    edited: patternFields.filter((field) => set.includes(field) || before.edited.includes(field)),
  };
}

const feedbackKinds = ['positive', 'negative', 'neutral'] as const;
type FeedbackKind = (typeof feedbackKinds)[number];

/** The detected confidence counts as two judgements. */
const priorWeight = 2;

const negativeWords =
  /\b(?:no|not|never|wrong|false|incorrect|bad|useless|unhelpful|irrelevant|outdated|stale|disagree|stop|\w+n['’]t|mistaken?|negative|dislike)\b/iu;
/** A denial of something bad agrees: "not wrong at all". */
const deniedFault =
  /\b(?:no|not|never|nothing|\w+n['’]t)\s+(?:\w+\s+)?(?:wrong|false|incorrect|bad|useless|unhelpful|irrelevant|outdated|stale|mistaken?)\b/giu;
const positiveWords =
  /\b(?:yes|right|correct|true|good|great|useful|helpful|agreed?|exactly|accurate|perfect|thanks|positive|works?|confirm(?:ed)?|relevant)\b/iu;

/**
 * Classifies a feedback: one of the three words, or free text. A negative word decides ("not helpful"), unless it denies
 * a fault ("not wrong"); text with neither positive nor negative words is neutral.
 */
function kindOfFeedback(text: string): FeedbackKind {
  const word = text.trim().toLowerCase();
  const named = feedbackKinds.find((kind) => kind === word);
  if (named !== undefined) return named;
  const rest = text.replace(deniedFault, '');
  if (negativeWords.test(rest)) return 'negative';
  return rest !== text || positiveWords.test(rest) ? 'positive' : 'neutral';
}

/**
 * Mean of a Beta distribution (Laplace's rule with a prior): `base`, the confidence detected or set, counts as
 * `priorWeight` judgements, each later one as one. @returns 0-1
 */
export function confidenceAfter(base: number, positives: number, negatives: number): number {
  return (base * priorWeight + positives) / (priorWeight + positives + negatives);
}
