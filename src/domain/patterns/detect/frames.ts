/** A sentence in which the user or the team demands something, split into the demand and the words around it. */
export interface Framed {
  /** The demand, after the case that comes before it ("For shell scripts"). */
  readonly body: string;
  /**
   * `want`: a thing or a way; `told`: a demand, with "to" before it if `hasTo`; `said`: a sentence; `corrected`: a
   * sentence in place of something wrong; `named`: follows "Rule:" or "Preference:".
   */
  readonly verb: 'want' | 'told' | 'said' | 'corrected' | 'named' | 'decided';
  readonly isNegated: boolean;
  /** Whether it was asked for in the past, maybe only once. */
  readonly isPast: boolean;
  /** "prefers", "likes": of its own a statement about any time. */
  readonly isTaste: boolean;
  /** Said of "he" or "she", who may be somebody else than the user. */
  readonly isOfPronoun: boolean;
}

const user = String.raw`(?:(?:the|our|my) user|users?(?=\s+(?:wants|said|asked|told|corrected|prefers|likes|hates|does|doesn|insist|remind|request|instruct|would|expects|requires))|he|she)`;
const theUser = `(?:(?:the|our) user|user)`;
const often = String.raw`(?:(?:also|really|always|still|clearly|explicitly|repeatedly|generally|strongly|now|has|had|have|just|once|again)\s+)*`;

/** Verbs of taste, which hold for any time. */
const taste = `prefers?|likes?|loves?|favou?rs?|would prefer|would rather|['’]d rather|would like|hates?|dislikes?|detests?|(?:does not|doesn['’]t|do not) like|can(?:no|['’])t stand`;
const will = `wants?|needs?|expects?|requires?|demands?|insists? on|asks for|(?:does not|doesn['’]t|do not) want`;
const asked = `wanted|asked for|insisted on|requested|demanded|required`;
const wants = new RegExp(
  String.raw`^(?<before>(?:[^,]{2,80},|(?:for|in|with|on|when)\s[^,]{2,60}?)\s+(?:and\s+)?)?${user}\s+${often}(?:(?<taste>${taste})|(?<will>${will})|(?<asked>${asked}))\s+(?<rest>.+)$`,
  'iu',
);
const denial = /not|n['’]t|hate|dislike|detest|stand/iu;

const ordered = new RegExp(
  String.raw`^(?<before>[^,]{2,80},\s+)?${user}\s+${often}(?:told|asked|reminded|instructed|warned|begged|taught|wants|wanted|expects|would like)\s+(?:me|us|the agent|agents|the assistant)\s*(?:again\s+)?(?<how>[:,]|(?:(?:always|never|not)\s+)?to\b|that\b)\s*(?<rest>.+)$`,
  'iu',
);
const said = new RegExp(
  String.raw`^${user}\s+${often}(?:said|says|insisted|insists|noted|wrote|writes|stressed|emphasi[sz]ed|demanded|requested|complained|explained|made (?:it )?clear|pointed out|mentioned|asked|decided)(?:\s+again)?\s*(?<how>[:,]|(?:(?:always|never|not)\s+)?to\b(?!\s+(?:me|us)\b)|that\b)?\s*(?<rest>.+)$`,
  'iu',
);
const corrected = new RegExp(
  String.raw`^(?:(?:${user}|i was)\s+${often}corrected(?:\s+(?:me|us|the agent|by the user))?(?:\s+(?:again|once more|here))?\s*(?:[:,;–—-]|that\b)|(?:correction|corrected)(?:\s+(?:by|from) ${theUser})?:)\s*(?<rest>.+)$`,
  'iu',
);
const named = new RegExp(
  String.raw`^(?:(?:${theUser}['’]?s?|team|project|house|general|standing|coding|style|code|new|our|the|a|hard|firm|strict)\s+){0,3}(?<what>rules?|conventions?|guidelines?|polic(?:y|ies)|preferences?|instructions?|feedback)(?:\s+(?:from|of|by|for|in|on|about|here|is|are)\b[^:]{0,40})?:\s+(?<rest>.+)$`,
  'iu',
);
const decided =
  /^(?:the (?:team|group|company|maintainers?)|we|it was|our team)\s+(?:have |has |all )?(?:decided|agreed)\s+(?:on\s+)?(?:[:,]|that\b|to\b|not to\b)\s*(?<rest>.+)$/iu;

/** "..., the user said", "as the user asked", "at the user's request". */
const after = new RegExp(
  String.raw`[,;(–—-]?\s*(?:as |because |since |like )?(?:${theUser}|he|she)\s+(?:has\s+|had\s+)?(?:always\s+)?(?:said|says|insisted|insists|requested|requests|asked(?: for (?:it|this|that))?|told me|demanded|decided|corrected me|wants(?: it| that)?(?: (?:so|this way|that way))?|prefers(?: it| that)?|wished|reminded me)\)?[.!]*$|[,;(–—-]?\s*(?:per|at|by|on|following) (?:the )?user['’]?s?['’]? (?:request|wish|demand|instruction|preference)\)?[.!]*$`,
  'iu',
);
/** A demand with the wish of the user as a reason: "No default exports, the user wants named ones only". */
const reason = new RegExp(
  String.raw`[,;:(–—-]\s*(?:because |since |as )?${theUser}\s+(?:wants|prefers|hates|dislikes|likes|asked|said|insists)\b.*$`,
  'iu',
);

/** Words of somebody else: "said my mother", "according to its documentation", "the error says". */
const ofOthers = new RegExp(
  String.raw`\baccording to\b|[,"”]\s*(?:said|says|writes|wrote|replied)\s+(?!${theUser})\p{L}|[,"”]\s*(?:my|his|her|their|the|an?)\s+(?!user\b)(?:\p{L}+\s+){1,3}(?:said|says|had said|wrote|had written|writes|told|claims?|warned|thinks)\b|^(?:the|an?|this|my|his|her|its|their|in)\s+(?!user\b)(?:\p{L}+\s+){1,4}(?:says?|said|reads?|claims?|warns?|warned|complains?|suggests?|recommends?|nobody)\b|\b(?:somebody|someone) else\b`,
  'iu',
);

export const isOfOthers = (sentence: string): boolean => ofOthers.test(sentence);

const plainly = { isNegated: false, isPast: false, isTaste: false, isOfPronoun: false } as const;
const pronoun = /^(?:[^,]{2,80},\s+)?(?:he|she)\b/iu;
const unquoted = (text: string) => text.replace(/^["“'‘]\s*/u, '').replace(/\s*["”'’]([.!]?)$/u, '$1');

/** "prefers that I ask", "doesn't like it when I add". */
const ofTheAgent =
  /^(?:that (?:i|we|agents)\s+(?:should\s+|must\s+)?|(?:it\s+)?(?:when|if) (?:i|we|agents)\s+)/iu;

/** The frame of a sentence in which the user, or the team, demands something; undefined without one. */
export function frameOf(sentence: string): Framed | undefined {
  const correction = corrected.exec(sentence)?.groups;
  if (correction) return { ...plainly, verb: 'corrected', body: unquoted(correction.rest) };
  const label = named.exec(sentence)?.groups;
  if (label) {
    const verb = /^(?:feedback|instruction)/iu.test(label.what) ? 'said' : 'named';
    return { ...plainly, verb, body: unquoted(label.rest) };
  }
  const order = ordered.exec(sentence)?.groups;
  if (order) return toFramed(sentence, order);
  const wish = wants.exec(sentence)?.groups;
  if (wish) {
    const by = wish.taste ?? wish.will ?? wish.asked;
    return {
      verb: 'want',
      body: `${wish.before ?? ''}${unquoted(wish.rest).replace(ofTheAgent, '')}`,
      isNegated: denial.test(by),
      isPast: wish.asked !== undefined,
      isTaste: wish.taste !== undefined,
      isOfPronoun: pronoun.test(sentence),
    };
  }
  const quoted = said.exec(sentence)?.groups;
  if (quoted) return toFramed(sentence, quoted);
  const decision = decided.exec(sentence)?.groups;
  if (decision) return { ...plainly, verb: 'decided', body: decision.rest };
  const before = sentence.replace(after, '');
  if (before !== sentence && before !== '') return { ...plainly, verb: 'said', body: before };
  const demand = sentence.replace(reason, '');
  if (demand !== sentence && demand !== '') return { ...plainly, verb: 'said', body: demand };
  return undefined;
}

/** "to V" is a demand, "not to V" and "never to V" denied ones; "that" and ":" are followed by a sentence. */
function toFramed(sentence: string, { before = '', how = '', rest }: Record<string, string>): Framed {
  const word = how.toLowerCase();
  const text = unquoted(rest);
  const always = word.startsWith('always') ? 'always ' : '';
  const never = word.startsWith('never') ? 'never ' : word.startsWith('not') ? 'do not ' : '';
  const demanded =
    word === 'that'
      ? text
          .replace(ofTheAgent, '')
          .replace(/^(?:i|we)\s+(?!(?:am|was|had|have|will|can|would|did)\b)(?:should\s+|must\s+)?/iu, '')
      : text;
  const isTo = word.endsWith('to') || demanded !== text;
  return {
    ...plainly,
    verb: isTo ? 'told' : 'said',
    body: `${before}${always}${never}${demanded}`,
    isNegated: never !== '',
    isOfPronoun: pronoun.test(sentence),
  };
}
