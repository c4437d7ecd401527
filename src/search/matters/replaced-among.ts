import { LRUCache } from 'lru-cache';
import { isBefore, type Memory } from '../../domain/memories/memory.ts';
import { Breather } from '../../lib/loop-time.ts';
import { type ComparedText, toCompared } from './compared-text.ts';
import { sameMatter } from './same-matter.ts';

/** Memories that are compared with each other: the best of those given. */
const comparedMax = 30;
/** Maximum length of a text on one matter, in UTF-16 units. */
const lengthMax = 600;
/** By content of the memory. */
const comparedTexts = new LRUCache<string, ComparedText>({ max: 1000 });

type Replaced<M> = ReadonlyMap<string, M>;

/**
 * The newest memory that makes another one of these outdated by its text, by id of the other one. It
 * decides the order of the two in one response, never a state, and needs no relationship.
 * @param memories best first
 */
export async function replacedAmong<M extends Memory>(memories: readonly M[]): Promise<Replaced<M>> {
  const inTime = memories
    .slice(0, comparedMax)
    .filter(({ content }) => content.length <= lengthMax)
    .sort((a, b) => (isBefore(a, b) ? -1 : 1));
  const replaced = new Map<string, M>();
  const breather = new Breather();
  for (const [i, later] of inTime.entries()) {
    const pause = breather.pause();
    if (pause) await pause;
    const text = comparedOf(later);
    for (const earlier of inTime.slice(0, i))
      if (earlier.id !== later.id && sameMatter(text, comparedOf(earlier), () => 1) === 'otherValue')
        replaced.set(earlier.id, later);
  }
  return replaced;
}

/** Words by which a text says that what held before does not. */
const revoked =
  /\b(?:no longer|no more|any ?more|instead|after all|rather than|moved? (?:us |it |them )?(?:to|from|out)|goes? (?:up|down) to|went (?:up|down) to|cut (?:\S+ ){1,3}to|changed|replaced|replaces|switched|renamed|postponed|cancell?ed|called off|fell through|(?:is|are|was|were) (?:out|off|over|gone|dead|closed|sold|taken|retired|dropped|withdrawn|stopped)|closed|forget|since (?:the|last|january|february|march|april|may|june|july|august|september|october|november|december|\w+day)|(?:starting|from) (?:in |on |the first of )?(?:january|february|march|april|may|june|july|august|september|october|november|december|\w+day|now on)|has decided|have decided)\b/i;

/** Whether a text says that something is otherwise than before, and is neither a question nor a plan. */
export function saysChange(memory: Memory): boolean {
  if (memory.content.length > lengthMax || !revoked.test(memory.content)) return false;
  const { isQuestion, isHedged, isTalk } = comparedOf(memory);
  return !isQuestion && !isHedged && !isTalk;
}

/**
 * The same items, with each that replaces an earlier one of the list in front of it.
 * @param newerOf ids of what replaces an item
 * @param moved an item as it is shown in front of another
 */
export function newerFirst<T>(
  ranked: readonly T[],
  idOf: (item: T) => string,
  newerOf: (item: T) => readonly string[],
  moved: (item: T, before: T) => T = (item) => item,
): T[] {
  const ordered = [...ranked];
  const placeOf = (id: string) => ordered.findIndex((item) => idOf(item) === id);
  for (const item of ranked)
    for (const id of newerOf(item)) {
      const [from, to] = [placeOf(id), placeOf(idOf(item))];
      if (from > to) ordered.splice(to, 0, moved(ordered.splice(from, 1)[0], item));
    }
  return ordered;
}

function comparedOf(memory: Memory): ComparedText {
  let text = comparedTexts.get(memory.content);
  if (!text) {
    text = toCompared(memory.content);
    comparedTexts.set(memory.content, text);
  }
  return text;
}
