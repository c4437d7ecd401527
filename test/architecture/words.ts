/** Words of this project's own that the field has a word for: what to say in their place. */
export const retiredWords: Readonly<Record<string, string>> = {
  alongside: 'in the same transaction',
  anew: 'again, or re-',
  beside: 'next to, or with',
  besides: 'cooccurring',
  carried: 'bundled',
  fates: 'policy',
  held: 'cached, in memory, or containing',
  holder: 'owner',
  holders: 'docs containing',
  lend: 'return',
  lenders: 'the act itself',
  lent: 'the act itself',
  meaning: 'semantic, or embedding',
  meanings: 'semantic, or embedding',
  mended: 'repaired, or corrected',
  moment: 'view of the index, or time',
  paced: 'throttled',
  settle: 'the act itself: resolve, activate, wait, reset',
  settled: 'the act itself',
  settles: 'the act itself',
  settling: 'the act itself',
  slip: 'typo',
  slips: 'typos',
  soft: 'synonym',
  told: 'the source: factsOfMemory, listByMemories',
  unsaid: 'unsupported',
  walk: 'back-fill',
  walking: 'back-fill',
  wanted: 'requested, or target',
};

/** Whole names: their words alone are good ones. */
export const retiredNames: Readonly<Record<string, string>> = {
  Present: 'CurrentView',
  Past: 'AsOfView',
  Reading: 'TermExpansion',
  Flight: 'PendingResponse',
  ReadTurn: 'ReadTransaction',
  ServeMark: 'ServeLock',
  TurnGate: 'TickLimiter',
  LiveSpaces: 'SpaceRegistry',
  AwaySpaces: 'ProviderBackoff',
  NearWords: 'Synonyms',
  carryOn: 'copyFrom',
  halfSimilarityAt: 'relatedCosine',
  standing: 'matched, or active',
};

/** Names of others that have such a word in them: of the platform, and a field that clients of this API read. */
export const foreignNames: ReadonlySet<string> = new Set(['allSettled', 'answer']);

const wordsOfHttp = ['answer', 'answers', 'answered'];

/** Words that are retired in some folders only. */
export const retiredBelow: Readonly<Record<string, readonly string[]>> = {
  'src/http/': wordsOfHttp,
  'src/cli/': wordsOfHttp,
  'src/mcp/': wordsOfHttp,
};

/** Words of prose that no comment and no name of a test needs. */
export const retiredProse = /\b(?:anew|beside|lend|lends|lent|meanwhile|settles?|settled)\b/i;

/**
 * Constructions that a reader has to parse twice, in comments. Say "if" for a condition, name the subject, and use a noun
 * for a clause that begins with "what".
 */
export const obscureProse: Readonly<Record<string, RegExp>> = {
  'where for if':
    /\bwhere (?:there|it|one|the|nobody|no|that|they|this|its|a|an|he|all|not|nothing|some)\b/gi,
  'a clause that begins with what': /(?:^\W*What\b|\bwhat (?:is|was|are|were|it|they|the|a|an|has|had)\b)/gm,
  'nobody and whoever': /\b(?:nobody|whoever)\b/gi,
};
/** How many of them `src` may have, all together. It only falls. */
export const obscureProseMax = 0;
