import type { EntityOfMemory } from '../../domain/entities/entity.ts';
import type { Fact } from '../../domain/facts/fact.ts';
import type { FactWords } from '../../domain/shared/text-indexer.ts';
import { analyze } from '../../search-index/analysis/index.ts';

/** Verbs that say nothing without their sentence. */
const emptyPredicate =
  /^(?:(?:is|are|was|were|be|been|do|does|did|not|no|to|will|would|can|could|should|has|have|had|gets?|got|makes?|made|takes? place|means?|meant|goes|went|go|comes?|came)\s*)+$/i;
const talk = /(?:^|[\s,.])(?:um+|uh+|yeah|yep|mhm|hmm+|gonna|wanna|kinda)(?=[\s,.!?]|$)/i;
const commitLine =
  /^(?:(?:build|chore|ci|deps?|docs|feat|fix|perf|refactor|revert|style|test)(?:\([^)\n]{1,60}\))?!?: |Merge (?:branch|pull)|Bumps? )|\(#\d+\)\s*(?:\n|$)|^(?:signed-off-by|co-authored-by):/im;
const tableOrCode = /^\s*\||^\s*(?:```|~~~)|[{};]\s*$/m;
const pointing = /^(?:this|that|these|those|it|he|she|they|we|you|i|there|here|one|some|any)$/i;
const wordsMax = 9;
const word = /[\p{L}\p{N}]/u;

/** Whether a text is made of sentences, not a commit, a table, code or talk with fillers. */
export const isProse = (text: string) =>
  !talk.test(text) && !commitLine.test(text) && !tableOrCode.test(text);

/**
 * Whether a briefing may show a fact: it shares a word with the query, its predicate and object say something on their
 * own, and its subject is a known entity or a term of the query. One that a person stated needs the first alone.
 */
export function isUsefulFact(
  { subject, predicate, object, basis }: FactWords & Pick<Fact, 'basis'>,
  { queryTerms, names }: { readonly queryTerms: ReadonlySet<string>; readonly names: ReadonlySet<string> },
): boolean {
  const isAbout = (text: string) => analyze(text).some((term) => queryTerms.has(term));
  if (!isAbout(`${subject} ${predicate} ${object}`)) return false;
  if (basis === null) return true;
  if (emptyPredicate.test(predicate.trim()) && !/\d/.test(object)) return false;
  if (pointing.test(subject.trim()) || pointing.test(object.trim()) || !word.test(object)) return false;
  if (object.split(/\s+/).length > wordsMax || /[`|<>{}]/.test(`${subject}${object}`)) return false;
  return names.has(folded(subject)) || isAbout(subject);
}

/** Names of entities, as `isUsefulFact` compares them. */
export const namesOf = (entities: Iterable<readonly EntityOfMemory[]>): ReadonlySet<string> =>
  new Set([...entities].flatMap((some) => some.map(({ name }) => folded(name))));

export const folded = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim();
