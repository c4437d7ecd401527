import {
  type Passage,
  passagesOf,
  runOn,
  textOfPassage,
  wholeLengthMax,
} from '../../domain/passages/passages.ts';
import { analyze } from '../analysis/index.ts';
import { spokenText } from '../document-indexer.ts';
import type { TextTraits } from './text-traits.ts';

const passagesMax = 2 ** 12;
const frequencyMax = 2 ** 8;
const perPassage = passagesMax * frequencyMax;
const bytesPerEntry = 300;
const bytesPerPassage = 800;

/** Passages of a text with their terms: those of their headings and of the speaker count in each. */
export class TextPassages {
  readonly passages: readonly Passage[];
  readonly termCounts: Uint16Array;
  /** Traits of passages that were ranked, by number of the passage. */
  readonly traits: (TextTraits | undefined)[] = [];
  readonly #content: string;
  /** Ascending: hash of a term (32 bits), number of a passage (12 bits), frequency (8 bits). */
  readonly #entries: Float64Array;

  constructor(content: string) {
    this.#content = content;
    this.passages = passagesOf(content).slice(0, passagesMax);
    this.termCounts = new Uint16Array(this.passages.length);
    if (this.passages.length === 1) {
      this.#entries = new Float64Array();
      return;
    }
    const speaker = content.slice(0, content.length - spokenText(content).length);
    const entries: number[] = [];
    for (const [number, passage] of this.passages.entries()) {
      const terms = analyze(`${number === 0 ? '' : speaker}\n${textOfPassage(content, passage)}`);
      this.termCounts[number] = terms.length;
      const counts = new Map<string, number>();
      for (const term of terms) counts.set(term, Math.min(frequencyMax - 1, (counts.get(term) ?? 0) + 1));
      for (const [term, count] of counts)
        entries.push(hashOf(term) * perPassage + number * frequencyMax + count);
    }
    this.#entries = Float64Array.from(entries).sort();
  }

  /** Whether it is so short that it is one passage: its own terms are in the keyword index. */
  get isWhole(): boolean {
    return this.passages.length === 1;
  }

  get bytes(): number {
    const text = this.isWhole ? 0 : 2 * this.#content.length;
    return bytesPerEntry + text + this.#entries.byteLength + bytesPerPassage * this.passages.length;
  }

  /** Writes how often each passage has the term: 0 to 255. */
  frequencies(term: string, out: Uint8Array): void {
    out.fill(0);
    const hash = hashOf(term);
    const [from, end] = [hash * perPassage, (hash + 1) * perPassage];
    const entries = this.#entries;
    for (let at = firstFrom(entries, from); at < entries.length && entries[at] < end; at++) {
      const rest = entries[at] - from;
      out[Math.floor(rest / frequencyMax)] = rest % frequencyMax;
    }
  }

  runOn(passage: Passage): Passage {
    return runOn(this.#content, passage);
  }

  textOf(number: number): string {
    return textOfPassage(this.#content, this.passages[number]);
  }
}

/** Texts of more than one passage have at least so many terms: prose has one for each 8 to 16 units. */
export const longTermsMin = wholeLengthMax / 20;

/** FNV-1a. Terms of one hash count as one term, in one of a billion pairs. */
function hashOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function firstFrom(entries: Float64Array, least: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
