import { normaliseTopicName } from '../../../domain/topics/topic.ts';
import { nameKey } from '../../../lib/names.ts';

/** Maximum words of a query to read, and maximum words of a name. */
const wordsMax = 64;
const nameWordsMax = 6;
const readLengthMax = 4000;

const before = /^[("'“‘[{<«]+/;
const after = /(?:['’]s)?[)"'”’\]}>».,;:!?…]*$/u;

/** Candidate names of entities and topics in a query: every run of up to six of its words. */
export interface NamesInQuery {
  /** In the form of `nameKey`, each once. */
  readonly entityKeys: readonly string[];
  /** Normalised, each once; words joined by spaces, or by hyphens as in topics written that way. */
  readonly topicKeys: readonly string[];
}

/** Maximum number of keys that a store looks up in one call. */
const keysMax = 1000;

/** Pure; at most 384 entity keys and 1,000 topic keys. */
export function namesInQuery(query: string): NamesInQuery {
  const words = query
    .slice(0, readLengthMax)
    .split(/\s+/u)
    .map((word) => word.replace(before, '').replace(after, ''))
    .filter((word) => word !== '')
    .slice(0, wordsMax);
  const entityKeys = new Set<string>();
  const topicKeys = new Set<string>();
  for (let from = 0; from < words.length; from++)
    for (let to = from + 1; to <= Math.min(words.length, from + nameWordsMax); to++) {
      const run = words.slice(from, to);
      const name = run.join(' ');
      entityKeys.add(nameKey(name));
      topicKeys.add(normaliseTopicName(name));
      if (run.length > 1) topicKeys.add(normaliseTopicName(run.join('-')));
      if (name.includes('-')) topicKeys.add(normaliseTopicName(name.replaceAll('-', ' ')));
    }
  return { entityKeys: [...entityKeys], topicKeys: [...topicKeys].slice(0, keysMax) };
}
