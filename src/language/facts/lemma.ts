const irregular = new Map(
  Object.entries({
    is: 'be',
    are: 'be',
    was: 'be',
    were: 'be',
    been: 'be',
    am: 'be',
    "'s": 'be',
    "'re": 'be',
    "'m": 'be',
    has: 'have',
    had: 'have',
    went: 'go',
    gone: 'go',
    goes: 'go',
    bought: 'buy',
    left: 'leave',
    wrote: 'write',
    written: 'write',
    made: 'make',
    took: 'take',
    taken: 'take',
    got: 'get',
    gave: 'give',
    won: 'win',
    lost: 'lose',
    met: 'meet',
    found: 'find',
    ran: 'run',
    began: 'begin',
    chose: 'choose',
    built: 'build',
    sent: 'send',
    spoke: 'speak',
    taught: 'teach',
    thought: 'think',
    told: 'tell',
    said: 'say',
    heard: 'hear',
    kept: 'keep',
    held: 'hold',
    led: 'lead',
    read: 'read',
    set: 'set',
    paid: 'pay',
    sold: 'sell',
    saw: 'see',
    seen: 'see',
    knew: 'know',
    does: 'do',
    did: 'do',
    done: 'do',
    came: 'come',
    became: 'become',
    broke: 'break',
    drove: 'drive',
    felt: 'feel',
    grew: 'grow',
    meant: 'mean',
    stood: 'stand',
  }),
);

const doubled = /([^aeiouls])\1$/;
/** Stems of `-ed` forms whose base ends in e (`closed`), except those of the next pattern. */
const pastOfE = /([aeiou][bcdgklmnprstvz]|[^aeiou][vzc]|[rl]s|[aeiou]r|ng|dg|[st]l)$/;
const pastOfConsonant = /(en|er|on|it|et|el|ow|oi[nl]|ai[nl]|ea[dklmnt]|oo[kl])$/;
const gerundOfE = /[aeiou][bcdgkmprstvz]$/;
const gerundOfConsonant = /(en|er|on|it|et|ow|ea[dklmnt]|oo[kl]|ay)$/;
const gerundStemMax = 6;

/** Base form of a verb, or singular of a noun, by rules for endings and a list of irregular verbs. */
export function lemmaOf(word: string): string {
  const lower = word.toLowerCase();
  const known = irregular.get(lower);
  if (known !== undefined) return known;
  if (/ies$|ied$/.test(lower)) return `${lower.slice(0, -3)}y`;
  if (/(ss|sh|ch|x|z)es$/.test(lower)) return lower.slice(0, -2);
  if (/[^s]s$/.test(lower)) return lower.slice(0, -1);
  if (lower.endsWith('ed')) return baseOfPast(lower.slice(0, -2));
  return lower.endsWith('ing') && lower.length > 5 ? baseOfGerund(lower.slice(0, -3)) : lower;
}

function baseOfPast(stem: string): string {
  if (doubled.test(stem)) return stem.slice(0, -1);
  return pastOfE.test(stem) && !pastOfConsonant.test(stem) ? `${stem}e` : stem;
}

function baseOfGerund(stem: string): string {
  if (doubled.test(stem)) return stem.slice(0, -1);
  const endsInE = gerundOfE.test(stem) && !gerundOfConsonant.test(stem) && stem.length < gerundStemMax;
  return endsInE ? `${stem}e` : stem;
}
