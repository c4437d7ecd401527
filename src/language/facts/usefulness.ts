import { kindOfWord } from '../../lib/speakers/speaker-label.ts';
import { general } from '../text/plain-words.ts';
import type { Clause, Subject } from './clauses.ts';
import { lemmaOf } from './lemma.ts';
import type { Phrase, SentenceTree } from './sentence-tree.ts';
import { judging, type Statement } from './statements.ts';

/** Verbs that say little of their own, and verbs of speech and thought. */
const empty =
  /^(have|make|take|mean|do|go|come|see|look|keep|give|let|put|say|tell|ask|know|think|feel|help|happen|seem|show|find|remember|forget|hope|wait|talk|speak|turn|bring|thank|try|guess|sound|hear|wonder|believe|agree|mention|add|include|contain|enjoy|check|share|handle|cause|involve|follow|concern|matter|deserve)$/;
const without = /^(get|got|gotten)$/i;
/** Verbs by which talk says what holds of somebody for longer than the talk; others of them only of a name or number. */
const lasting =
  /^(live|work|study|graduate|major|teach|coach|own|adopt|marry|divorce|retire|emigrate|immigrate|volunteer|collect|bear|belong|name|manage|lead)$/;
const lastingOfNames =
  /^(move|train|buy|sell|rent|run|join|leave|quit|start|open|found|launch|grow|write|publish|direct|produce|win|lose|break|cost|expire|close|end|begin|deploy|switch|migrate|replace|release|upgrade|drop|raise|lower|increase|reduce|store|host|report|sign|book|visit|become|weigh|measure|earn|pay|owe|date|depend|default|rise|fall|change|rename|postpone|cancel|limit|allow|require|support)$/;
/** States that tell of a person or thing. */
const lastingState =
  /\b(allergic|intolerant|fluent|married|engaged|related|passionate|afraid|scared|interested|based|located|responsible|due|addicted)\b/;
const scheduling = /^(start|begin|end|open|close|expire|launch|cost|last)$/;
const article = /^(a|an)$/i;
/** Verbs of habits in the present, of single acts in the past. */
const habitual = /^(play|use|drive)$/;
const liking = /^(prefer|like|love|enjoy|hate|dislike|speak)$/;
const presentTag = /^VB[PZ]?$/;
/** Words of a subject or an object that point to something outside of the sentence. */
const pointing =
  /^(this|that|these|those|such|some|any|another|your|his|her|its|their|each|every|both|either|one|ones|it|them|him|what|which|who|here|there|same|other|others|rest|following|above|below|way|lot|ton|tons|bunch|not|n't|no|so|more|most|much|many|few|little|self|my|our|yesterday|all|only|especially|just)$/i;
const nounTag = /^(NN|FW|ADD|CD)/;
const numberTag = /^CD$/;
const notInSubject = /^(VB[GDPZ]?$|MD|W|RB$)/;
const properTag = /^NNP/;
const ours = /^(my|our)$/i;
const word = /[\p{L}\p{N}]/u;
const we = /^we$/i;
const capital = /\p{Lu}/u;
const prepositionEnd = / (?:with|around|in|at|on|of|by|for|from|to)$/;
const changeEnd = / (?:to|at|from|by)$/;
const markup = /[`|*<>{}[\]=~^\\"“”]/;
const label = /^(?:TODO|NOTE|FIXME|FYI|WIP|TBD|NB|PS)$/;
/** Words that point outside of the sentence wherever they stand in a phrase. */
const pronoun = /^(it|them|him|me|us|you|everything|something|anything|everyone|someone|between)$/i;
/** Adverbs and particles that belong to a predicate, without which it says something else: `was down`, `is back`. */
const particle = /^(down|up|back|off|out|away|over|being|behind|ahead)$/i;
/** Words before an object that is not the one of its verb: a price, an apposition, an alternative. */
const beforeOther = /^(?:[,(;:]|or)$/;
const beyond = /^["'“‘(]$/;
const praise =
  /^(captivating|delightful|prestigious|popular|well-known|iconic|fascinating|epic|remarkable|gripping|breathtaking|unique|memorable|thrilling|genius|treat|expert|dream|blessing|blast|joy|inspiration|pleasure|reminder|hub|classic)$/i;
const the = /^the$/i;
const inside = /^(of|['’]s|-|\/|&)$/;
/** Words after an object that end its clause. */
const closing =
  /^(?:[.!?;,:)–—-]|and|or|but|because|since|while|when|so|now|then|too|again|today|yesterday|already)$/i;
const [subjectWordsMax, objectWordsMax] = [6, 9];
/** Margin of the parser below which every other statement is wrong. */
const marginMin = 0.75;

/** A clause with a subject and a statement. */
interface Stated {
  readonly clause: Clause;
  readonly subject: Subject;
  readonly statement: Statement;
  readonly isTalk: boolean;
}

/**
 * Whether a statement is worth reading without its text: its subject and object name something and are whole, and
 * its verb says more than that the two belong together. Of talk, only what holds of people and things for longer.
 */
export function isUseful(tree: SentenceTree, stated: Stated): boolean {
  const { clause, subject, statement, isTalk } = stated;
  const isOfWriter = subject.isSelf || we.test(subject.span.text);
  return (
    clause.basis !== 'hedged' &&
    tree.margin >= marginMin &&
    isTellingSubject(tree, subject) &&
    isTellingObject(tree, statement) &&
    isTellingPredicate(tree, statement) &&
    isSpecific(tree, stated) &&
    (subject.isSelf || !isMentioned(tree, subject.phrase) || hasNameOrNumber(tree, statement.object)) &&
    (!(isTalk || isOfWriter) || isLasting(tree, stated))
  );
}

function isTellingSubject(tree: SentenceTree, { span, isSelf, phrase }: Subject): boolean {
  if (isSelf || we.test(span.text)) return true;
  const { first, last, head } = phrase;
  if (last - first >= subjectWordsMax || markup.test(span.text) || label.test(span.text)) return false;
  if (isPointing(tree, phrase) || range(phrase).some((i) => pronoun.test(tree.words[i]))) return false;
  if (general.test(lemmaOf(tree.words[head]))) return false;
  const isName = (i: number) => tree.units[i].isName;
  if (/^(CD|JJ)/.test(tree.tags[head]) && !isName(head)) return false;
  if (/^\d/.test(tree.words[first])) return false;
  return range(phrase).every((i) => isName(i) || !notInSubject.test(tree.tags[i]));
}

/** Whether a subject such as `the work` means something that the text named before. */
const isMentioned = (tree: SentenceTree, { first, last }: Phrase) =>
  last === first + 1 &&
  /^the$/i.test(tree.words[first]) &&
  !tree.units[last].isName &&
  !properTag.test(tree.tags[last]);

function isTellingObject(tree: SentenceTree, { object, isState, isNegated, predicate }: Statement): boolean {
  const { first, last, head } = object;
  const { text } = tree.spanOf(object);
  if (last - first >= objectWordsMax || !word.test(text) || markup.test(text)) return false;
  if (isPointing(tree, object) || range(object).some((i) => pronoun.test(tree.words[i]))) return false;
  if (isState) return lastingState.test(predicate);
  const before = tree.words[first - 1] ?? '';
  if (beforeOther.test(before) || particle.test(before) || isCut(tree, object)) return false;
  const words = range(object).map((i) => tree.words[i]);
  if (words.some((each) => judging.test(each) || praise.test(each))) return false;
  if (!hasNameOrNumber(tree, object) && general.test(lemmaOf(tree.words[head]))) return false;
  if (!nounTag.test(tree.tags[head]) && !tree.units[head].isName) return false;
  const next = tree.words[last + 1] ?? '.';
  return !inside.test(next) && (!isNegated || closing.test(next));
}

/** Whether the phrase, or the noun after its article, points elsewhere: `this page`, `the rest`. */
function isPointing(tree: SentenceTree, { first, last }: Phrase): boolean {
  const at = /^(the|a|an)$/i.test(tree.words[first]) && first < last ? first + 1 : first;
  return pointing.test(tree.words[first]) || pointing.test(tree.words[at]);
}

function isTellingPredicate(tree: SentenceTree, { predicate, object }: Statement): boolean {
  const words = predicate.split(' ');
  if (
    words.some((each) => without.test(each)) ||
    capital.test(predicate) ||
    /^(is|was|are|were) to$/.test(predicate)
  )
    return false;
  if (words.length > 1 && liking.test(lemmaOf(words[0])) && prepositionEnd.test(predicate)) return false;
  return !words.some((each) => empty.test(lemmaOf(each))) || hasNumber(tree, object);
}

/** Whether the words after an object, or its last ones, show that it is not whole: `the old Zendesk (dump)`, `a fan of`. */
function isCut({ words, tags }: SentenceTree, { last }: Phrase): boolean {
  if (/^(IN|TO|DT)$/.test(tags[last])) return true;
  const isEnd = /^CD$/.test(tags[last]) && /^\d/.test(words[last + 1] ?? '');
  return beyond.test(words[last + 1] ?? '') || isEnd || /^(NNS?|VBP?)$/.test(tags[last + 1] ?? '');
}

/**
 * False for what only the sentences around it make clear: `the stairs`, `Customer reported`, `Presents bought from`.
 */
function isSpecific(tree: SentenceTree, { clause, subject, statement }: Stated): boolean {
  const { object, predicate, isState } = statement;
  const named = hasNameOrNumber(tree, object);
  const { first, last } = object;
  if (!isState && the.test(tree.words[first]) && !named) {
    if (last <= first + 1 || liking.test(lemmaOf(predicate.split(' ')[0]))) return false;
  }
  if (subject.isSelf) return true;
  if (we.test(subject.span.text)) return hasNumber(tree, object);
  const { phrase } = subject;
  // The verb is that of another noun: `alternatives to Pinpointer ... needs`.
  if (tree.tags[phrase.head] === 'NNS' && tree.tags[clause.head] === 'VBZ') return false;
  const { isName } = tree.units[phrase.head];
  const isProper =
    properTag.test(tree.tags[phrase.head]) &&
    (phrase.first > 0 || kindOfWord(tree.words[phrase.head]) !== 'label');
  const isBare = phrase.first === phrase.last && !isName && !isProper;
  if (!isBare) return true;
  const isParticiple = /^VB[ND]$/.test(tree.tags[clause.head]) && !tree.has(clause.head, 'aux');
  return hasNumber(tree, object) && (!isParticiple || changeEnd.test(predicate));
}

function isLasting(tree: SentenceTree, { clause, subject, statement }: Stated): boolean {
  const { phrase, isSelf } = subject;
  const { object, predicate } = statement;
  if (/ \p{Lu}/u.test(predicate) || (object.first === object.last && numberTag.test(tree.tags[object.head])))
    return false;
  const hasName = hasNameOrNumber(tree, object);
  const isNamed = range(phrase).some((i) => isNameAt(tree, i)) || ours.test(tree.words[phrase.first]);
  const isOfEvent = we.test(subject.span.text) || scheduling.test(lemmaOf(tree.words[clause.head]));
  if (!isSelf && !isNamed && !(hasName && isOfEvent)) return false;
  if (tree.has(clause.head, 'cop')) return isLastingState(tree, statement, hasName);
  const tag = tree.tags[clause.head];
  if (tag === 'VBG') return false;
  return predicate.split(' ').some((each) => {
    const lemma = lemmaOf(each);
    if (lasting.test(lemma) || (hasName && lastingOfNames.test(lemma))) return true;
    return (liking.test(lemma) || habitual.test(lemma)) && presentTag.test(tag);
  });
}

/** `is a nurse`, `is from Porto`, `is allergic to nuts`. */
function isLastingState(tree: SentenceTree, { predicate, object }: Statement, hasName: boolean): boolean {
  if (/being|been/i.test(predicate)) return false;
  if (/^(was|were)/i.test(predicate)) return false;
  if (lastingState.test(predicate)) return true;
  const words = predicate.split(' ').length;
  if (words === 1) return article.test(tree.words[object.first]) || isNameAt(tree, object.head);
  return words === 2 && hasName;
}

const isNameAt = (tree: SentenceTree, i: number) => tree.units[i].isName || properTag.test(tree.tags[i]);

const hasNameOrNumber = (tree: SentenceTree, phrase: Phrase) =>
  hasNumber(tree, phrase) || range(phrase).some((i) => isNameAt(tree, i));

const hasNumber = (tree: SentenceTree, phrase: Phrase) =>
  range(phrase).some((i) => numberTag.test(tree.tags[i]) || /\d/.test(tree.words[i]));

const range = ({ first, last }: Phrase) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
