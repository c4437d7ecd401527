import { LRUCache } from 'lru-cache';
import type { ImmediateEmbedder } from '../domain/embedding/embedder.ts';
import { dot } from '../domain/embedding/similarity.ts';
import { type ReadText, readText } from '../language/derive-text.ts';
import type { LanguageModel } from '../language/language-model.ts';
import { findRelationship } from '../language/relationships/find-relationship.ts';
import { type TextView, toTextView, viewedLengthMax } from '../language/relationships/text-view.ts';
import type { ComparedText, PairFinding, RelateReply, RelateRequest } from './text-deriver.ts';

/** UTF-16 units of the texts whose views are cached: some 8,000 turns of a chat, 110 MB. */
const charactersMax = 1_500_000;
const identifiersMax = 5;

interface Viewed {
  readonly read: ReadText;
  readonly view: TextView;
  /**
   * Vector of the text without its speaker, always by the bundled model:
   * the rules are fitted to it, whichever embedder serves searches.
   */
  readonly vector: Float32Array;
}

/** Finds relations between texts with one language model and one embedder, on the thread of the caller. */
export class PairComparer {
  readonly #model: LanguageModel;
  readonly #embedder: ImmediateEmbedder;
  readonly #views = new LRUCache<number, Viewed>({
    maxSize: charactersMax,
    sizeCalculation: ({ view }) => view.text.length + 1,
  });

  constructor(model: LanguageModel, embedder: ImmediateEmbedder) {
    this.#model = model;
    this.#embedder = embedder;
  }

  /** Reads texts that are about to be compared. */
  prepare(texts: readonly ComparedText[]): void {
    for (const text of texts) this.#viewOf(text);
  }

  /** A text that was read, if it is cached and not cut. */
  readBefore({ doc, content }: ComparedText): ReadText | undefined {
    const known = this.#views.get(doc);
    return known?.view.text === content ? known.read : undefined;
  }

  relate({ texts, pairs }: RelateRequest): RelateReply {
    const views = texts.map((text) => this.#viewOf(text));
    return pairs.map(([earlier, later]) => this.#compare(views[earlier], views[later]));
  }

  identifiersOf(texts: readonly ComparedText[]): (readonly string[])[] {
    return texts.map((text) => [...this.#viewOf(text).view.identifiers.keys()].slice(0, identifiersMax));
  }

  #compare(earlier: Viewed, later: Viewed): PairFinding | null {
    const found = findRelationship(this.#model, earlier.view, later.view, dot(earlier.vector, later.vector));
    if (!found) return null;
    const { type, confidence, reason, evidence, also = [], keepsState } = found;
    return {
      type,
      confidence,
      reason,
      earlier: [evidence.earlier.start, evidence.earlier.end],
      later: [evidence.later.start, evidence.later.end],
      also: also.map(({ start, end }) => [start, end] as const),
      keepsState: keepsState === true,
    };
  }

  #viewOf({ doc, content }: ComparedText): Viewed {
    const text = content.slice(0, viewedLengthMax);
    const known = this.#views.get(doc);
    // Tests open several stores in one process, and each numbers its versions from 1.
    if (known?.view.text === text) return known;
    const read = readText(this.#model, text);
    const view = toTextView(read.analysed, read.entities, read.facts);
    const viewed = { read, view, vector: this.#embedder.embedNow(view.body) };
    this.#views.set(doc, viewed);
    return viewed;
  }
}
