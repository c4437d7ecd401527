import type { AnalysedSentence } from '../analysed-text.ts';
import type { EntityMention, EntitySource, EntityType } from './entity.ts';

/** A name that the recogniser found: tokens `from` to `to`, exclusive. */
export interface LabelSpan {
  readonly type: string;
  readonly from: number;
  readonly to: number;
}

/** Bounds of a name: longer runs are capitals or code. */
const [wordsMax, lengthMax] = [10, 200];

/**
 * The entities of one sentence while rules look for them. A token belongs to the first rule that takes it.
 */
export class MentionDraft {
  readonly sentence: AnalysedSentence;
  /** Whether the text is about software. */
  readonly isTechnical: boolean;
  readonly mentions: EntityMention[] = [];
  readonly spans: readonly LabelSpan[];
  readonly #text: string;
  readonly #taken: Uint8Array;
  /** The recogniser's span of each token. */
  readonly #spanAt: readonly (LabelSpan | undefined)[];

  constructor(text: string, sentence: AnalysedSentence, isTechnical: boolean) {
    this.isTechnical = isTechnical;
    this.#text = text;
    this.sentence = sentence;
    this.#taken = new Uint8Array(sentence.tokens.length);
    this.spans = spansOf(sentence.labels);
    const spanAt: (LabelSpan | undefined)[] = sentence.tokens.map(() => undefined);
    for (const span of this.spans) spanAt.fill(span, span.from, span.to);
    this.#spanAt = spanAt;
  }

  spanAt(token: number): LabelSpan | undefined {
    return this.#spanAt[token];
  }

  isFree(from: number, to = from + 1): boolean {
    return to <= this.#taken.length && !this.#taken.subarray(from, to).includes(1);
  }

  /** Keeps tokens out of all entities. */
  exclude(from: number, to = from + 1): void {
    this.#taken.fill(1, from, to);
  }

  textOf(from: number, to: number): string {
    const { tokens } = this.sentence;
    return this.#text.slice(tokens[from].start, tokens[to - 1].end);
  }

  /**
   * Whether the tokens, at least one, exceed the bounds of a name. A rule that extends a name stops there, or
   * it would read a long run again for each of its words.
   */
  isTooLong(from: number, to: number): boolean {
    const { tokens } = this.sentence;
    return to - from > wordsMax || tokens[to - 1].end - tokens[from].start > lengthMax;
  }

  /** Takes the tokens as an entity if all of them are free and within the bounds of a name. */
  put(from: number, to: number, type: EntityType, source: EntitySource, certainty: number): void {
    if (to <= from || this.isTooLong(from, to) || !this.isFree(from, to)) return;
    const { tokens } = this.sentence;
    const [start, end] = [tokens[from].start, tokens[to - 1].end];
    this.#taken.fill(1, from, to);
    this.mentions.push({ text: this.#text.slice(start, end), type, start, end, source, certainty });
  }
}

/**
 * Spans of BIO labels. A name begins at a B, or at an I of another type than the label before. After one word of an
 * organisation or a place an I of a person makes both a person: Ada Lovelace, Paris Hilton.
 */
function spansOf(labels: readonly string[]): LabelSpan[] {
  const spans: { type: string; from: number; to: number }[] = [];
  for (const [i, label] of labels.entries()) {
    if (label === 'O') continue;
    const type = label.slice(2);
    const last = spans.at(-1);
    const isNext = label.startsWith('I') && last?.to === i;
    if (isNext && type === 'PER' && last.to === last.from + 1 && /ORG|LOC/.test(last.type)) last.type = type;
    if (isNext && last.type === type) last.to = i + 1;
    else spans.push({ type, from: i, to: i + 1 });
  }
  return spans;
}
