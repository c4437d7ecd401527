import type { FactBasis } from './fact.ts';
import { lemmaOf } from './lemma.ts';
import type { SentenceTree } from './sentence-tree.ts';

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
