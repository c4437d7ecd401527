import type { AnalysedText } from '../analysed-text.ts';
import type { SourceSpan } from './fact.ts';
import { coordinated, nounPhrase } from './phrases.ts';
import type { SentenceTree } from './sentence-tree.ts';

/** The subject of a clause. */
export interface Subject {
  readonly span: SourceSpan;
  /** Whether it is the speaker. */
  readonly isSelf: boolean;
}

const pronoun =
  /^(nobody|no one|none|anyone|people|things?|he|she|it|they|this|that|these|those|him|her|them|you|who|which|what|there|one|everything|something|anything|nothing|everyone|someone|somebody|anybody|everybody|all|each|u|ya|his|hers|theirs|mine|yours|y'all|it’s|us)$/i;
const self = /^(i|me|myself)$/i;
const ourselves = /^we$/i;
const our = /^our$/i;
/** First words of a subject that names nothing in particular or is no noun phrase. */
const vague =
  /^(this|that|these|those|some|any|such|each|every|what|another|a|an|no|neither|few|congrats|thanks|on|in|at|by|for|with|before|after|since|from|to|of|as|than|while|when)\b/i;
const nounTag = /^(NN|CD|FW|JJ[RS]|ADD|SYM|GW|XX|LS|AFX|RB[RS]|UH|NFP)/;
const wordsMax = 8;
const inheritanceMax = 3;

export const isPronoun = (text: string) => pronoun.test(text);

/** Subjects of a clause for a fact. Empty if the subject is vague, or a pronoun other than "I" and "we". */
export function subjectsOf(tree: SentenceTree, clause: number, speaker: AnalysedText['speaker']): Subject[] {
  const head = subjectHead(tree, clause);
  if (head === undefined || tree.has(clause, 'expl')) return [];
  const subjects = coordinated(tree, head).flatMap((i): Subject[] => {
    const phrase = nounPhrase(tree, i);
    const span = tree.spanOf(phrase);
    if (self.test(span.text)) {
      if (!speaker) return [{ span, isSelf: true }];
      return [{ span: { text: speaker.name, start: 0, end: speaker.nameEnd }, isSelf: true }];
    }
    if (pronoun.test(span.text) || our.test(span.text) || phrase.last - phrase.first >= wordsMax) return [];
    return ourselves.test(span.text) || nounTag.test(tree.tags[i]) ? [{ span, isSelf: false }] : [];
  });
  if (subjects.length > 1 && subjects.some(({ isSelf }) => isSelf)) return [];
  return subjects.filter(({ span, isSelf }) => isSelf || !vague.test(span.text));
}

/** The subject of the clause, or of the clause that it is coordinated with. */
function subjectHead(tree: SentenceTree, clause: number): number | undefined {
  let i = clause;
  for (let hops = 0; hops <= inheritanceMax; hops++) {
    const [own] = tree.dependents(i, 'nsubj');
    if (own !== undefined) return own;
    if (tree.relations[i] !== 'conj' || tree.heads[i] < 0) return undefined;
    i = tree.heads[i];
  }
  return undefined;
}
