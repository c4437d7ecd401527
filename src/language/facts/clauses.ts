import type { AnalysedText } from '../analysed-text.ts';
import type { FactBasis, SourceSpan } from './fact.ts';
import { lemmaOf } from './lemma.ts';
import { coordinated, nounPhrase, type Phrase, type SentenceTree } from './sentence-tree.ts';

/** Verbs of saying and thinking, which hedge the reported clause. */
export const reporting =
  /^(say|tell|report|claim|believe|think|guess|hear|suppose|assume|suspect|hope|wish|ask|wonder|feel|expect|suggest|propose|imagine|doubt|mention|argue|promise|warn)/;
const hedge =
  /^(maybe|perhaps|probably|possibly|might|may|could|apparently|supposedly|likely|presumably|seemingly|allegedly)$/i;
const hedgingModal = /^(might|may|could)$/i;
const wish = /^(would|should|'d|’d|must|wo|shall)$/i;
const future = /^(will|'ll|’ll|gon|going)$/i;
const planning = /^(plan|intend)/;
const negation = /^(not|n't|n’t|never|no|neither|nor|hardly|nt)$/i;
const longer = /^longer$/;
const condition = /^(if|unless|whether)$/i;
const hypothesis = /^(if|unless)$/i;
const clauseRelations = new Set(['root', 'conj', 'ccomp', 'parataxis']);
const hopsMax = 8;
/** A hedge among this many first words applies to the whole sentence. */
const openingWords = 2;

export const isNegation = (word: string) => negation.test(word);

/** A clause that asserts something. */
export interface Clause {
  readonly head: number;
  readonly basis: FactBasis;
  readonly isNegated: boolean;
  /** Adverbs and determiners that depend on the head. */
  readonly adverbs: readonly number[];
}

/**
 * The clauses of a sentence that assert something; excludes conditions, wishes, relative and other dependent
 * clauses.
 */
export function assertedClauses(tree: SentenceTree): Clause[] {
  const clauses: Clause[] = [];
  for (let head = 0; head < tree.words.length; head++) {
    if (!isClauseHead(tree, head)) continue;
    const place = placeOf(tree, head);
    if (place === 'dependent' || isHypothetical(tree, head)) continue;
    const modals = tree.dependents(head, 'aux', 'cop').map((i) => tree.words[i]);
    if (modals.some((word) => wish.test(word))) continue;
    const adverbs = tree.dependents(head, 'advmod', 'det');
    const isNegated = adverbs.some((i) => negation.test(tree.words[i]) || longer.test(tree.words[i]));
    const isHedged =
      place === 'reported' ||
      modals.some((word) => hedgingModal.test(word)) ||
      adverbs.some((i) => hedge.test(tree.words[i])) ||
      tree.words.slice(0, Math.min(openingWords, head)).some((word) => hedge.test(word));
    const isPlanned = modals.some((word) => future.test(word)) || plansTo(tree, head);
    clauses.push({ head, basis: isHedged ? 'hedged' : isPlanned ? 'planned' : 'direct', isNegated, adverbs });
  }
  return clauses;
}

const isClauseHead = (tree: SentenceTree, i: number) =>
  clauseRelations.has(tree.relations[i]) && (tree.tags[i].startsWith('VB') || tree.has(i, 'cop'));

/** `plans to move`: the move has not happened yet. */
const plansTo = (tree: SentenceTree, head: number) =>
  planning.test(lemmaOf(tree.words[head])) && tree.has(head, 'xcomp');

/** Role of a clause, by its path to the root. */
function placeOf(
  { heads, relations, words }: SentenceTree,
  clause: number,
): 'main' | 'reported' | 'dependent' {
  let isReported = false;
  let i = clause;
  for (let hops = 0; hops < hopsMax && relations[i] !== 'root' && heads[i] >= 0; hops++) {
    const relation = relations[i];
    const isSaid = reporting.test(lemmaOf(words[heads[i]]));
    if (relation === 'ccomp' ? !isSaid : relation !== 'conj' && relation !== 'parataxis') return 'dependent';
    if (relation !== 'conj' && isSaid) isReported = true;
    i = heads[i];
  }
  return isReported ? 'reported' : 'main';
}

function isHypothetical(tree: SentenceTree, head: number): boolean {
  const isMarked = (i: number, pattern: RegExp) =>
    tree.dependents(i, 'mark').some((mark) => pattern.test(tree.words[mark]));
  return isMarked(head, condition) || tree.dependents(head, 'advcl').some((i) => isMarked(i, hypothesis));
}

/** The subject of a clause. */
export interface Subject {
  readonly span: SourceSpan;
  readonly phrase: Phrase;
  /** Whether it is the speaker. */
  readonly isSelf: boolean;
}

const pronoun =
  /^(nobody|no one|none|anyone|people|things?|he|she|it|they|this|that|these|those|him|her|them|you|who|which|what|there|one|everything|something|anything|nothing|everyone|someone|somebody|anybody|everybody|all|each|u|ya|his|hers|theirs|mine|yours|y'all|it’s|us)$/i;
const self = /^(i|me|myself)$/i;
const ourselves = /^we$/i;
const our = /^our$/i;
/** First words by which a subject names nothing in particular, or is not a noun phrase. */
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
      if (!speaker) return [{ span, phrase, isSelf: true }];
      return [{ span: { text: speaker.name, start: 0, end: speaker.nameEnd }, phrase, isSelf: true }];
    }
    if (pronoun.test(span.text) || our.test(span.text) || phrase.last - phrase.first >= wordsMax) return [];
    return ourselves.test(span.text) || nounTag.test(tree.tags[i]) ? [{ span, phrase, isSelf: false }] : [];
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
