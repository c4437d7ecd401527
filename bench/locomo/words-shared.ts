import { analyze, analyzeQuery, dateWords } from '../../src/search-index/analysis/index.ts';
import type { Conversation } from './data-set.ts';
import { toContent } from './import-conversation.ts';

/**
 * Whether each question shares no content word with its evidence, by the words of our
 * analyser. Names of speakers in questions do not count, because each turn begins with
 * one. The evidence is its indexed text: text, caption and the words of its date.
 */
export function sharesNoWord({ speakers, sessions, questions }: Conversation): boolean[] {
  const names = new Set(speakers.flatMap((name) => analyze(name)));
  const termsOf = new Map(
    sessions.flatMap(({ startedAt, turns }) =>
      turns.map((turn) => [turn.id, analyze(`${toContent(turn)}\n${dateWords(Date.parse(startedAt))}`)]),
    ),
  );
  return questions.map(({ question, evidence }) => {
    const kept = new Set(evidence.flatMap((id) => termsOf.get(id) ?? []));
    const terms = analyzeQuery(question).filter((term) => !names.has(term));
    return terms.length > 0 && !terms.some((term) => kept.has(term));
  });
}
