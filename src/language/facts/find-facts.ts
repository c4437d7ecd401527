import type { AnalysedText } from '../analysed-text.ts';
import type { EntityMention } from '../entities/entity.ts';
import type { LanguageModel } from '../language-model.ts';
import { assertedClauses, type Clause } from './clause.ts';
import { confidenceOf } from './confidence.ts';
import { copulaStatements } from './copula-statements.ts';
import type { ExtractedFact, SourceSpan } from './fact.ts';
import { lemmaOf } from './lemma.ts';
import { SentenceTree } from './sentence-tree.ts';
import type { Statement } from './statement.ts';
import { isPronoun, type Subject, subjectsOf } from './subjects.ts';
import { timesOf } from './times.ts';
import { verbStatements } from './verb-statements.ts';

/** Longer sentences are often lists, tables or code, on which the parser fails. */
const tokensMax = 60;
const tokensMin = 3;
const objectWordsMax = 12;
/** In UTF-16 units, as the API limits facts. */
const [partLengthMax, predicateLengthMax] = [500, 200];
const noMore = /^(any|no) (more|longer)$/i;
const noNounTag = /^(JJ|RB|VB[DPZ]?|IN|DT)$/;

/**
 * The statements of a text as subject, predicate and object, in order. Skips texts that are not English,
 * questions, commands, conditions and wishes, and pronouns other than "I" and "we".
 * @param entities of the text, in order (`findEntities`)
 */
export function findFacts(
  model: LanguageModel,
  { text, speaker, isEnglish, sentences }: AnalysedText,
  entities: readonly EntityMention[],
): ExtractedFact[] {
  if (!isEnglish) return [];
  const facts: ExtractedFact[] = [];
  let passed = 0;
  for (const sentence of sentences) {
    const { tokens, words } = sentence;
    const within: EntityMention[] = [];
    while (passed < entities.length && entities[passed].end <= tokens[0].start) passed++;
    for (let i = passed; i < entities.length && entities[i].start < tokens[tokens.length - 1].end; i++)
      within.push(entities[i]);
    if (tokens.length > tokensMax || tokens.length < tokensMin || words.includes('?')) continue;
    const tree = new SentenceTree(model, text, sentence, within);
    for (const fact of factsOf(model, tree, speaker)) facts.push(fact);
  }
  return facts;
}

/** A sentence with the properties that its facts share. */
interface Context {
  readonly tree: SentenceTree;
  readonly speaker: AnalysedText['speaker'];
  readonly times: readonly SourceSpan[];
}

function factsOf(
  model: LanguageModel,
  tree: SentenceTree,
  speaker: AnalysedText['speaker'],
): ExtractedFact[] {
  const context = { tree, speaker, times: timesOf(tree) };
  return assertedClauses(tree).flatMap((clause) => {
    const subjects = subjectsOf(tree, clause.head, speaker);
    if (subjects.length === 0 || !hasKnownVerb(model, tree, clause)) return [];
    const statements = tree.has(clause.head, 'cop')
      ? copulaStatements(tree, clause, subjects)
      : verbStatements(tree, clause);
    return statements
      .filter((statement) => hasObject(tree, statement))
      .flatMap((statement) => {
        const object = tree.spanOf(statement.object);
        return subjects
          .filter(({ span }) => !overlaps(span, object) && span.text.length <= partLengthMax)
          .map((subject) => toFact(context, clause, subject, statement));
      });
  });
}

function toFact(context: Context, clause: Clause, subject: Subject, statement: Statement): ExtractedFact {
  const { tree, speaker, times } = context;
  const [copula] = tree.dependents(clause.head, 'cop');
  const verb = copula ?? clause.head;
  return {
    subject: subject.span,
    isSelf: subject.isSelf,
    predicate: statement.predicate,
    verb: tree.spanOf({ first: verb, last: verb }),
    head: lemmaOf(tree.words[clause.head]),
    object: tree.spanOf(statement.object),
    isState: statement.isState,
    isNegated: statement.isNegated,
    basis: clause.basis,
    speaker: speaker?.name,
    times,
    margin: tree.margin,
    confidence: confidenceOf(tree.margin, clause.basis),
  };
}

function hasKnownVerb({ lexicon }: LanguageModel, tree: SentenceTree, { head }: Clause): boolean {
  const lemma = lemmaOf(tree.words[head]);
  return tree.has(head, 'cop') || lexicon.verbs.has(lemma) || lexicon.verbs.has(lemma.replace(/e$/, ''));
}

function hasObject(tree: SentenceTree, { predicate, object, isState }: Statement): boolean {
  if (predicate.length > predicateLengthMax) return false;
  if (!isState && noNounTag.test(tree.tags[object.head])) return false;
  const { text } = tree.spanOf(object);
  if (text.length > partLengthMax) return false;
  return !noMore.test(text) && !isPronoun(text) && object.last - object.first < objectWordsMax;
}

const overlaps = (a: SourceSpan, b: SourceSpan) => a.start < b.end && b.start < a.end;
