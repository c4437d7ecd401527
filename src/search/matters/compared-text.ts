import { lemmaOf } from '../../language/facts/lemma.ts';
import { isFiller } from '../../language/relationships/content-words.ts';
import { bump, isContrast } from '../../language/relationships/value-changes.ts';
import { type Value, valuesIn } from '../../language/relationships/values.ts';
import { speakerOf } from '../../language/text/speaker.ts';
import { type Token, tokensOf } from '../../language/text/tokens.ts';
import { groupBy } from '../../lib/collections.ts';
import { analyze } from '../../search-index/analysis/index.ts';

/** Values of one kind in a text. */
export interface ValuesOfKind {
  readonly values: ReadonlySet<string>;
  /** Terms before the first of them, which name its owner. */
  readonly before: readonly string[];
}

/** A text as the comparison reads it. */
export interface ComparedText {
  readonly speaker: string | undefined;
  readonly plain: string;
  /** Distinct terms besides values and words of change, in order. */
  readonly terms: readonly string[];
  readonly values: ReadonlyMap<string, ValuesOfKind>;
  /** Numbers that are names, by their noun: `sprint` 14. */
  readonly numbered: ReadonlyMap<string, string>;
  /** Words with a capital, in lower case. */
  readonly names: ReadonlySet<string>;
  /** Base forms of words with letters only, in lower case. */
  readonly words: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
  /** Words that tell the thing of the first value from others of its kind. */
  readonly contrasts: ReadonlySet<string>;
  /** Words after a preposition that limits a value. */
  readonly limits: ReadonlySet<string>;
  readonly hasFillers: boolean;
  /** Whether it doubts or plans. */
  readonly isHedged: boolean;
  /** Whether it is an event of its own, as an automatic commit is. */
  readonly isOwnEvent: boolean;
  /** Words before the first `is`, `are` or colon, and those after it. */
  readonly subject: string | undefined;
  readonly said: string | undefined;
  readonly isNegated: boolean;
  readonly isQuestion: boolean;
  /** Whether it speaks to somebody: in talk, the same words are used about many matters. */
  readonly isTalk: boolean;
  /** Whether it says that something changed. */
  readonly tellsChange: boolean;
  /** Whether it says so by a verb of change, not only by `now` or a time. */
  readonly isReplacing: boolean;
  /** Whether it tells of one past event, which another event does not change. */
  readonly isEvent: boolean;
  /** Whether it says that something is to be done, or that it is done. */
  readonly isOpen: boolean;
  readonly isDone: boolean;
  /** Names of those who it says are away or no longer in charge. */
  readonly away: readonly string[];
  /** First terms after verbs of change: "moved the bikes into the shed" changes no shed. */
  readonly changed: readonly string[];
  /** Terms of which it says that they no longer hold: of "from X to Y", "instead of X". */
  readonly gone: readonly string[];
}

/** UTF-16 units of a text that are compared: longer texts are about several matters. */
export const comparedLengthMax = 1500;

/** Terms of words that are listed. */
export const termsOf = (words: string) => new Set(words.split(' ').flatMap((word) => analyze(word)));
const changeTerms = termsOf(
  'now instead anymore longer moved move change changed changes switch switched update updated new old raised lowered ' +
    'postponed upgrade upgraded replaced renamed again since today yesterday finally actually currently still until',
);
const change =
  /\b(?:now|instead|no longer|not any ?more|no more|any ?more|moved?|changed?|switch(?:ed)?|replaced?s?|renamed|raised|lowered|postponed|upgraded|increased|reduced|extended|delayed|rescheduled|bumped|from \S+ to|after all|not \S+ but|from \S+(?: \S+)? on|as of|new (?:date|time|value|limit|deadline|price|address|calendar)|(?:goes|went|turned|cut|push|pushed)(?: \S+){0,5}? (?:up|down|to|by)|(?:is|are) (?:gone|dead|closed)|retire[sd]|changed (?:my|his|her|their|its) minds?|since (?:the|this|last|january|february|march|april|may|june|july|august|september|october|november|december|\w+day))\b/i;
const replacing =
  /\b(?:moved|changed|renamed|replaced|switched|migrated|no longer|instead|gone|dead|closed|retired)\b/i;
const changedThing =
  /\b(?:moved|changed|renamed|replaced|switched|migrated|raised|lowered|postponed|upgraded)(?: (?:the|a|an|our|my|his|her|their))? (\S+)/gi;
const same = /\b(?:still|as before|unchanged|remains?|stays? (?:at|the same))\b/i;
const statement = /^([^.;?!\n]{3,80}?)(?: (?:is|are|is named|is called)|:) (.+)$/s;
const question = /\?["'”’)\]]*\s*$/;
const talk = /\b(?:you|your|yours|let['’]s)\b|!/i;
const replaced =
  /\b(?:from(?= \S+(?: \S+)? to )|instead of|rather than|in place of|no longer(?: (?:on|in|at|with|by))?|replac\w+|drop\w*|(?:away|moved|switched|migrated) from|not(?: (?:in|on|at|with|by))?)(?: the)? (\S+)/gi;
const negation = /\b(?:not|never|no longer|cannot|without)\b|n['’]t\b/i;
const alsoCue = /\b(?:too|also|as well|another|in addition)\b/i;
const past =
  /(?<!\b(?:is|are|be|been|being|has|have|gets?) (?:\w+ )?)\b(?:was|were|went|ran|had|met|bought|got|did|took|saw|ate|came|[a-z]{3,}ed)\b/i;
const open =
  /^(?:todo|to do|open|action items?|bug|problem|issue)\b|\b(?:not|nobody|no|has|have)\b[^.;]{0,60}\byet\b|\b(?:is|are) missing\b|\b(?:still open|has to be|have to be|needs? to be|must be)\b/i;
const done =
  /^(?:done|fixed|finished|closed|resolved|solved|implemented|added|merged|shipped)\b|\b(?:is|are|was|were|has been|have been) (?:now |finally |already )?(?:done|fixed|finished|closed|resolved|solved|implemented|added|merged|shipped|deployed|written|published|in place|live|ready)\b/i;
const letters = /^[\p{L}-]+$/u;
const path = /[\w.]\/[\w.]/;
const limit =
  /\b(?:for|of|in|on|at) (?:(?:the|a|an|our|my|his|her|their) )?(?!(?:it|them|this|that|next|last|now|today|then|time|day|week|month|year)\b)(\p{L}[\p{L}\p{N}-]*)/giu;
/** Ends of a clause. */
const clauseEnd = /[,;:.](?=\s|$)|\b(?:since|because|so|but|which|who|when|while|after|before|until)\b/gi;
/** Words of contrast that also name a time. */
const timeWord = /^(?:new|old|last|next|one|both|first|second|third)$/;
const hedge =
  /\b(?:might|maybe|perhaps|probably|would|could|should|thinks?|believes?|guess|want to|wants to|plan(?:s|ning)? to|let['’]s|propose[sd]?|suggest(?:s|ed)?|consider(?:s|ing)?)\b/i;
const capital = /^\p{Lu}[\p{Ll}\p{M}]/u;
const absence =
  /\b(?:(?:is|are|will be|goes|be) (?:\S+ ){0,2}?(?:on|at|off|in) (?:\S+ ){0,2}?(?:leave|holidays?|vacation|sabbatical|honeymoon)|(?:is|are|will be) (?:off sick|out sick|away|ill|sick|off|abroad|out of office|gone)\b|retire[sd]|left (?:the|us)|leaves|moved out|took over|takes over|fill(?:s|ing)? in for|stands? in for|covers? for)/i;
const standIn =
  /\b(?:ask|asks|call|contact|write to|talk to|go to|turn to|in the meantime|meanwhile|until then|instead|stands? in|fill(?:s|ing)? in|covers?|took over|takes over|now)\b/i;
const numberedNoun =
  /\b(phase|room|ticket|step|chapter|release|sprint|version|team|line|gate|terminal|platform|track|issue|part|level|page|section|week|day|season|episode|apartment|flat|house|ward|floor|iteration|milestone|lesson) (\d[\w.]*\d|\d\w?)/gi;
const label = /^[a-z]+(?:\([\w-]+\))?!?: /;

/** Parts of a text from which its fields are read. */
interface Source {
  readonly content: string;
  readonly speech: ReturnType<typeof speakerOf>;
  /** The content without speaker or label. */
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly stated: StatedValues;
  /** Place of the first value. */
  readonly at: number;
}

type Fields = Source & ComparedText;

const fields: { readonly [K in Exclude<keyof Fields, 'content'>]: (of: Fields) => Fields[K] } = {
  speech: ({ content }) => speakerOf(content),
  text: ({ content, speech }) => {
    const from = speech?.bodyStart ?? label.exec(content)?.[0].length ?? 0;
    return content.slice(from, from + comparedLengthMax);
  },
  tokens: ({ text }) => tokensOf(text),
  stated: ({ text, tokens }) => statedValues(text, tokens),
  at: ({ stated }) => stated.values[0]?.at ?? 0,
  speaker: ({ speech }) => speech?.name,
  plain: ({ text }) => plainOf(text),
  terms: ({ stated }) => termsIn(stated.rest),
  values: ({ stated }) => byKindOf(stated),
  numbered: ({ text }) =>
    new Map([...text.matchAll(numberedNoun)].map(([, noun, number]) => [noun.toLowerCase(), number])),
  names: ({ tokens }) => wordsThat(capital, tokens),
  words: ({ tokens }) => wordsOf(tokens),
  paths: ({ tokens }) => wordsThat(path, tokens),
  contrasts: ({ text, tokens, words, stated, at }) => {
    const near = stated.values.length === 0 ? words : wordsOf(clauseAround(text, tokens, at));
    return new Set([...near].filter((word) => isContrast(word) && !timeWord.test(word)));
  },
  limits: ({ stated, at }) =>
    new Set([...stated.rest.slice(at).matchAll(limit)].map(([, word]) => lemmaOf(word.toLowerCase()))),
  hasFillers: ({ tokens }) => tokens.some((_, at) => isFiller(tokens, at)),
  isHedged: ({ text }) => hedge.test(text),
  isOwnEvent: ({ text }) => bump.test(text),
  subject: ({ text }) => plainPart(text, 1),
  said: ({ text }) => plainPart(text, 2),
  isNegated: ({ text }) => negation.test(text),
  isQuestion: ({ text }) => question.test(text),
  isTalk: ({ text }) => talk.test(text),
  tellsChange: ({ text }) => change.test(text) && !same.test(text),
  isReplacing: ({ text }) => replacing.test(text),
  isEvent: ({ text, tellsChange }) =>
    alsoCue.test(text) || (!tellsChange && past.test(text.split(/[,;.](?:\s|$)/, 1)[0])),
  isOpen: ({ text, isDone }) => !isDone && open.test(text),
  isDone: ({ text }) => done.test(text),
  away: ({ text }) => (standIn.test(text) ? awayIn(text) : []),
  changed: ({ text }) => [...text.matchAll(changedThing)].flatMap(([, word]) => analyze(word)),
  gone: ({ text }) => [...text.matchAll(replaced)].flatMap(([, word]) => analyze(word)),
};

/** Reads each field at its first use: most pairs of texts are told apart by two or three. */
class LazyText {
  readonly content: string;

  constructor(content: string) {
    this.content = content;
  }
}
for (const [name, read] of Object.entries(fields))
  Object.defineProperty(LazyText.prototype, name, {
    get(this: Fields) {
      const value = read(this);
      Object.defineProperty(this, name, { value });
      return value;
    },
  });

export const toCompared = (content: string) => new LazyText(content) as unknown as ComparedText;

const termsIn = (part: string) => [...new Set(analyze(part))].filter((term) => !changeTerms.has(term));

function byKindOf({ values, rest }: StatedValues): Map<string, ValuesOfKind> {
  const byKind = new Map<string, ValuesOfKind>();
  for (const [kind, ofKind] of groupBy(values, (value) => value.kind)) {
    const first = Math.min(...ofKind.map(({ at }) => at));
    byKind.set(kind, {
      values: new Set(ofKind.map(({ amount }) => amount)),
      before: termsIn(rest.slice(0, first)),
    });
  }
  return byKind;
}

const wordsThat = (pattern: RegExp, tokens: readonly Token[]) =>
  new Set(tokens.flatMap(({ word }) => (pattern.test(word) ? [word.toLowerCase()] : [])));

function plainPart(text: string, group: 1 | 2): string | undefined {
  const part = statement.exec(text)?.[group];
  return part && plainOf(part);
}

const plainOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Names before or after words for an absence or a successor, in their sentence. */
function awayIn(text: string): string[] {
  const found = absence.exec(text);
  if (!found) return [];
  const sentence = text.slice(text.lastIndexOf('. ', found.index) + 1, found.index);
  const after = /(?:over|for|from)\b[^.;]*/i.exec(text.slice(found.index))?.[0] ?? '';
  return [...tokensOf(sentence), ...tokensOf(after)].flatMap(({ word }) =>
    capital.test(word) ? [word.toLowerCase()] : [],
  );
}

const wordsOf = (tokens: readonly Token[]) =>
  new Set(tokens.flatMap(({ word }) => (letters.test(word) ? [lemmaOf(word.toLowerCase())] : [])));

/** Tokens of the clause at a place. */
function clauseAround(text: string, tokens: readonly Token[], at: number): readonly Token[] {
  const ends = [...text.matchAll(clauseEnd)].map(({ index }) => index);
  const from = Math.max(0, ...ends.filter((end) => end < at));
  const to = Math.min(text.length, ...ends.filter((end) => end > at));
  return tokens.filter(({ start, end }) => start >= from && end <= to);
}

interface StatedValue extends Value {
  readonly at: number;
}

interface StatedValues {
  readonly values: readonly StatedValue[];
  readonly rest: string;
}

/** Values that a text states, and the text with blanks in place of their numbers. A bare number is of the kind of the word before it. */
function statedValues(text: string, tokens: readonly Token[]): StatedValues {
  let rest = text;
  // A number that begins a text is its label.
  const stated = valuesIn(tokens).filter(({ kind, from }) => kind !== 'number' || from > 0);
  const values = stated.map((value) => {
    const [first, last] = [tokens[value.from], tokens[value.to - 1]];
    // The unit of a count stays: it names the counted thing.
    const end = value.kind.startsWith('count ') ? last.start : last.end;
    rest = rest.slice(0, first.start) + ' '.repeat(end - first.start) + rest.slice(end);
    const before = tokens[value.from - 1]?.word.toLowerCase() ?? '';
    const kind = value.kind === 'number' ? `after ${analyze(before)[0] ?? before}` : value.kind;
    return { ...value, kind, at: first.start };
  });
  return { values, rest };
}
