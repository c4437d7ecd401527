import { metadataBytesMax } from '../memories/limits.ts';
import { checkedMetadata, type Metadata } from '../memories/metadata.ts';
import { invalidInput, notFound } from '../shared/errors.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import { fillFrom } from '../shared/page-bytes.ts';
import { assertLength } from '../shared/text-length.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type WriteDeps, writeAs } from '../shared/write.ts';
import { type Analysis, analyzePatterns, type Grouping } from './analyze-patterns.ts';
import { confidenceAfter, feedbackKinds, kindOfFeedback } from './feedback-rule.ts';
import { type Pattern, type PatternField, patternFields, patternLengthMax } from './pattern.ts';

export interface PatternChange {
  readonly name?: string;
  readonly description?: string;
  readonly confidence?: number;
  /** Replaces all metadata. */
  readonly metadata?: Metadata;
  /** An inactive one gives no instructions. */
  readonly active?: boolean;
}

const patternsReadAtOnce = 200;
/** Bytes of a pattern as JSON at most; ids, times and names of fields included. */
const jsonBytesMax = ({ metadata }: Pattern) =>
  4000 +
  6 * (patternLengthMax.name + patternLengthMax.description + patternLengthMax.feedback) +
  (metadata === null ? 0 : metadataBytesMax);

/** Patterns that are stored: reads, changes and feedback. */
export class PatternService {
  readonly #deps: WriteDeps;

  constructor(deps: WriteDeps) {
    this.#deps = deps;
  }

  /** The surest first; a page ends early where it is more than a response holds. */
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

  /** @param request days up to now, what trends are grouped by, and how many patterns to show with it, the surest first */
  async analyze(
    user: UserRef,
    request: { readonly days: number; readonly groupBy: Grouping; readonly shown: number },
  ): Promise<{ readonly analysis: Analysis; readonly patterns: readonly Pattern[] }> {
    const now = this.#deps.clock.now();
    const stored = this.#deps.stores.forUser(user).patterns;
    const summaries = await stored.listSummaries();
    const sightings = stored.sightings(summaries.map(({ id }) => id));
    const patterns =
      request.shown > 0 ? (await this.list(user, { limit: request.shown, offset: 0 })).items : [];
    return { analysis: await analyzePatterns(summaries, sightings, { ...request, now }), patterns };
  }

  /** What it sets is kept by later detections; a confidence begins a new count of feedback. @throws 404, 422 */
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

  /** Moves the confidence by what the feedback says; see `confidenceAfter`. @throws 404, 422 */
  feedback(user: UserRef, id: string, text: string, act?: KeyedAct<Pattern>): Promise<Pattern> {
    assertLength(text, 'feedback', patternLengthMax.feedback, 1);
    if (text.trim() === '') throw invalidInput('feedback', 'must not be blank');
    const kind = kindOfFeedback(text);
    return writeAs(
      this.#deps,
      user,
      async ({ tx, at }) => {
        const before = await tx.patterns.find(id);
        if (!before) throw notFound('pattern');
        const positives = before.positives + (kind === 'positive' ? 1 : 0);
        const negatives = before.negatives + (kind === 'negative' ? 1 : 0);
        const isWord = feedbackKinds.some((word) => word === text.trim().toLowerCase());
        const after: Pattern = {
          ...before,
          positives,
          negatives,
          confidence: confidenceAfter(before.baseConfidence, positives, negatives),
          feedback: isWord ? before.feedback : text,
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
