const wordsOf = (text: string) => new Set(text.split(' '));

/** Function words of English, and of other languages in Latin script. */
const english = wordsOf(
  'the a an is are was were of to in on and for with my our we i it not has have by at from this that be will does do since after as but or if when now uses use',
);
const foreign = wordsOf(
  'der die das und ist wird sind ab bei mit von für nicht ein eine im am zu auf le la les et est à du des une un en dans pour avec qui el los las y que por con para del es o os da na ao em um uma não het een van ik je niet w z na i jest się nie il lo gli di che è sono och att det som på är ve bir',
);
const word = /[\p{L}\p{M}]+/gu;
const latin = /^[a-z'’]+$/;
const latinShareMin = 0.6;

/**
 * Whether a text is English: at least 60 % of its words have Latin letters only, and function words of other
 * languages are not more frequent than English ones.
 */
export function isEnglish(text: string): boolean {
  let counted = 0;
  let latinWords = 0;
  let ours = 0;
  let theirs = 0;
  for (const [found] of text.toLowerCase().matchAll(word)) {
    counted++;
    if (latin.test(found)) latinWords++;
    if (english.has(found)) ours++;
    if (foreign.has(found)) theirs++;
  }
  if (counted === 0) return true;
  return latinWords >= counted * latinShareMin && theirs <= ours;
}
