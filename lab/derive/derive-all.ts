import { MemoryDeriver } from '../../src/derivation/memory-deriver.ts';
import { loadTextReaders } from '../../src/derivation/text-reader.ts';
import type { KnownName } from '../../src/domain/derivation/derived.ts';
import type { Memory } from '../../src/domain/memories/memory.ts';
import { speakerOf } from '../../src/language/text/speaker.ts';
import { nameKey } from '../../src/lib/names.ts';
import { analyze } from '../../src/search-index/analysis/index.ts';

const { reader } = loadTextReaders();
const batchOf = 10;
const shownMax = 160;

/** Derived records of one user, each once, with the text of the first memory. */
export interface AllDerived {
  readonly entities: readonly string[];
  readonly facts: readonly string[];
  readonly topics: readonly string[];
}

/** Derives from a user's texts in order, and again once all names are known, as the service does for older memories. */
export async function deriveAll(texts: readonly string[]): Promise<AllDerived> {
  const memories = texts.map(
    (content, i) =>
      ({
        doc: i + 1,
        content,
        topics: [],
        codeContext: null,
        eventTime: null,
        createdAt: i,
      }) as unknown as Memory,
  );
  const names = new Map<string, KnownName & { readonly key: string; readonly canonicalId: string }>();
  const certain = new Map<string, KnownName>();
  const postings = postingsOf(texts);
  const speaking = texts.map((text) => analyze(speakerOf(text)?.name ?? '').join(' '));
  const deriver = new MemoryDeriver({
    texts: {
      derive: async (request) => reader.derive(request),
      judge: async (request) => reader.judge(request),
      close: async () => {},
    },
    readerOf: () =>
      ({
        knownNames: async () => [...certain.values()],
        knownNamesMark: async () => String(certain.size),
        entitiesNamed: async (keys: readonly string[]) =>
          [...names.values()].filter(({ key }) => keys.includes(key)),
        namesOfType: async (type: string) => [...names.values()].filter((name) => name.type === type),
        givenTopics: async () => new Set<string>(),
        recentVersions: async () => ({ after: 0, count: texts.length }),
        speakingTwice: async (speakers: readonly string[]) =>
          new Set(speakers.filter((name) => speaking.filter((speaker) => speaker === name).length > 1)),
      }) as never,
    indexOf: () => ({
      docsContaining: async (_: string, terms: readonly string[]) =>
        terms.map((term) => [...(postings.get(term) ?? [])]),
    }),
    earlier: { withTerms: async () => [] } as never,
  });
  const found = {
    entities: new Map<string, string>(),
    facts: new Map<string, string>(),
    topics: new Map<string, string>(),
  };
  for (const isLast of [false, true])
    for (let from = 0; from < memories.length; from += batchOf) {
      const batch = memories.slice(from, from + batchOf);
      const derived = await deriver.derive(
        batch.map((memory) => ({ userId: 1, memory, isOlder: false }) as never),
      );
      for (const [i, { entities, facts, topics }] of derived.entries()) {
        const text = batch[i].content.replace(/\s+/g, ' ').slice(0, shownMax);
        const put = (map: Map<string, string>, key: string, shown: string) => {
          if (isLast && !map.has(key)) map.set(key, `${shown}   << ${text}`);
        };
        for (const { name, type, key, isCertain, confidence } of entities) {
          names.set(`${type} ${key}`, { name, type, key, canonicalId: `${type} ${key}` });
          if (isCertain) certain.set(`${type} ${nameKey(name)}`, { name, type });
          put(found.entities, `${type} ${key}`, `${name} (${type} ${confidence})`);
        }
        for (const { key, subject, predicate, object, confidence } of facts)
          put(found.facts, key, `${subject} | ${predicate} | ${object} (${confidence})`);
        for (const { name } of topics) put(found.topics, name.toLowerCase(), name);
      }
    }
  return {
    entities: [...found.entities.values()],
    facts: [...found.facts.values()],
    topics: [...found.topics.values()],
  };
}

function postingsOf(texts: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const postings = new Map<string, number[]>();
  for (const [i, text] of texts.entries())
    for (const term of new Set(analyze(text))) {
      const docs = postings.get(term);
      if (docs) docs.push(i + 1);
      else postings.set(term, [i + 1]);
    }
  return postings;
}
