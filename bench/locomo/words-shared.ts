import { analyze, analyzeQuery, dateWords } from '../../src/search-index/analysis/index.ts';
import type { Conversation } from './data-set.ts';
import { toContent } from './import-conversation.ts';

/**
 * For each question whether no word of its content stands in any of its evidence, as our analyser sees words. The
 * speakers' names are left out of the questions, as they stand in front of every turn; the evidence is all that is
 * indexed of it: text, caption and the words of its date.
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
