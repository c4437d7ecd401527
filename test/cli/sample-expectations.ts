import { expect } from 'vitest';
import type { ImportJson, Snapshot, StoredMemory } from './import-snapshot.ts';

/** A number, or parts of which `total` is the sum. */
type Count = number | Readonly<Record<string, number>>;

/** A text that is in one memory, with what else is known of it. */
interface Found {
  readonly text: string;
  /** Further text of the same memory. */
  readonly also?: string;
  readonly mustName?: string;
  readonly role?: string;
  readonly eventTime?: string | null;
  readonly createdAt?: string;
  readonly validFrom?: string;
  /** A time, or "after" one. */
  readonly validTo?: string;
  readonly topics?: readonly string[];
  readonly title?: string;
  /** Title or external id of its conversation. */
  readonly conversation?: string;
  readonly supersedes?: string;
  readonly times?: number;
}

type Triple = readonly [string, string, string];

/** Of the expectations of a sample, those that are checked. */
export interface Expected {
  readonly conversations?: number;
  readonly memories?: Count;
  readonly byRole?: Readonly<Record<string, number>>;
  readonly firstEventTime?: string | null;
  readonly lastEventTime?: string | null;
  readonly titles?: readonly string[];
  readonly perSession?: readonly { readonly title: string; readonly turns: number }[];
  readonly titleOfTheOneWithout?: string;
  readonly mustBeFound?: readonly Found[];
  readonly saved?: readonly Found[];
  readonly mustNotBeImported?: readonly string[];
  readonly named?: readonly { readonly text: string }[];
  readonly artifacts?: readonly {
    readonly name: string;
    readonly contains?: string;
    readonly content?: string;
  }[];
  readonly codeContext?: { readonly repo: string };
  readonly facts?: readonly Triple[];
  readonly factsMustNotBe?: readonly (Triple | string)[];
  readonly relationships?: readonly Triple[];
  readonly effectiveState?: Readonly<Record<string, string>>;
  readonly refusedOrLeftOut?: Readonly<Record<string, number>>;
  readonly split?: readonly {
    readonly startsWith: string;
    readonly charactersAtLeast: number;
    readonly piecesAtLeast: number;
  }[];
}

export interface Newer {
  readonly input: string;
  readonly imported?: Count;
  readonly updated?: Count;
  readonly mustBeFound?: readonly (string | Found)[];
  readonly sameConversation?: readonly string[];
  readonly outdated?: readonly string[];
  readonly factsNew?: readonly Triple[];
  readonly factsGone?: readonly Triple[];
}

export function totalOf(count: Count): number {
  if (typeof count === 'number') return count;
  return count.total ?? Object.values(count).reduce((sum, each) => sum + each, 0);
}

/** Memories without names; a text in parts counts once. */
const statements = ({ memories }: Snapshot) =>
  memories.filter(({ version, metadata }) => version === undefined && (metadata?.import?.part ?? 1) === 1);

const single = (text: string) => text.replace(/\s+/g, ' ').toLowerCase();
const has = (text: string, part: string) => single(text).includes(single(part));

export function checkSnapshot(stored: Snapshot, expected: Expected, result: ImportJson): void {
  checkCounts(stored, expected, result);
  checkTitles(stored, expected);
  for (const found of [...(expected.mustBeFound ?? []), ...(expected.saved ?? [])]) checkFound(stored, found);
  checkAbsent(stored, expected.mustNotBeImported ?? []);
  for (const { text } of expected.named ?? [])
    expect(
      stored.memories.filter(({ name, content }) => name !== undefined && has(content, text)),
      text,
    ).not.toEqual([]);
  checkArtifacts(stored, expected);
  checkFacts(stored, expected);
  checkRelationships(stored, expected);
  checkSplit(stored, expected);
}

function checkCounts(stored: Snapshot, expected: Expected, result: ImportJson): void {
  const all = statements(stored);
  const timed = all.map(({ eventTime }) => eventTime).filter((time) => time !== undefined);
  timed.sort();
  const roles: Record<string, number> = {};
  for (const { role } of all) if (role !== undefined) roles[role] = (roles[role] ?? 0) + 1;
  const seen = {
    conversations: stored.conversations.filter(({ externalId }) => externalId !== undefined).length,
    memories: all.length,
    byRole: roles,
    firstEventTime: timed[0] ?? null,
    lastEventTime: timed.at(-1) ?? null,
  };
  const { conversations, memories, byRole, firstEventTime, lastEventTime } = expected;
  const stated = {
    // Saved memories have a conversation of their own.
    conversations: conversations && conversations + (expected.saved ? 1 : 0),
    memories: memories === undefined ? undefined : totalOf(memories),
    byRole,
    firstEventTime,
    lastEventTime,
  };
  expect(seen).toMatchObject(
    Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined)),
  );
  const leftOut = Object.values(result.leftOut).reduce((sum, count) => sum + count, 0);
  // A row that is there twice is found unchanged the second time; one that has only lost something is noted.
  const without = result.refused + leftOut + result.skipped + result.notes.length;
  expect(without).toBeGreaterThanOrEqual(totalOf(expected.refusedOrLeftOut ?? 0));
}

function checkTitles(stored: Snapshot, expected: Expected): void {
  const { titles = [], perSession = [], titleOfTheOneWithout } = expected;
  const names = stored.conversations.map(({ title }) => title);
  expect(names).toEqual(expect.arrayContaining([...titles]));
  const beginning = (text: string) => text.replace(/^begins as( its first message)?: /, '');
  if (titleOfTheOneWithout !== undefined)
    expect(names.filter((name) => name.startsWith(beginning(titleOfTheOneWithout)))).toHaveLength(1);
  for (const { title, turns } of perSession) {
    const session = stored.conversations.find((each) => each.title.startsWith(beginning(title)));
    expect(session?.title, title).toBeDefined();
    expect(
      stored.memories.filter(({ conversationId }) => conversationId === session?.id),
      title,
    ).toHaveLength(turns);
  }
  const { codeContext } = expected;
  if (codeContext)
    for (const memory of statements(stored)) expect(memory.codeContext).toMatchObject(codeContext);
}

function checkFound(stored: Snapshot, found: Found): void {
  const matches = stored.memories.filter(({ content }) => has(content, found.text));
  expect(matches.length, found.text).toBeGreaterThanOrEqual(1);
  if (found.times !== undefined) expect(matches, found.text).toHaveLength(found.times);
  const problems = matches.map((memory) => problemsOf(stored, memory, found));
  expect(
    problems.reduce((least, each) => (each.length < least.length ? each : least)),
    found.text,
  ).toEqual([]);
}

function problemsOf(stored: Snapshot, memory: StoredMemory, found: Found): string[] {
  const conversation = stored.conversations.find(({ id }) => id === memory.conversationId);
  const superseded = stored.relationships
    .filter(({ type, sourceMemoryId }) => type === 'SUPERSEDES' && sourceMemoryId === memory.id)
    .map(({ targetMemoryId }) => stored.memories.find(({ id }) => id === targetMemoryId)?.content ?? '');
  const after = found.validTo?.startsWith('after ') ? found.validTo.slice(6) : undefined;
  const checks: Readonly<Record<string, boolean>> = {
    also: found.also === undefined || has(memory.content, found.also),
    mustName: found.mustName === undefined || has(memory.content, found.mustName),
    role: found.role === undefined || memory.role === found.role,
    eventTime: found.eventTime === undefined || (memory.eventTime ?? null) === found.eventTime,
    createdAt: found.createdAt === undefined || memory.createdAt === found.createdAt,
    validFrom: found.validFrom === undefined || memory.validFrom === found.validFrom,
    validTo:
      found.validTo === undefined ||
      (after === undefined ? memory.validTo === found.validTo : String(memory.validTo) > after),
    topics: (found.topics ?? []).every((topic) => memory.topics.includes(topic)),
    title: found.title === undefined || conversation?.title === found.title,
    conversation:
      found.conversation === undefined ||
      has(`${conversation?.title} ${conversation?.externalId}`, found.conversation),
    supersedes:
      found.supersedes === undefined || superseded.some((text) => has(text, found.supersedes ?? '')),
  };
  return Object.entries(checks).flatMap(([name, isRight]) =>
    isRight ? [] : [`${name}: ${JSON.stringify({ ...memory, content: undefined })}`],
  );
}

function checkAbsent(stored: Snapshot, texts: readonly string[]): void {
  const all = [
    ...stored.memories.map(({ content, metadata }) => `${content} ${JSON.stringify(metadata)}`),
    ...stored.conversations.map(({ title }) => title),
    ...stored.artifacts.map(({ content }) => content),
    ...stored.facts.map(({ subject, predicate, object }) => `${subject} ${predicate} ${object}`),
  ];
  for (const text of texts)
    if (text !== '')
      expect(
        all.filter((each) => each.includes(text)),
        text,
      ).toEqual([]);
}

function checkArtifacts(stored: Snapshot, { artifacts }: Expected): void {
  if (artifacts === undefined) return;
  expect(stored.artifacts).toHaveLength(artifacts.length);
  for (const { name, contains = '', content } of artifacts) {
    const artifact = stored.artifacts.find((each) => each.name === name);
    expect(artifact?.content, name).toContain(contains);
    if (content !== undefined) expect(artifact?.content).toBe(content);
  }
}

const triples = ({ facts }: Snapshot) =>
  facts.map(({ subject, predicate, object }) => `${subject} | ${predicate} | ${object}`);

function checkFacts(stored: Snapshot, { facts = [], factsMustNotBe = [] }: Expected): void {
  const all = triples(stored);
  expect(all).toEqual(expect.arrayContaining(facts.map((fact) => fact.join(' | '))));
  for (const absent of factsMustNotBe) {
    const isAbsent = (fact: string) =>
      typeof absent === 'string' ? fact.includes(absent) : fact === absent.join(' | ');
    expect(all.filter(isAbsent)).toEqual([]);
  }
}

function checkRelationships(stored: Snapshot, { relationships = [], effectiveState = {} }: Expected): void {
  const contentOf = (id: string) => {
    const memory = stored.memories.find((each) => each.id === id);
    return `${memory?.content} ${JSON.stringify(memory?.metadata)} ${memory?.externalId}`;
  };
  for (const [from, type, to] of relationships) {
    const found = stored.relationships.filter(
      (edge) =>
        edge.type === type &&
        has(contentOf(edge.sourceMemoryId), from) &&
        has(contentOf(edge.targetMemoryId), to),
    );
    expect(found.length, `${from} ${type} ${to}`).toBeGreaterThanOrEqual(1);
  }
  for (const [text, state] of Object.entries(effectiveState))
    expect(stored.memories.find(({ content }) => has(content, text))?.effectiveState).toBe(state);
}

function checkSplit(stored: Snapshot, { split = [] }: Expected): void {
  for (const { startsWith, charactersAtLeast, piecesAtLeast } of split) {
    const first = stored.memories.find(({ content }) => content.startsWith(startsWith));
    const pieces = stored.memories.filter(
      ({ externalId = '' }) => externalId.replace(/#\d+$/, '') === first?.externalId,
    );
    expect(pieces.length).toBeGreaterThanOrEqual(piecesAtLeast);
    const length = pieces.reduce((sum, { content }) => sum + content.length, 0);
    expect(length).toBeGreaterThanOrEqual(charactersAtLeast);
  }
}

interface NewerImport {
  readonly expected: Newer;
  readonly result: ImportJson;
}

export function checkNewer(before: Snapshot, after: Snapshot, { expected, result }: NewerImport): void {
  const { imported = 0, updated, mustBeFound = [], sameConversation = [], outdated = [] } = expected;
  const known = new Set(statements(before).map(({ id }) => id));
  const added = statements(after).filter(({ id }) => !known.has(id));
  const { named = 0, ...turns } = typeof imported === 'number' ? { turns: imported } : imported;
  expect(added).toHaveLength(totalOf(turns));
  if (named > 0) expect(result.kinds.named?.stored).toBe(named);
  if (updated !== undefined) expect(result.changed).toBe(totalOf(updated));
  for (const found of mustBeFound) checkFound(after, typeof found === 'string' ? { text: found } : found);
  const places = sameConversation.map(
    (text) => after.memories.find(({ content }) => has(content, text))?.conversationId,
  );
  expect(new Set(places).size).toBeLessThanOrEqual(1);
  for (const text of outdated) {
    const memory = after.memories.find(({ content }) => has(content, text));
    const hasEnded = memory?.validTo !== undefined || memory?.effectiveState !== 'current';
    expect(hasEnded, text).toBe(true);
  }
  checkFacts(after, { facts: expected.factsNew, factsMustNotBe: expected.factsGone });
}
