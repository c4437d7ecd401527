import { beginsWithVerb, isAboutWork, isGeneral, isOfKind, isOnce, isStandingWish } from './standing.ts';

/** A demand without its type. */
export interface Demanded {
  /** Without "never", "do not" and the like. */
  readonly target: string;
  readonly isNegated: boolean;
}

export interface Origin {
  /** Whether the user is said to demand it. */
  readonly isAsked: boolean;
  /** In a long text, whose demands are mostly to its readers. */
  readonly isDocument: boolean;
}

export type Form = (text: string, origin: Origin) => Demanded | undefined;

const start = String.raw`(?:(?:and|so|but|also|ok|okay|yes|no|right|please|well|again|important|note|remember)\b[,.:!]?\s+){0,3}`;
/** A case before the demand: "In code reviews, ..." */
const inCase = String.raw`(?:(?:in|for|when|whenever|if|before|after|while|once|on|at|with|as|every time|each time|unless|during|until)\s[^,;]{2,80},\s+(?:then\s+)?)?`;
const begin = `^${start}${inCase}${start}`;

/** Words after "never" and "always" in statements about the past or a feeling. */
const noVerb =
  '(?!(?:the|a|an|again|mind|ever|been|have|had|has|was|were|is|are|be|happy|glad|sad|good|nice|great|fun|hard|easy|late|early|too|as|at|in|on|to|from|than|with|so|quite|one|before|after|that|this|it|enough|more|less|maybe|below|above|here|there|by|for|of|off|me|you|him|her|them|us|what|why|seen|been|done|gone|got|gotten|thought|heard|known|felt|met|made|found|saw|knew|went|did|came|said|told|took|gave|lies|dies|sleeps|knows|a?lone|room|time|trust me)\\b)';
const verb = `${noVerb}[\\p{Ll}][\\p{L}-]*(?<!ed|ing|ever|n['’]t)`;
const verbPhrase = `(${verb}(?:\\s.+)?)$`;
/** "Never take that away": the object is not named. */
const saysNotWhat =
  /^[\p{Ll}]+ (?:that|this|it|them|those|these|me|him|her|us)(?:\s+(?:away|off|back|up|down|out|again|yet|now|so|go|here|too|either))*[.!]?$/iu;

function form(
  pattern: string,
  read: (groups: readonly string[], origin: Origin) => Demanded | undefined,
): Form {
  const regex = new RegExp(pattern, 'iu');
  return (text, origin) => {
    const match = regex.exec(text);
    return match ? read(match.slice(1), origin) : undefined;
  };
}
const yes = (target: string): Demanded => ({ target, isNegated: false });
const no = (target: string): Demanded => ({ target, isNegated: true });

const alwaysOrNever = form(
  `(?:${begin}|[,;:–]\\s+(?:and\\s+|but\\s+)?(?:please\\s+)?)(always|never)\\s+${verbPhrase}`,
  ([word, target]) => {
    if (saysNotWhat.test(target) || isOnce(target)) return undefined;
    return word.toLowerCase() === 'never' ? no(target) : yes(target);
  },
);

/** Said of a feeling or of this moment: "don't worry", "don't ask me how". */
const idle =
  '(?!(?:worry|ask me|mind|get me wrong|know|think|bother|forget|let|cry|tell|feel|give up|miss|want|like|hesitate|panic|be|even|you|we|they|look|wait|understand|see|believe|remember|make me|get too|have)\\b)';
const doNot = form(
  `(?:${begin}|[,;:–]\\s+(?:and\\s+|but\\s+|so\\s+)?)(?:please\\s+)?(?:don['’]t|do not)\\s+(?:ever\\s+)?${idle}${verbPhrase}`,
  ([target], { isAsked }) =>
    saysNotWhat.test(target) || isOnce(target) || (!isAsked && !/\s/u.test(target.trim()))
      ? undefined
      : no(target),
);
/** Of the user a feeling counts too: "don't call me Mr. Novak". */
const doNotAsked = form(
  `${begin}(?:don['’]t|do not)\\s+(?:ever\\s+)?(?!(?:worry|mind|know)\\b)${verbPhrase}`,
  ([target], { isAsked }) =>
    isAsked && !isOnce(target) && !saysNotWhat.test(target) ? no(target) : undefined,
);

const thing = '(?!(?:it|this|that|them|him|her|me|the|a|an)\\b)([\\p{L}\\p{N}`"\'].+)$';
const avoid = form(`${begin}(?:avoid|refrain from)\\s+${thing}`, ([target], { isDocument }) =>
  isOnce(target) || isDocument || (!/\s/u.test(target) && !isAboutWork(target)) ? undefined : no(target),
);
const stop = form(`${begin}stop\\s+([\\p{L}-]+ing\\s.+)$`, ([target], { isAsked }) =>
  isAsked || (isAboutWork(target) && !isOnce(target)) ? no(target) : undefined,
);
const makeSure = form(
  `${begin}(?:(?:always\\s+)?make sure|ensure|be sure|see to it|take care)\\s+(?:that\\s+|to\\s+)?(.+)$`,
  ([target], { isAsked, isDocument }) =>
    isGeneral(target) ||
    (isAsked && isOfKind(target)) ||
    (!isDocument && isOfKind(target) && isAboutWork(target))
      ? yes(target)
      : undefined,
);
const rememberTo = form(`${begin}(?:remember|do not forget|don['’]t forget) to\\s+(.+)$`, ([target]) =>
  isGeneral(target) || isOfKind(target) ? yes(target) : undefined,
);

const onlyVerb = form(`${begin}only\\s+${verbPhrase}`, ([target], { isAsked }) =>
  beginsWithVerb(target) && !isOnce(target) && (isAsked || isOfKind(target))
    ? yes(`only ${target}`)
    : undefined,
);
const noThing = form(
  `${begin}no\\s+(?:more\\s+)?(?!(?:one|idea|problem|way|worries|doubt|need|matter|longer|news|luck|wonder)\\b)([\\p{L}\\p{N}\`].+)$`,
  ([target], { isAsked }) => {
    if (
      isOnce(target) ||
      /\b(?:is|was|are|were|has|have|had|did|does|came|seems|yet|works|worked)\b/iu.test(target)
    )
      return undefined;
    if (isAsked || /[,\s]please\b/iu.test(target) || /\b(?:ever|allowed)\b/iu.test(target)) return no(target);
    return isAboutWork(target) && isOfKind(target) ? no(target) : undefined;
  },
);

const modal =
  "(must not|mustn['’]t|must never|must always|must|should not|shouldn['’]t|should never|should always|should|may not|may only|may never|can not|cannot|can only|has to|have to|needs? to|shall not|shall|are to|is to|ought to|needs?|requires?|may|can)";
const denied = /not|n['’]t|never/iu;
/** Subjects that are a kind: "tests", "every PR", "commit messages", "code". */
const kind =
  '((?:(?:all|every|each|any|no|only)\\s+.{2,60}?|nobody|no one|everyone|everybody|everything|nothing|anything|(?!(?:the|this|that|these|those|my|your|his|her|its|our|their|a|an|i|you|he|she|it|we|they|there|who|what|which|kids|people|children|things|guys)\\b)(?:[\\p{L}\\p{N}`_./-]+\\s+){0,4}?(?:[\\p{L}`_-]*[^s\\W]s|code|documentation|ci|text|indentation|formatting|production)(?:\\s+(?:in|of|for|on|to|from|with)\\s+[^,;]{2,40}?)?))';
/** "Tests need two hours" is a measurement. */
const measure =
  /^(?:about |some |up to |at most )?(?:\d[\d.,]*|one|two|three|four|five|ten|an?)\s*(?:hours?|minutes?|seconds?|days?|weeks?|ms|s|mb|gb|kb)\b/iu;
const mustOf = form(
  `${begin}${kind}\\s+${modal}\\s+(?!have\\s+(?:been|\\p{L}+ed)\\b|be confused\\b)(.+)$`,
  ([subject, word, rest], { isAsked, isDocument }) => {
    const isWish = /should|needs?$|requires?|ought|can|may$/iu.test(word);
    if (/^(?:may|can)$/iu.test(word) && !/^(?:only|no|nobody)\b/iu.test(subject)) return undefined;
    if (isOnce(rest) || measure.test(rest) || (isDocument && !isAsked)) return undefined;
    if (isWish && !isAsked && !isAboutWork(`${subject} ${rest}`)) return undefined;
    return denied.test(word) || /^no\b|^nobody|^nothing/iu.test(subject)
      ? no(`${subject} ${rest}`)
      : yes(`${subject} ${rest}`);
  },
);
/** "I should not push to main without approval": demands on the agent or the team itself. */
const iMust = form(
  `(${begin})(?:i|we|you|one|the agent|agents|claude|the assistant)\\s+(must not|mustn['’]t|must never|must always|must|should not|shouldn['’]t|should never|should always|should|may not|may only|(?:am|are|is) (?:not|never) (?:allowed )?to|am to|are to|have to always|shall not)\\s+(?!have\\b|be\\s+(?:able|there|so)\\b)(?:ever\\s+)?(.+)$`,
  ([before, word, rest], { isAsked }) => {
    const isStrict = /not|n['’]t|never|always|only/iu.test(word);
    const isKind =
      isGeneral(`${before}${rest}`) ||
      (/\b(?:when|whenever|if|before|after|for|in)\b/iu.test(before) && !isOnce(rest));
    if (isOnce(rest) || !(isKind || (isStrict && (isAsked || isOfKind(rest))))) return undefined;
    if (!isAsked && !isAboutWork(before + rest)) return undefined;
    return denied.test(word) ? no(before + rest) : yes(before + rest);
  },
);

const fromNowOn = form(
  `^(?:(.*?),?\\s*)\\b(?:from now on|going forward|from today on|in future|in the future)\\b[,:]?\\s*(.*)$`,
  ([before, after], { isAsked }) => {
    const target = `${before} ${after}`.trim().replace(/[.!]+$/u, '');
    const bare = target.replace(new RegExp(`^${start}`, 'iu'), '');
    const isDemand =
      isAsked ||
      beginsWithVerb(bare) ||
      /^(?:we\s+\p{Ll}|no\s|all\s|every\s|only\s|always\s|never\s|don['’]t|do not)/iu.test(bare) ||
      /\bonly\b/iu.test(bare);
    return isDemand && !/\b(?:can|could|will|would|be)\b/iu.test(bare) ? yes(target) : undefined;
  },
);

/** Verbs of a way of working: a demand with one of these is seldom for once. */
const ways =
  /^(?:please\s+)?(?:use|prefer|keep|answer|reply|respond|stick|call|name|spell|address|speak|follow|favou?r|treat|format|indent|limit|write|put|express|quote|prefix|choose)\b/iu;
/** Verbs whose object may be one thing of the day. */
const oftenOnce = /^(?:please\s+)?(?:write|put|call|keep|address|name|follow|treat|choose)\b/iu;
const inLanguage =
  /^(?:please\s+)?(?:answer|reply|respond|write|speak|talk)\s+(?:(?:to )?me\s+|(?:always|only|all \p{L}+)\s+|(?!(?:the|an?|this|that|my|it)\s)(?:[\p{L}-]+\s+){1,3})?in\s+(?:\p{Lu}\p{L}+|(?:short|full|plain|simple|complete)\b)/u;

export const imperative = form(`${begin}(.+)$`, ([target], origin) => {
  if ((origin.isDocument && !origin.isAsked) || !beginsWithVerb(target)) return undefined;
  if (isOnce(target) || saysNotWhat.test(target)) return undefined;
  return inLanguage.test(target) || isStandingOrder(target, origin) ? yes(target) : undefined;
});

function isStandingOrder(target: string, { isAsked }: Origin): boolean {
  const rest = target.replace(/^(?:please\s+)?\p{L}+\s+/iu, '');
  const isWork = isAboutWork(target);
  const isWay = ways.test(target) && isStandingWish(rest);
  if (isAsked) return isWay || isGeneral(target) || (isWork && isOfKind(target));
  if (/\b(?:me|you)\b/iu.test(target)) return false;
  if (isGeneral(rest)) return isWay || isWork || /^(?:please\s+)?(?:ask|check)\b/iu.test(target);
  const isSeldomOnce = !oftenOnce.test(target) || /^keep\b/iu.test(target);
  return isWay && isSeldomOnce && isOfKind(rest) && (isWork || /^prefer\b/iu.test(target));
}

/** "Whenever the API changes, regenerate the client": a case makes a demand general. */
const inEveryCase = form(
  `^${start}(?:whenever|when|every time|each time|after|before|if|once)\\s+(?!you['’]re\\b|you are\\b|you (?:want|need|have|get)\\b|i['’]m\\b)([^,;]{3,80},\\s+(?:then\\s+|please\\s+)?)(.+)$`,
  ([before, target], { isAsked, isDocument }) => {
    if (!beginsWithVerb(target) || isDocument || isOnce(before + target) || saysNotWhat.test(target))
      return undefined;
    const isKind = isAsked || isAboutWork(before + target) || /^(?:an?|any)\s/iu.test(before);
    return isKind ? yes(before + target) : undefined;
  },
);
/** "In this project we use snake_case", "here we squash". */
const weHere = form(
  `^${start}(?:in (?:this|our|the) (?:project|repo|repository|codebase|code base|team|workspace|monorepo)|here),?\\s+(?:we\\s+)?((?:always |never |only |don['’]t |do not )?${verb}\\s.+)$`,
  ([target]) =>
    beginsWithVerb(target.replace(/^(?:always|never|only|don['’]t|do not)\s+/iu, '')) && !isOnce(target)
      ? /^(?:never|don|do not)/iu.test(target)
        ? no(target)
        : yes(target)
      : undefined,
);

/** Ways in which things of the work are, said as a statement: "Commit messages are in the imperative". */
const way = form(
  `^((?:all\\s+|our\\s+|the\\s+)?(?:commit (?:messages|titles)|commits|branch names|branches|(?:pr|pull request) (?:titles|descriptions)|pull requests|prs|code comments|comments|docstrings|log messages|error messages|(?:variable|function|test|file|class|table|column) names|identifiers|(?:release|feature) branches|dates|timestamps|answers|replies|responses|changelog entries|migrations|tests|functions|amounts|prices|secrets|headings)(?:\\s+(?:in|of|for|on)\\s+[^,;]{2,40}?)?)\\s+((?:are|is|go|goes|live|belong|start|begin|end|use|follow|have|get|carry|stay|need|come)\\s+(?!(?:not\\s+)?(?:broken|slow|fast|red|green|failing|flaky|merged|missing|done|ready|gone|late|wrong|fine|back|up|down|open|due|on\\s+\\p{L}+day|running|passing|better|worse|now|still|already|being|\\d)\\b).+)$`,
  ([subject, rest], { isAsked, isDocument }) => {
    if ((isDocument && !isAsked) || isOnce(rest)) return undefined;
    const isWritten =
      /^(?:are|is)\s+(?:always\s+|never\s+|not\s+|only\s+)*(?:in\b|written|named|squashed|signed|formatted|spelled|stored|kept|prefixed|rebased|reviewed|immutable|lower|upper|kebab|snake|camel|ISO|UTC)/iu.test(
        rest,
      );
    return isAsked ||
      isWritten ||
      /^(?:start|begin|end|use|follow|go in|live in|belong|carry|need)\b/iu.test(rest)
      ? yes(`${subject} ${rest}`)
      : undefined;
  },
);
const neverGoes = form(
  `^${kind}\\s+(always|never|only)\\s+(?:go|goes|live|belong|touch|contain|use|start|end|depend|import|call|get|carry)s?\\s+(.+)$`,
  ([subject, word, rest], { isAsked, isDocument }) => {
    if (isDocument || isOnce(rest) || !(isAsked || isAboutWork(subject))) return undefined;
    return word.toLowerCase() === 'never' ? no(`${subject} ${rest}`) : yes(`${subject} ${rest}`);
  },
);
const weAlways = form(
  `(?:^${start}${inCase}|[,;]\\s+(?:and|but)\\s+)we\\s+(always|never|only|don['’]t|do not)\\s+(?!(?:forget|lose|get|end|feel|seem|love|like|enjoy|laugh|fight|know|think|want|need|really|even|see|talk|had)\\b)${verbPhrase}`,
  ([word, target], { isAsked, isDocument }) => {
    if (isOnce(target) || isDocument || !(isAsked || isAboutWork(target)) || saysNotWhat.test(target))
      return undefined;
    if (/^do/iu.test(word) && !isOfKind(target)) return undefined;
    return /always|only/iu.test(word) ? yes(target) : no(target);
  },
);
const noPerson = form(
  `(?:^|[,;.]\\s+)nobody\\s+(?!(?:knows|needs|wants|cares|thinks|believes|understands|sees|hears|asks|answers|minds|comes|reads|does|likes|is|has|remembers|says|drops|notices)\\b)(\\p{Ll}+s\\s.+)$`,
  ([target]) => (isOnce(target) ? undefined : no(target)),
);
/** "pnpm only, never npm" */
const thisOnly = form(
  `^${start}([\\p{L}\\p{N}\`][\\p{L}\\p{N}_.\`-]{1,40}) only(?:[.!]?$|,\\s|\\s[-–—]\\s)(?:(?:and\\s+)?(?:never|not|no)\\s+.+)?`,
  ([target], { isAsked }) =>
    /^(?:is|was|are|were|has|have|it|that|if|not|the|and|lens|days|one|if|read|them|me|us|you|then|for)$|^\d/iu.test(
      target,
    )
      ? undefined
      : isAsked || !/^\p{Lu}/u.test(target)
        ? yes(`${target} only`)
        : undefined,
);
/** Only as a correction: a name may be a rule, another statement is a fact. */
export const isCalled = form(
  `^(.{2,60}?\\s(?:is|are)\\s+(?:called|named|spelled|spelt|written|pronounced)\\s.+)$`,
  ([target], { isAsked }) => (isAsked ? yes(target) : undefined),
);

/** The most specific first: the first form that matches reads the sentence. */
export const forms: readonly Form[] = [
  fromNowOn,
  makeSure,
  rememberTo,
  alwaysOrNever,
  doNot,
  doNotAsked,
  stop,
  avoid,
  onlyVerb,
  noThing,
  iMust,
  mustOf,
  weAlways,
  noPerson,
  thisOnly,
  way,
  neverGoes,
  weHere,
  inEveryCase,
  imperative,
];
