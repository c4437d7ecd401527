import { type Memory, orderTime } from '../../domain/memories/memory.ts';
import { textOfPassages } from '../../domain/passages/passages.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { Breather } from '../../lib/loop-time.ts';
import { newerFirst } from '../../search/matters/replaced-among.ts';
import type { SearchHit } from '../../search/request.ts';
import { analyze, analyzeQuery } from '../../search-index/analysis/index.ts';
import { type BriefingDeps, briefingSearch, knownHits } from '../briefing-deps.ts';
import { isFiller, readableText } from '../text/readable.ts';
import type { ContextMemory, ContextRequest } from './context.ts';

/** A context is to be read whole: more would be half of a small store. */
const memoriesMax = 18;
const perFile = 5;
const filesMax = 20;
/** Memories that name a file and come before the best one of the task. */
const namedFirst = 2;
/** Beyond this a memory is cut: a long document would leave no room for others. */
const contentLengthMax = 1500;
/** Share of the best relevance below which the last results are cut. */
const tailShare = 0.25;

/**
 * Memories about the task, best first: rules that it would break, memories that name a file, then the results of a
 * search, in which words of a time are words, since the date of a plan is not that of the memories.
 */
export async function findRelevantMemories(
  { search }: BriefingDeps,
  user: UserRef,
  { context, files, scope }: ContextRequest,
): Promise<ContextMemory[]> {
  const [ofTask, ...ofFiles] = await Promise.all([
    search.search(user, { ...briefingSearch(context, memoriesMax * 2, { scope }), readsTimes: false }),
    ...files.slice(0, filesMax).map((file) =>
      search.search(user, {
        ...briefingSearch(wordsOfPath(file), perFile, { scope }),
        method: 'keyword',
        context: false,
      }),
    ),
  ]);
  const found = worthReading(knownHits(ofTask)).filter(({ memory }) => !isFiller(memory.content));
  const spellings = files.map((file) => ({ file, words: spellingsOf(file) }));
  const filesOf = ({ content }: Memory) => {
    const text = content.toLowerCase();
    return spellings.filter(({ words }) => words.some((word) => text.includes(word))).map(({ file }) => file);
  };
  const memories = new Map<string, ContextMemory>();
  const breather = new Breather();
  for (const hit of [...found, ...ofFiles.flatMap(({ hits }) => hits)]) {
    const pause = breather.pause();
    if (pause) await pause;
    const named = filesOf(hit.memory);
    if (named.length === 0 && !found.includes(hit)) continue;
    const known = memories.get(hit.memory.id);
    const relevance = Math.max(known?.relevance ?? 0, Math.round((hit.relevance ?? 0) * 1000) / 1000);
    memories.set(hit.memory.id, { ...toContextMemory(hit, named), relevance });
  }
  const all = [...memories.values()];
  const terms = new Set(analyzeQuery(context));
  const rules = all.filter(({ content }) => isRuleFor(content, terms));
  const named = all.filter(({ files: own }) => own.length > 0);
  const ordered = [...rules, ...named.slice(0, namedFirst), ...interleaved(all, named.slice(namedFirst))];
  const distinct = [...new Map(ordered.map((memory) => [memory.id, memory])).values()];
  const inOrder = newerFirst(
    distinct,
    ({ id }) => id,
    ({ newer }) => (newer === undefined ? [] : [newer]),
  );
  return inOrder.slice(0, memoriesMax);
}

/** Without the last results, whose relevance is a small share of the best. */
function worthReading(hits: readonly SearchHit[]): readonly SearchHit[] {
  const bar = tailShare * Math.max(0, ...hits.map(({ relevance }) => relevance ?? 0));
  return hits.slice(0, hits.findLastIndex(({ relevance }) => (relevance ?? 1) >= bar) + 1);
}

/** Two orders in turn, without the members of the second in the first. */
function interleaved(all: readonly ContextMemory[], second: readonly ContextMemory[]): ContextMemory[] {
  const first = all.filter((memory) => !second.includes(memory));
  return first.flatMap((memory, i) => [memory, ...second.slice(i, i + 1)]).concat(second.slice(first.length));
}

const rule =
  /^(?:[\p{L} ]{1,30}: )?(?:never|always|do not|don['’]t|avoid|make sure|must|no)\b|\b(?:must (?:not|never|always)|may not|is not allowed|are not allowed|should never)\b/iu;
const ruleWord = /\b(?:never|always|do not|don['’]t|avoid|make sure|must not|must|no)\b/gi;
/** A rule fits a task that shares at least this part of the words of the rule's first sentence, and at least two words. */
const [ruleShare, ruleTermsMin] = [0.5, 2];

/** Whether a text begins with a rule whose matter is that of the task: to be read before anything else. */
function isRuleFor(content: string, terms: ReadonlySet<string>): boolean {
  const [sentence] = content.split(/(?<=[.!?;])\s|\n/, 1);
  if (!rule.test(sentence)) return false;
  const own = [...new Set(analyze(sentence.replace(ruleWord, ' ')))];
  const shared = own.filter((term) => terms.has(term)).length;
  return shared >= ruleTermsMin && shared >= own.length * ruleShare;
}

const toContextMemory = (
  { memory, passages, isResolved, newer }: SearchHit,
  files: readonly string[],
): Omit<ContextMemory, 'relevance'> => ({
  id: memory.id,
  doc: memory.doc,
  conversationId: memory.conversationId,
  content: readableText(
    passages ? textOfPassages(memory.content, passages) : memory.content.slice(0, contentLengthMax),
  ),
  from: passages?.[0].start,
  at: orderTime(memory),
  isOpen: memory.outcome === 'unresolved' && !isResolved,
  ...(newer !== undefined && { newer }),
  files,
});

const separators = /[\\/]/;

/** The last part of a path: `retry.ts` of `src/queue/retry.ts`. */
function baseName(path: string): string {
  return path.split(separators).filter(Boolean).at(-1) ?? path;
}

/**
 * The name without its extension, split into words: `parse order`
 * of `src/parseOrder.ts`; with the folder's name if it is short.
 */
function partsOf(path: string): string[] {
  const stem = baseName(path).replace(/(?!^)\.[^.]*$/, '');
  return stem
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part.length > 1)
    .map((part) => part.toLowerCase());
}

/** The query for a path: the whole path, its last part and the words of that. */
function wordsOfPath(path: string): string {
  return [...new Set([path, baseName(path), ...partsOf(path)])].join(' ');
}

/** Spellings of a path in lower case: the whole, its last part, and all words of a name of at least two. */
function spellingsOf(path: string): string[] {
  const parts = partsOf(path);
  const joined = parts.length > 1 ? [' ', '-', '_', ''].map((between) => parts.join(between)) : [];
  return [path.toLowerCase(), baseName(path).toLowerCase(), ...joined];
}
