/** Words without content. */
const empty = new Set(
  (
    'a an the and or but so of to in on at by for from with as is are be am was were it its that this these those i we you he ' +
    'she they me us him her them my our your his their do does did not no only just really very please again ever any all ' +
    "some every each always never usually more than then when where which who what how have has had will would can could don't " +
    "doesn't should must into over about up out if too also now one two user wants prefers said whenever"
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
  const words = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_.+#/'’-]*/gu) ?? [];
  return new Set(
    words
      .map((word) => word.replace(/’/gu, "'").replace(/[.\-/']+$/u, ''))
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
