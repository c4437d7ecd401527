/** First line of a commit or of a list of changes, or a line that only commits have. */
const commit =
  /^(?:[a-z]{2,12}(?:\([^)\n]{1,60}\))?!?: |\[[\w ]{2,20}\] |Merge (?:branch|pull request|remote)|Revert "|Bumps? \S+ from |[^\n]{1,120} \(#\d+\)\s*(?:\n|$))|^(?:Signed-off-by|Co-authored-by|Reviewed-by|Change-Id): |^(?:diff --git |@@ -\d)/m;
const filler = /\b(?:u[hm]+|uhm|hm+|mm+|mhm|er+m?|yeah|yep|nah|gonna|gotta|wanna|kinda|lol|haha)\b/i;

/**
 * Whether a text may state facts in sentences: it is no commit and no turn of talk with fillers, whose words are
 * half sentences.
 */
export const isProse = ({ text }: { readonly text: string }) => !isCommit(text) && !filler.test(text);

export const isCommit = (text: string) => commit.test(text);

/** Whether a text is a turn of talk. */
export const isTalk = ({ text, speaker }: { readonly text: string; readonly speaker: object | undefined }) =>
  speaker !== undefined || filler.test(text);

const sign = /^[^\p{L}\p{N}\s]+$/u;
/** Marks of prose, which do not count as signs. */
const mark = /^(?:[.,;:!?…'"“”‘’()–—-]|['’](?:s|re|ve|ll|d|m))$/i;
const tableSign = /^[|`*_#>{}[\]=<$~^\\]+$/;
const signsMax = 2;

/** Whether a line of a text is a sentence, not a row of a table, a heading, markup or code. */
export function isSentence(words: readonly string[]): boolean {
  if (words[0] === '#' || words[0] === '|' || words[0] === '$') return false;
  const signs = words.filter((word) => (sign.test(word) && !mark.test(word)) || tableSign.test(word)).length;
  return signs <= signsMax;
}
