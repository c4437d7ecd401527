import type { MentionDraft } from './mention-draft.ts';

const call = /\(\)$/;
const constant = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;
const snakeCase = /^[a-z0-9]+(_[a-z0-9]+)+$/;
const dotted = /^[A-Za-z_]\w*((\.|::|->)[A-Za-z_]\w*)+$/;
const abbreviation = /^(e\.g|i\.e|p\.m|a\.m)$/i;
const camelCase = /^[a-z]+[A-Z]\w*$/;
const product = /^(iPhone|iPad|iOS|macOS|eBay)$/;
const pascalCase = /^([A-Z][a-z0-9]+){2,}$/;
const namedType = /ORG|PER|LOC/;

function isIdentifier(word: string): boolean {
  if (call.test(word) || constant.test(word) || snakeCase.test(word)) return true;
  if (dotted.test(word)) return !abbreviation.test(word);
  return camelCase.test(word) && !product.test(word);
}

/** Finds identifiers of code. */
export function findComponents(draft: MentionDraft): void {
  for (const [i, word] of draft.sentence.words.entries()) {
    if (!draft.isFree(i)) continue;
    if (isIdentifier(word)) draft.put(i, i + 1, 'COMPONENT', 'pattern', 0.85);
    else if (pascalCase.test(word) && !namedType.test(draft.spanAt(i)?.type ?? ''))
      draft.put(i, i + 1, 'COMPONENT', 'pattern', 0.7);
  }
}
