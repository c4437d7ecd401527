import type { PatternType } from '../pattern.ts';

/** A claim as read from one sentence. */
export interface StatedClaim {
  readonly type: PatternType;
  /** Undefined for the speaker. */
  readonly owner?: string;
  readonly target: string;
  readonly against?: string;
  readonly isNegated: boolean;
  readonly name: string;
}

type Form = (sentence: string) => StatedClaim | undefined;

const start = String.raw`^(?:(?:and|so|but|also|ok|okay|yes|no|right|please|well|oh|hm|of course)\b[,.:]?\s+){0,3}`;
const who = String.raw`(?:(I|we|\p{Lu}[\p{L}]+)\s+)`;
const adverb = '(?:(?:really|absolutely|also|still|just|much|strongly|always|now|generally)\\s+)?';
const day = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';

const days = new RegExp(`\\b${day}s?\\b|\\b(?:mornings?|evenings?|nights?|week|awful)\\b`, 'giu');

const ownerOf = (word: string | undefined) => (word && !/^(?:i|we)$/iu.test(word) ? word : undefined);
/** Capitalised first words that are no names. */
const noOwner =
  /^(?:the|it|he|she|they|you|this|that|these|those|there|who|what|people|everyone|everybody|nobody|would|could|should|not|and|but|so|or|if|when|does|did|don't|one|some|most|all|any|children|kids|my|our|his|her|their|things?|would)$/iu;

function reading(
  type: PatternType,
  words: {
    owner?: string;
    target?: string;
    against?: string;
    isNegated?: boolean;
    name: (target: string) => string;
  },
): StatedClaim | undefined {
  if (words.owner !== undefined && noOwner.test(words.owner)) return undefined;
  const target = words.target === undefined ? undefined : targetIn(words.target);
  if (target === undefined) return undefined;
  const against = words.against === undefined ? undefined : targetIn(words.against);
  const name = words.name(target) + (against === undefined ? '' : `, not ${against}`);
  return {
    type,
    owner: ownerOf(words.owner),
    target,
    against,
    isNegated: words.isNegated ?? false,
    name,
  };
}

function form(pattern: string, read: (match: RegExpExecArray) => StatedClaim | undefined, flags = 'u'): Form {
  const regex = new RegExp(pattern, flags);
  return (sentence) => {
    const match = regex.exec(sentence);
    return match ? read(match) : undefined;
  };
}

const prefers = form(
  `(?:^|[\\s,])${who}${adverb}(?:(?:w|W)ould\\s+)?prefers?\\s+(.+?)(?:\\s+(?:over|to|instead of|rather than)\\s+(.+))?$`,
  ([, owner, target, against]) =>
    reading('preference', { owner, target, against, name: (x) => `Prefers ${x}` }),
);

const rather = form("\\bI(?:['’]d| would)\\s+rather\\s+not\\s+(.+)$", ([, target]) =>
  reading('preference', { target, isNegated: true, name: (x) => `Would rather not ${x}` }),
);

const likes = form(
  `(?:^|[,;:]\\s+|\\b(?:and|but|because|that)\\s+)${who}${adverb}(love|like|enjoy|adore|hate|detest|dislike|can['’]t stand|don['’]t like|refuse to)(s?)\\s+(.+)$`,
  ([, owner, verb, s, target]) => {
    if ((s === '') === (ownerOf(owner) !== undefined)) return undefined;
    // "Ida like ..." is no statement about Ida, and "I like that" does not name its object.
    if (
      /^(?:that|this|it|them|you|him|her|how|when|what|to think)\b/iu.test(target) ||
      partOfWhatWasSaid.test(target)
    )
      return undefined;
    const isNegated = /^(?:hate|detest|dislike|can|don|refuse)/iu.test(verb);
    return reading('preference', {
      owner,
      target,
      isNegated,
      name: (x) => `${isNegated ? 'Dislikes' : 'Likes'} ${x}`,
    });
  },
);

const notAVerb =
  '(?!(?:the|a|an|again|mind|ever|been|have|had|was|were|is|are|be|happy|too|as|at|in|on|to|in|from|than|with|so|quite|one|before|after|that|this|it|more|salmon|maybe|below|above|got|saw|knew|went|did|came|said|told|lies|dies|sleeps|here|there|by|for|of|me|you|him|her|them|what|why|emoji)\\b)';
const baseVerb = `${notAVerb}([\\p{Ll}]+(?<!ed|ing|ever)(?:\\s.+)?)$`;

/** "Never take that away": the object is not named. */
const saysNotWhat =
  /^[\p{Ll}]+ (?:that|this|it|them|those|these)(?: (?:away|off|back|up|down|out|again))?[.!]?$/iu;

const imperative = form(
  `(?:${start}|[,;:–]\\s+(?:and\\s+)?(?:please\\s+)?)(always|never)\\s+${baseVerb}`,
  ([, word, target]) => {
    if (saysNotWhat.test(target)) return undefined;
    const isNegated = word.toLowerCase() === 'never';
    return reading('rule', { target, isNegated, name: (x) => `${isNegated ? 'Never' : 'Always'} ${x}` });
  },
  'iu',
);

const habitually = form(
  `(?:^|[,;]\\s+|\\b(?:and|but|because)\\s+)(I|we|We|\\p{Lu}[\\p{L}]+)\\s+(always|never|usually|normally|typically)\\s+${baseVerb}`,
  ([, owner, word, target]) => {
    const isNegated = word === 'never';
    return reading('habit', {
      owner,
      target,
      isNegated,
      name: (x) => `${word[0].toUpperCase()}${word.slice(1)} ${x}`,
    });
  },
);

const only = form(
  `${start}([\\p{L}\\p{N}][\\p{L}\\p{N}_.-]{1,40}) only(?:[.!]?$|,\\s|\\s[-–—]\\s)(?:(?:and\\s+)?(?:never|not|no)\\s+(.+))?`,
  ([, target, against]) =>
    /^(?:is|was|are|were|has|have|it|that|if|not|the|and|lens|days|one|if|read|them|me|us|you|then|for)$|^\d/iu.test(
      target,
    )
      ? undefined
      : reading('rule', { target, against, name: (x) => `Only ${x}` }),
  'iu',
);

const noPlease = form(
  `${start}(?:no\\s+([\\p{L}\\p{N}][^.,;!]{1,30}?),?\\s+please\\b|never\\s+(?!again|here|there|mind|ever)([\\p{L}\\p{N}]+)[.!]?$)`,
  ([, asked, never]) => reading('rule', { target: asked ?? never, isNegated: true, name: (x) => `No ${x}` }),
  'iu',
);

const fromNowOn = form(
  '^(?:so\\s+)?(.*?),?\\s*\\bfrom now on\\b[,:]?\\s*(.*)$',
  ([, before, after]) =>
    reading('rule', {
      target: `${before}: ${after}`.replace(/^: |[,;]|: $/gu, '').replace(/: /gu, ' '),
      name: (x) => `From now on: ${x}`,
    }),
  'iu',
);

const ruleIs = form(
  '(?:\\b(?:general|house|new|standing|our|the)\\s+rules?(?:\\s+(?:is|for me|for you|for us|here))?:\\s+|\\bas a rule,?\\s+|^make sure (?:to|you|that)\\s+)(.+)$',
  ([, target]) => reading('rule', { target, name: (x) => `Rule: ${x}` }),
  'iu',
);

const generalRule = form(
  "^(.+?)[,.;]?\\s+(?:that['’]s|it['’]s|this is) (?:a |the |our )?(?:general |house |new )?rule\\b",
  ([, target]) => reading('rule', { target, name: (x) => `Rule: ${x}` }),
  'iu',
);

const nobody = form(
  `(?:^|[,;.]\\s+)nobody\\s+(?!(?:knows|needs|wants|cares|thinks|believes|understands|sees|hears|asks|answers|minds|came|comes|reads|does|likes|is|was|has|remembers|says|drops|notices|spoke)\\b)(\\p{Ll}+s\\s.+)$`,
  ([, target]) => reading('rule', { target, isNegated: true, name: (x) => `Nobody ${x}` }),
  'iu',
);

const useNot = form(
  '(?:^|[,;:.]\\s+|\\bto\\s+|\\bplease\\s+)(?:use|go with|write|choose)\\s+(.+?),?\\s+(?:instead of|rather than|not|and not|never)\\s+(.+)$',
  ([, target, against]) => reading('correction', { target, against, name: (x) => `Use ${x}` }),
  'iu',
);

const noNotUse = form(
  `${start}not\\s+(?:the\\s+)?([^,;.]{2,40})[,;.].*?\\b(?:use|take)\\s+(.+)$`,
  ([, against, target]) => reading('correction', { target, against, name: (x) => `Use ${x}` }),
  'iu',
);

const switched = form(
  '\\b(?:switched|moved|migrated|changed)\\s+(?:over\\s+|everything\\s+)?from\\s+(.+?)\\s+to\\s+(.+)$',
  ([, against, target]) =>
    /\d/u.test(target + against)
      ? undefined
      : reading('correction', { target, against, name: (x) => `Now ${x}` }),
  'iu',
);

const insteadOf = form(
  '^([\\p{L}\\p{N}][^,;:.]{1,40}?)\\s+instead of\\s+([^,;:.]{2,40})[,;:.]?',
  ([, target, against]) => reading('correction', { target, against, name: (x) => `Now ${x}` }),
);

const regularTime = `\\b(?:every|each)\\s+(?:single\\s+)?(?:morning|evening|night|day|week|weekday|weekend|month|${day})\\b|\\bon\\s+${day}s\\b|^${day}s\\b`;
const isRegular = new RegExp(regularTime, 'iu');

/** Past tense does not state a habit: "I ate cake every day", on a journey. */
const isPast =
  /\b(?:was|were|had|did|went|came|got|took|saw|ate|drank|swam|ran|sat|slept|spent|made|gave|told|said|\p{Ll}{2,}ed)\b/iu;
/** Opening hours are not a habit. */
const isOpeningTime = /\b(?:open|opens|closed|closes)\b/iu;

// "I find it grey, but she's there every month": `targetIn` cuts the part with the time, so no habit is left.
const regularly = form(
  `^(.*?(?:${regularTime}).*)$`,
  ([, target]) => {
    if (wordsOf(target.replace(days, '')).size < 3) return undefined;
    if (isPast.test(target) || isOpeningTime.test(target)) return undefined;
    const read = reading('habit', { target: target.replace(/[,;:]/gu, ''), name: (x) => x });
    return read && isRegular.test(read.target) ? read : undefined;
  },
  'iu',
);

const uses = form(
  `(?:^|[,;]\\s+|\\b(?:and|but|because)\\s+)${who}(?:now\\s+|only\\s+|mostly\\s+)?(?:use|uses|switched to|moved to)\\s+(?!(?:to|for|the same|it|that|this|into|out|away|over|up|off|from|in|at|a|an)\\b)(.+?)(?:\\s+(?:for|to|in|on|with)\\s+.+)?$`,
  ([, owner, target]) =>
    target.split(' ').length > 4 ? undefined : reading('tool', { owner, target, name: (x) => `Uses ${x}` }),
);

/** The most specific first: the first form that matches a sentence reads it. */
export const claimForms: readonly Form[] = [
  noNotUse,
  useNot,
  switched,
  only,
  fromNowOn,
  ruleIs,
  generalRule,
  imperative,
  prefers,
  rather,
  likes,
  habitually,
  nobody,
  noPlease,
  insteadOf,
  regularly,
  uses,
];

/** Words without content. */
const empty = new Set(
  (
    'a an the and or but so of to in on at by for from with as is are be am was were it its that this these those i we you he ' +
    'she they me us him her them my our your his their do does did not no only just really very please again ever any all ' +
    'some every each always never usually more than then when where which who what how have has had will would can could ' +
    'should into over about up out if too also now one two'
  ).split(' '),
);

/** A word without plural and verb endings: `tests` and `testing` become `test`. */
function stem(word: string): string {
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3);
  if (word.length > 4 && word.endsWith('ed')) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return word;
}

/** Content words, by which claims are compared. */
export function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_.+#/-]*/gu) ?? [];
  return new Set(
    words
      .map((word) => word.replace(/[.\-/]+$/u, ''))
      .filter((word) => word !== '' && !empty.has(word))
      .map(stem),
  );
}

const ending =
  /\s*(?:[,;()–—]|:\s|\s-\s|\s(?:because|since|so that|but|which|who|when|if|while|until|unless|although|though|as it|as they|and (?:i|we|you|he|she|it|they|then)|please)\b).*$/iu;
const polite = /^(?:the|a|an|my|our|your|to|some)\s+/iu;

const targetLengthMax = 80;
const wordsMax = 12;

/** The beginning of a text up to the next clause; undefined if it has no content words or is too long. */
export function targetIn(text: string): string | undefined {
  const target = text
    .replace(/^["“'‘(]+/u, '')
    .replace(ending, '')
    .replace(/[."”'’!)\s]+$/u, '')
    .trim();
  const bare = target.replace(polite, '');
  if (bare === '' || target.length > targetLengthMax || bare.split(/\s+/u).length > wordsMax)
    return undefined;
  return wordsOf(bare).size === 0 ? undefined : bare;
}

/** "I like the green half" refers to a thing named before. */
export const partOfWhatWasSaid =
  /^the (?:[\p{L}-]+ )?(?:idea|sound|look|bit|thought|half|part|one|ones|version|way|rest)\b/iu;
