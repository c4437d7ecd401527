import { type Clause, isNegation, isPronoun, reporting, type Subject } from './clauses.ts';
import { lemmaOf } from './lemma.ts';
import {
  caseWords,
  coordinated,
  listItems,
  nounPhrase,
  type Phrase,
  type SentenceTree,
  without,
  withoutCase,
} from './sentence-tree.ts';

/** Predicate and object of a clause; `findFacts` adds subject and certainty. */
export interface Statement {
  readonly predicate: string;
  readonly object: Phrase;
  readonly isState: boolean;
  readonly isNegated: boolean;
}

const prepositionTag = /^(IN|TO)$/;
const numberTag = /^CD$/;
const unitTag = /^(NNS?|SYM)$/;

/**
 * The statement with a whole object: a preposition before the object is part of the predicate, whatever the parser
 * attached it to, and a number has its unit.
 */
export function whole({ words, tags }: SentenceTree, statement: Statement): Statement {
  let { first, last } = statement.object;
  const { head } = statement.object;
  let { predicate } = statement;
  while (first < head && prepositionTag.test(tags[first])) predicate += ` ${words[first++]}`;
  if (numberTag.test(tags[last]) && (unitTag.test(tags[last + 1] ?? '') || words[last + 1] === '%')) last++;
  return { ...statement, predicate, object: { first, last, head: Math.max(head, first) } };
}

const nounTag = /^(NN|CD|FW|ADD|\$|SYM|GW|XX|LS|NFP)/;
const adjectiveTag = /^(JJ|VBN|RB|VBD|VBG)/;
/** Adjectives of judgement, which state no fact. */
export const judging =
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

/** Verbs of wanting and trying, whose complement is not a fact. */
const intending = /^(want|like|love|try|hop|need|go|wish|think|agree|prefer)/;
const beForm = /^(be|is|are|was|were|been|being|'s|got|get)$/i;
const finiteBe = /^(is|are|was|were)$/i;
const participle = /^VB[ND]$/;
const temporal =
  /^(yesterday|today|tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|week|month|year|day|morning|evening|night|weekend|spring|summer|autumn|winter|time|while|moment|end|first|\d{4})$/i;
/** Verbs whose object is a time. */
const timed = /^(expire|clos|open|start|end|land|leave|launch|run|meet|happen|reach|due)/;
const changing = /^(switch|move|migrat|replac|chang|renam|convert)/;
const changePreposition = /^(from|to|into|with|by)$/;
const moving = /^(switch|move|migrat)/;
const fromTo = /^(switch|move|migrat|chang|upgrad)/;
const fromToMax = 6;
const naming = /^(call|name|rename|dub|title)/;
const nameTag = /^(NN|FW|CD)/;
const itemTag = /^(NN|CD|JJ)/;
const particleTag = /^(RP|W?RB)/;

/** The verb of a clause with its auxiliaries, particles and negation. */
interface VerbGroup {
  /** The verb with the objects: the last verb of a chain such as `decided to freeze`. */
  readonly head: number;
  readonly lemma: string;
  readonly predicate: string;
  readonly isNegated: boolean;
}

/** Statements such as `X uses Y`, `X lives in Y`, `X is stored in Y`, `X switched from Y to Z`. */
export function verbStatements(tree: SentenceTree, clause: Clause): Statement[] {
  const group = verbGroup(tree, clause);
  if (!group) return [];
  const change = fromToStatements(tree, clause.head, group);
  if (change) return change;
  const objects = objectsOf(tree, group);
  const direct = objects.length === 0 ? [] : objectStatements(tree, objects[0], group);
  const isReport = tree.has(clause.head, 'ccomp') && objects.length === 0 && reporting.test(group.lemma);
  return isReport ? direct : [...direct, ...obliqueStatements(tree, clause.head, group, objects.length > 0)];
}

/** Objects of the verb; in `is called X` the name is a complement. */
function objectsOf(tree: SentenceTree, { head, lemma }: VerbGroup): readonly number[] {
  const objects = tree.dependents(head, 'obj');
  if (objects.length > 0 || !naming.test(lemma)) return objects;
  return tree.dependents(head, 'xcomp').filter((i) => nameTag.test(tree.tags[i]));
}

function verbGroup(tree: SentenceTree, { head, isNegated, adverbs }: Clause): VerbGroup | undefined {
  const { words, tags } = tree;
  const lemma = lemmaOf(words[head]);
  const verbs = [words[head]];
  for (const i of tree.dependents(head, 'compound'))
    if (i > head && tags[i].startsWith('RP')) verbs.push(words[i]);
  const [complement] = tree.dependents(head, 'xcomp');
  const isChain = complement !== undefined && complement > head && tags[complement].startsWith('VB');
  if (isChain) {
    if (reporting.test(lemma) || intending.test(lemma)) return undefined;
    verbs.push(...tree.dependents(complement, 'mark').map((i) => words[i]), words[complement]);
  }
  const before = negationOf(words, adverbs, isNegated);
  const predicate = [passiveOf(tree, head), before, ...verbs].filter((word) => word !== '').join(' ');
  // `used to` means that it is no longer so.
  const usedTo = /^used$/i.test(words[head]) && complement !== undefined && tree.has(complement, 'mark');
  return { head: isChain ? complement : head, lemma, predicate, isNegated: isNegated || usedTo };
}

function negationOf(words: readonly string[], adverbs: readonly number[], isNegated: boolean): string {
  if (!isNegated) return '';
  if (adverbs.some((i) => /^longer$/.test(words[i]))) return 'no longer';
  return adverbs.some((i) => /^never$/i.test(words[i])) ? 'never' : 'not';
}

function passiveOf(tree: SentenceTree, head: number): string {
  const auxiliaries = tree.dependents(head, 'aux').map((i) => tree.words[i]);
  if (!participle.test(tree.tags[head]) || !auxiliaries.some((word) => beForm.test(word))) return '';
  return auxiliaries.find((word) => finiteBe.test(word)) ?? 'was';
}

/**
 * Statements of `from X to Y` after a verb of change. Read from the words, because the parser attaches such
 * phrases badly.
 */
function fromToStatements(
  { words, tags }: SentenceTree,
  head: number,
  group: VerbGroup,
): Statement[] | undefined {
  if (!fromTo.test(group.lemma)) return undefined;
  const from = words.findIndex((word, i) => i > head && /^from$/i.test(word));
  const to = from < 0 ? -1 : words.findIndex((word, i) => i > from + 1 && /^to$/i.test(word));
  if (to < 0 || to - from >= fromToMax) return undefined;
  if (from !== head + 1 && !(from === head + 2 && particleTag.test(tags[head + 1]))) return undefined;
  const { predicate, isNegated } = group;
  const statement = (preposition: string, object: Phrase): Statement => ({
    predicate: `${predicate} ${preposition}`,
    object,
    isState: false,
    isNegated,
  });
  const before = statement('from', { first: from + 1, last: to - 1, head: from + 1 });
  if (to + 1 >= words.length) return [before];
  let last = to + 1;
  while (last + 1 < words.length && itemTag.test(tags[last + 1])) last++;
  return [before, statement('to', { first: to + 1, last, head: last })];
}

function objectStatements(
  tree: SentenceTree,
  object: number,
  { predicate, isNegated }: VerbGroup,
): Statement[] {
  const byStart = new Map<number, Statement>();
  for (const head of coordinated(tree, object)) {
    if (isPronoun(tree.words[head])) continue;
    const phrase = nounPhrase(tree, head);
    for (const item of listItems(tree, phrase)) {
      if (item.first !== phrase.first && tree.has(head, 'nummod')) continue;
      if (!byStart.has(item.first))
        byStart.set(item.first, { predicate, object: item, isState: false, isNegated });
    }
  }
  return [...byStart.values()];
}

function obliqueStatements(
  tree: SentenceTree,
  clause: number,
  group: VerbGroup,
  hasObject: boolean,
): Statement[] {
  const own = tree.dependents(group.head, 'obl', 'nmod');
  const obliques = group.head === clause ? own : [...own, ...tree.dependents(clause, 'obl')];
  const statements: Statement[] = [];
  for (const oblique of obliques) {
    const preposition = caseWords(tree, oblique).toLowerCase();
    if (preposition === '') continue;
    if (hasObject && !(changePreposition.test(preposition) && changing.test(group.lemma))) continue;
    if (temporal.test(tree.words[oblique]) && !timed.test(group.lemma)) continue;
    statements.push(...itemStatements(tree, oblique, `${group.predicate} ${preposition}`, group.isNegated));
    if (!moving.test(group.lemma)) break;
  }
  return statements;
}

function itemStatements(
  tree: SentenceTree,
  oblique: number,
  predicate: string,
  isNegated: boolean,
): Statement[] {
  const byStart = new Map<number, Statement>();
  for (const head of coordinated(tree, oblique)) {
    const phrase = head === oblique ? withoutCase(tree, head) : nounPhrase(tree, head);
    for (const object of listItems(tree, phrase))
      if (!byStart.has(object.first))
        byStart.set(object.first, { predicate, object, isState: false, isNegated });
  }
  return [...byStart.values()];
}
