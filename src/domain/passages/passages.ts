import { type Block, blocksOf } from './blocks.ts';

/** Rises whenever any text may give other passages: vectors of passages are then made again. */
export const passagesVersion = 2;

/** Texts up to this length, some 170 words, are one passage. UTF-16 units. */
export const wholeLengthMax = 1000;
/** Short, because a search shows the best two of a text: an answer is more often in them than in one of twice the length (ADR 39). */
export const passageLengthMax = 600;
/** A passage that is shorter goes on beyond the next heading or block. */
const passageLengthMin = 200;
const headingLengthMax = 100;
const headLengthMax = 300;

/** A part of a text between its own seams. */
export interface Passage {
  /** UTF-16 units of the text, end exclusive. */
  readonly start: number;
  readonly end: number;
  /** Headings above its beginning, the highest first, without marks; each at most 100 characters. */
  readonly headings: readonly string[];
  /** The head of its table, if it begins after it. */
  readonly tableHead?: string;
}

/**
 * Cuts a text at headings, paragraphs, list items, turns, code fences and rows of tables, into passages of
 * 200 to 600 units as far as its seams allow. They are in order, do not overlap, and leave out blank lines only.
 */
export function passagesOf(text: string): Passage[] {
  if (text.length <= wholeLengthMax) return [{ start: 0, end: text.length, headings: [] }];
  const cutter = new Cutter(text);
  for (const block of blocksOf(text)) cutter.add(block);
  return cutter.passages();
}

/** The words of a passage with those that it stands under, for its terms and its vector. */
export function textOfPassage(text: string, { start, end, headings, tableHead }: Passage): string {
  const above = [...(headings.length > 0 ? [headings.join(' > ')] : []), ...(tableHead ? [tableHead] : [])];
  return [...above, text.slice(start, end)].join('\n');
}

/** Units by which a shown passage goes on if it was cut within a sentence. */
const runOnMax = 150;
const endOfSentence = /[.!?…。！？:;|`]["'”’)\]*]*$/;

/** A passage that ends within a sentence, to its end or some words on. */
export function runOn(text: string, passage: Passage): Passage {
  const { start, end } = passage;
  if (text.slice(end, end + 2).includes('\n') || endOfSentence.test(text.slice(start, end))) return passage;
  const rest = text.slice(end, end + runOnMax);
  const [line] = rest.split('\n', 1);
  const { index, 0: mark } = [...line.matchAll(sentenceEnd)][0] ?? { index: line.length, 0: '' };
  const to = index + mark.trimEnd().length;
  const last = to < runOnMax ? to : Math.max(rest.lastIndexOf(' '), 0) || to;
  const isLow = /[\udc00-\udfff]/.test(text[end + last] ?? '');
  return { ...passage, end: Math.min(text.length, end + last - (isLow ? 1 : 0)) };
}

/** Texts of passages of a text, with a mark of omission between them. */
export function textOfPassages(text: string, passages: readonly Passage[]): string {
  return passages.map((passage) => textOfPassage(text, passage)).join('\n…\n');
}

class Cutter {
  readonly #text: string;
  readonly #done: Passage[] = [];
  /** Headings above the current position. */
  #path: { readonly level: number; readonly title: string }[] = [];
  #open: { start: number; end: number; headings: readonly string[]; tableHead?: string } | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  passages(): Passage[] {
    this.#close();
    return this.#done;
  }

  add(block: Block): void {
    if (block.kind === 'heading' && block.end - block.start <= passageLengthMin) {
      if (this.#lengthWith(block) > passageLengthMax || this.#length >= passageLengthMin) this.#close();
      this.#path = this.#path.filter(({ level }) => level < block.level);
      this.#extend(block);
      this.#path.push({ level: block.level, title: titleOf(this.#text.slice(block.start, block.end)) });
    } else if (this.#lengthWith(block) <= passageLengthMax) this.#extend(block);
    else if (block.end - block.start <= passageLengthMax && this.#length >= passageLengthMin) {
      this.#close();
      this.#extend(block);
    } else this.#addInPieces(block);
  }

  get #length(): number {
    return this.#open ? this.#open.end - this.#open.start : 0;
  }

  #lengthWith({ start, end }: Block): number {
    return end - (this.#open?.start ?? start);
  }

  #extend({ start, end }: Pick<Block, 'start' | 'end'>, tableHead?: string): void {
    if (this.#open) this.#open.end = end;
    else
      this.#open = {
        start,
        end,
        headings: this.#path.map(({ title }) => title),
        ...(tableHead !== undefined && { tableHead }),
      };
  }

  #addInPieces({ kind, start, end, headEnd }: Block): void {
    const tableHead =
      headEnd === undefined ? undefined : this.#text.slice(start, headEnd).trim().slice(0, headLengthMax);
    for (let from = start; from < end; ) {
      const most = (this.#open?.start ?? from) + passageLengthMax;
      const to = end <= most ? end : seamBefore(this.#text, from, most, kind !== 'text');
      if (to > from) this.#extend({ start: from, end: to }, from > start ? tableHead : undefined);
      if (to < end) this.#close();
      from = to;
      while (from < end && /\s/.test(this.#text[from])) from++;
    }
  }

  #close(): void {
    const { start, end, ...above } = this.#open ?? { start: 0, end: 0, headings: [] };
    const last = start + this.#text.slice(start, end).trimEnd().length;
    if (last > start) this.#done.push({ start, end: last, ...above });
    this.#open = undefined;
  }
}

function titleOf(heading: string): string {
  const [line] = heading.trim().split('\n');
  const title = line.replace(/^#+\s+/, '').replace(/\s#+\s*$/, '');
  return title.replaceAll('**', '').trim().slice(0, headingLengthMax);
}

const sentenceEnd = /[.!?…。！？]["'”’)\]]?\s|[。！？]/g;

/** Place for a cut after `from`, at most `most`: the end of a line or sentence, else a space, else any character. */
function seamBefore(text: string, from: number, most: number, byLine: boolean): number {
  if (most <= from) return from;
  const window = text.slice(from, most);
  const least = window.length / 3;
  const line = window.lastIndexOf('\n');
  if (byLine && line > 0) return from + line;
  let sentence = 0;
  for (const { index, 0: end } of window.matchAll(sentenceEnd)) sentence = index + end.trimEnd().length;
  if (sentence > least) return from + sentence;
  const space = Math.max(line, window.lastIndexOf(' '));
  if (space > least) return from + space;
  const isLow = /[\udc00-\udfff]/.test(text[most] ?? '');
  return isLow ? Math.max(from + 1, most - 1) : most;
}
