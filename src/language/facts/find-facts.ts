import type { AnalysedText } from '../analysed-text.ts';
import type { EntityMention } from '../entities/entity.ts';
import type { LanguageModel } from '../language-model.ts';
import { isSentence, isTalk } from '../text/prose.ts';
import { assertedClauses, type Clause, isPronoun, type Subject, subjectsOf } from './clauses.ts';
import type { ExtractedFact, FactBasis, SourceSpan } from './fact.ts';
import { lemmaOf } from './lemma.ts';
import { SentenceTree } from './sentence-tree.ts';
import { copulaStatements, type Statement, verbStatements, whole } from './statements.ts';
import { isUseful } from './usefulness.ts';

/** Roles of people, of whom facts are worth showing; not of an agent or a system. */
const personalRole = /^(user|customer|me|human|caller|guest|client)$/i;
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
  analysed: AnalysedText,
  entities: readonly EntityMention[],
): ExtractedFact[] {
  const { text, speaker, isEnglish, sentences } = analysed;
  if (!isEnglish) return [];
  const talk = isTalk(analysed);
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
    for (const fact of factsOf(model, tree, { speaker, isTalk: talk })) facts.push(fact);
  }
  return facts;
}

/** A sentence with the properties that its facts share. */
interface Context {
  readonly tree: SentenceTree;
  readonly speaker: AnalysedText['speaker'];
  readonly times: readonly SourceSpan[];
  readonly isSentence: boolean;
  readonly isTalk: boolean;
}

function factsOf(
  model: LanguageModel,
  tree: SentenceTree,
  { speaker, isTalk }: Pick<Context, 'speaker' | 'isTalk'>,
): ExtractedFact[] {
  const context = { tree, speaker, isTalk, times: timesOf(tree), isSentence: isSentence(tree.words) };
  return assertedClauses(tree).flatMap((clause) => {
    const subjects = subjectsOf(tree, clause.head, speaker);
    if (subjects.length === 0 || !hasKnownVerb(model, tree, clause)) return [];
    const statements = tree.has(clause.head, 'cop')
      ? copulaStatements(tree, clause, subjects)
      : verbStatements(tree, clause);
    return statements
      .map((statement) => whole(tree, statement))
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
    isUseful:
      context.isSentence &&
      !(subject.isSelf && speaker?.isRole && !personalRole.test(speaker.name)) &&
      isUseful(tree, { clause, subject, statement, isTalk: context.isTalk }),
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

const point = /^(yesterday|today|tomorrow|tonight|now|currently)$/i;
const weekday = /^(mon|tues|wednes|thurs|fri|satur|sun)days?$/i;
const monthName = /^(January|February|March|April|June|July|August|September|October|November|December)$/;
const year = /^(19|20)\d\d$/;
const clock = /^\d{1,2}:\d\d$/;
const isoDate = /^\d{4}-\d\d-\d\d$/;
const unit =
  /^(week|month|year|day|morning|evening|night|weekend|spring|summer|autumn|fall|winter|quarter)s?$/i;
const relative = /^(last|next|this|past|coming|every)$/i;
const number = /^(\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|few)$/i;
const ago = /^ago$/i;
const hours = /^(am|pm|a\.m\.|p\.m\.)$/i;
/** Prepositions that are part of a time: `since May`. */
const before = /^(since|until|till|by|before|after|from)$/i;

/** Times in a sentence, as written; the caller resolves them, because it knows when the text was said. */
function timesOf(tree: SentenceTree): SourceSpan[] {
  const { words, units } = tree;
  const spans: SourceSpan[] = [];
  for (let i = 0; i < words.length; ) {
    const length = units[i].isDate ? 1 : timeLength(words, i);
    if (length === 0) {
      i++;
      continue;
    }
    const first = i > 0 && before.test(words[i - 1]) ? i - 1 : i;
    spans.push(tree.spanOf({ first, last: i + length - 1 }));
    i += length;
  }
  return spans;
}

/** Number of words of the time that begins at `i`; 0 if none does. */
function timeLength(words: readonly string[], i: number): number {
  const [word, next, third] = [words[i], words[i + 1] ?? '', words[i + 2] ?? ''];
  if (relative.test(word) && (unit.test(next) || weekday.test(next) || monthName.test(next))) return 2;
  if (number.test(word) && unit.test(next) && ago.test(third)) return 3;
  if (monthName.test(word) && year.test(next)) return 2;
  if (clock.test(word) || isoDate.test(word) || year.test(word)) return hours.test(next) ? 2 : 1;
  if (number.test(word) && hours.test(next)) return 2;
  return point.test(word) || weekday.test(word) || monthName.test(word) ? 1 : 0;
}

/** Confidence at margin 0, and the most that a greater margin of the parser adds. */
const [least, gain] = [0.55, 0.4];
/** Margin that adds about two thirds of the gain. */
const scale = 2.5;
const byBasis: Readonly<Record<FactBasis, number>> = { direct: 1, planned: 0.7, hedged: 0.5 };

/** Probability that the text states the extracted fact, times the factor of its basis: 0 to 0.95. */
function confidenceOf(margin: number, basis: FactBasis): number {
  const faithful = least + gain * (1 - Math.exp(-Math.max(margin, 0) / scale));
  return Math.round(1000 * faithful * byBasis[basis]) / 1000;
}
