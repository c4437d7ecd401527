import type { Clause } from './clause.ts';
import { isNegation } from './clause.ts';
import { caseWords, coordinated, nounPhrase, without, withoutCase } from './phrases.ts';
import type { SentenceTree } from './sentence-tree.ts';
import type { Statement } from './statement.ts';
import type { Subject } from './subjects.ts';

const nounTag = /^(NN|CD|FW|ADD|\$|SYM|GW|XX|LS|NFP)/;
const adjectiveTag = /^(JJ|VBN|RB|VBD|VBG)/;
/** Adjectives of judgement, which state no fact. */
const judging =
  /^(great|good|nice|awesome|amazing|beautiful|cool|fun|lovely|wonderful|inspiring|special|important|incredible|stunning|cute|sweet|perfect|fantastic|bad|awful|terrible|sad|happy|hard|tough|easy|key|tasty|delicious|gorgeous|pretty|real|true|right|wrong|fine|ok|okay|super|rad|crazy|wild|interesting|exciting|rewarding|powerful|bright|emotional|huge|big)$/i;

/** Statements such as `X is a Y`, `X is in Y`, `X is allergic to Y`, `X is down`. */
export function copulaStatements(
  tree: SentenceTree,
  { head, isNegated }: Clause,
  subjects: readonly Subject[],
): Statement[] {
  const verb = fullForm(tree.words[tree.dependents(head, 'cop')[0]]) + (isNegated ? ' not' : '');
  if (nounTag.test(tree.tags[head])) return [nounStatement(tree, head, verb, isNegated)];
  if (!adjectiveTag.test(tree.tags[head])) return [];
  const [oblique] = tree.dependents(head, 'obl').filter((i) => tree.has(i, 'case'));
  if (oblique !== undefined) {
    const predicate = `${verb} ${tree.words[head]} ${caseWords(tree, oblique)}`;
    return coordinated(tree, oblique).map((i) => ({
      predicate,
      object: withoutCase(tree, i),
      isState: true,
      isNegated,
    }));
  }
  const isPlain =
    tree.tags[head].startsWith('JJ') &&
    !tree.has(head, 'obl', 'xcomp', 'ccomp', 'advcl', 'conj') &&
    !judging.test(tree.words[head]) &&
    !subjects.every(({ isSelf }) => isSelf);
  return isPlain
    ? [{ predicate: verb, object: { first: head, last: head, head }, isState: true, isNegated }]
    : [];
}

function nounStatement(tree: SentenceTree, head: number, verb: string, isNegated: boolean): Statement {
  if (tree.has(head, 'case')) {
    const predicate = `${verb} ${caseWords(tree, head)}`;
    return { predicate, object: withoutCase(tree, head), isState: false, isNegated };
  }
  const isAdverb = (i: number) => tree.relations[i] === 'advmod' || isNegation(tree.words[i]);
  const object = without(nounPhrase(tree, head), isAdverb);
  return { predicate: verb, object, isState: false, isNegated };
}

const fullForm = (verb: string) =>
  verb
    .replace(/^['’]s$/, 'is')
    .replace(/^['’]m$/, 'am')
    .replace(/^['’]re$/, 'are');
