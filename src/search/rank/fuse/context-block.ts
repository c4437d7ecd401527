import { documentTraits } from '../../../search-index/ports.ts';
import type { IndexView, Links } from '../../../search-index/rows/index-view.ts';
import type { ContextPart } from '../../arms/signal.ts';

/** Rows scored at a time: their data stays in the first-level cache of the processor. */
export const blockRows = 1024;

/**
 * For a block of rows and each part of a context, the index of the score that
 * counts: a row, the number of a conversation (for `conversation`), or none. The
 * contribution of a signal to a block is then one loop over an array of indexes.
 */
export class Places {
  readonly of: Readonly<Record<ContextPart, Int32Array>> = {
    self: new Int32Array(blockRows),
    before: new Int32Array(blockRows),
    after: new Int32Array(blockRows),
    twoBefore: new Int32Array(blockRows),
    twoAfter: new Int32Array(blockRows),
    questionBefore: new Int32Array(blockRows),
    answerAfter: new Int32Array(blockRows),
    conversation: new Int32Array(blockRows),
  };

  /** @param links if absent, only `self` is written */
  fill({ index, size }: IndexView, links: Links | undefined, rows: ArrayLike<number>, from: number): number {
    const count = Math.min(blockRows, rows.length - from);
    const { self } = this.of;
    for (let i = 0; i < count; i++) self[i] = rows[from + i];
    if (links === undefined) return count;
    const { before, after, twoBefore, twoAfter, questionBefore, answerAfter, conversation } = this.of;
    const { previous, next } = links;
    const { traits, conversation: numbers } = index.columns;
    const { question } = documentTraits;
    // The place behind the last row; rows added since the search began are no neighbours.
    const nobody = size;
    for (let i = 0; i < count; i++) {
      const row = self[i];
      const b = placeAt(previous[row], nobody);
      const a = placeAt(next[row], nobody);
      before[i] = b;
      after[i] = a;
      twoBefore[i] = b === nobody ? nobody : placeAt(previous[b], nobody);
      twoAfter[i] = a === nobody ? nobody : placeAt(next[a], nobody);
      questionBefore[i] = b !== nobody && (traits[b] & question) !== 0 ? b : nobody;
      answerAfter[i] = (traits[row] & question) !== 0 ? a : nobody;
      conversation[i] = numbers[row];
    }
    return count;
  }
}

/** `noRow` is negative: read as an unsigned number it is larger than any row. */
function placeAt(link: number, nobody: number): number {
  return link >>> 0 < nobody ? link : nobody;
}
