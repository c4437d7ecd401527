import { type VetoKind, vetoKinds } from '../../domain/derivation/derived.ts';
import type { ShownRecords } from '../requests.ts';
import { itemsOf, type Sentence } from './quotes.ts';

/** A record of the rules that an LLM finds wrong, by its position among the records shown. */
export interface WrongRecord {
  readonly kind: VetoKind;
  readonly index: number;
}

const listOf = { entity: 'entities', fact: 'facts', topic: 'topics' } as const;
/** Up to this many records all may be wrong. */
const fewMax = 2;
/** Of more records, at most this share: an answer that finds nearly everything wrong judged nothing. */
const shareMax = 2 / 3;

/**
 * The records that an LLM finds wrong, each once. None if the answer condemns too many of them, or if a sentence of the
 * text addresses a model: it may have told it to.
 */
export function checkWrong(
  sentences: readonly Sentence[],
  read: ShownRecords,
  response: unknown,
): readonly WrongRecord[] {
  if (sentences.some(({ isUsable }) => !isUsable)) return [];
  const wrong = new Map<string, WrongRecord>();
  for (const { kind: said, index } of itemsOf(response, 'wrong')) {
    const kind = vetoKinds.find((known) => known === said);
    if (!kind || typeof index !== 'number' || !Number.isInteger(index)) continue;
    if (index >= 0 && index < read[listOf[kind]].length) wrong.set(`${kind} ${index}`, { kind, index });
  }
  const shown = read.entities.length + read.facts.length + read.topics.length;
  return shown > fewMax && wrong.size > shown * shareMax ? [] : [...wrong.values()];
}
