import { LRUCache } from 'lru-cache';
import { freshRootOf } from '../../../search-index/analysis/word-roots.ts';

/** What English words end in and their stems lack, or have in another form. */
const endings =
  'ing ings ed er ers es s e y ies ied ly ment ments ness ation ations ional ion ions able ible ful ity ive ization izing ized ise ize ous al'.split(
    ' ',
  );
const asciiLetters = /^[a-z]+$/;
/** What is typed is searched for again; some forty words are stemmed for one. */
const known = new LRUCache<string, readonly string[]>({ max: 5000 });
/** A word is no longer than this that anybody types: what is held stays small. */
const lengthMax = 32;

/**
 * Terms of words that the unfinished word may become but that do not begin with it: `run` for `runnin`, `hope` for
 * `hopin`, `studi` for `study`. Terms that begin with it are for the vocabulary to say.
 */
export function completedRoots(unfinished: string): readonly string[] {
  if (unfinished.length > lengthMax || !asciiLetters.test(unfinished)) return [];
  const before = known.get(unfinished);
  if (before) return before;
  const roots = freshlyCompletedRoots(unfinished);
  known.set(unfinished, roots);
  return roots;
}

function freshlyCompletedRoots(unfinished: string): string[] {
  const roots = new Set<string>();
  for (const ending of endings) {
    for (let typed = 0; typed < ending.length; typed++) {
      if (!unfinished.endsWith(ending.slice(0, typed))) continue;
      const root = freshRootOf(unfinished + ending.slice(typed));
      if (root.length > 1 && !root.startsWith(unfinished)) roots.add(root);
    }
  }
  roots.delete(freshRootOf(unfinished));
  return [...roots];
}
