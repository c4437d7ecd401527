import { LRUCache } from 'lru-cache';
import type { DerivationReader } from '../domain/derivation/derivation-store.ts';
import type { Derived, DerivedEntity, DerivedTopic, KnownName } from '../domain/derivation/derived.ts';
import type { Deriver } from '../domain/derivation/deriver.ts';
import type { UserOutline } from '../domain/derivation/user-outline.ts';
import type { StepItem } from '../domain/jobs/step.ts';
import { type CodeContext, type Memory, orderTime } from '../domain/memories/memory.ts';
import { normaliseTopicName } from '../domain/topics/topic.ts';
import { speakerOf } from '../language/text/speaker.ts';
import { rankTopics } from '../language/topics.ts';
import { eachAtOnce } from '../lib/async.ts';
import { groupBy } from '../lib/collections.ts';
import { nameKey } from '../lib/names.ts';
import { analyze } from '../search-index/analysis/index.ts';
import { findAliases } from './find-aliases.ts';
import type { TextDerived, TextDeriver, TextToDerive, TopicPhrase } from './text-deriver.ts';
import { type EarlierMemories, type WordIndex, WordStatistics } from './word-statistics.ts';

/** Maximum of names to find in all memories of a user: the newest. */
const namesMax = 5000;
/** Maximum of texts whose words are counted: the newest. */
const recentMax = 2000;
const usersMax = 100;
/** Users whose texts are read at the same time: while the database is asked for one, the thread reads those of another. */
export const usersAtOnce = 4;

export interface MemoryDeriverDeps {
  readonly texts: TextDeriver;
  readonly readerOf: (userId: number) => DerivationReader;
  readonly indexOf: (userId: number) => WordIndex;
  readonly earlier: EarlierMemories;
}

interface UserNames {
  readonly mark: string;
  readonly names: readonly KnownName[];
  /** `TYPE key` of each name. */
  readonly keys: ReadonlySet<string>;
}

/** Derives from the texts of memories, with the known names and word statistics of their users. */
export class MemoryDeriver implements Deriver {
  readonly #deps: MemoryDeriverDeps;
  readonly #names = new LRUCache<number, UserNames>({ max: usersMax });

  constructor(deps: MemoryDeriverDeps) {
    this.#deps = deps;
  }

  async derive(batch: readonly StepItem[]): Promise<Derived[]> {
    const derived = new Map<StepItem, Derived>();
    await eachAtOnce(groupBy(batch, (item) => item.userId).values(), usersAtOnce, async (items) => {
      const own = await this.#deriveOf(
        items[0].userId,
        items.map(({ memory }) => memory),
      );
      for (const [i, item] of items.entries()) derived.set(item, own[i]);
    });
    return batch.map((item) => {
      const result = derived.get(item);
      if (!result) throw new Error('A memory of the batch was not derived.');
      return result;
    });
  }

  close(): Promise<void> {
    return this.#deps.texts.close();
  }

  async #deriveOf(userId: number, memories: readonly Memory[]): Promise<Derived[]> {
    const { readerOf, indexOf } = this.#deps;
    const reader = readerOf(userId);
    const { names: namesNow, recent, hasTopics } = await reader.outline(recentMax);
    const known = await this.#namesOf(userId, reader, namesNow);
    const speaking = await peopleSpeaking(memories, known, (names) =>
      reader.speakingTwice(names, recent.after),
    );
    const texts = await this.#read(
      userId,
      known,
      memories.map((memory, i) => toText(memory, speaking[i])),
    );
    const words = new WordStatistics(indexOf(userId), recent.after);
    await words.load(texts.flatMap(({ topics }) => topics.flatMap(({ terms }) => terms)));
    const plain = hasTopics ? texts.flatMap(({ topics }) => topics.filter(isPlainWord)) : [];
    const names = new Set(plain.map(({ name }) => normaliseTopicName(name)));
    const statistics = { words, texts: recent.count, given: await reader.givenTopics([...names]) };
    const aliases = await findAliases(
      texts.flatMap(({ entities }) => entities),
      reader,
      (request) => this.#deps.texts.judge(request),
    );
    const results: Derived[] = [];
    const seen = new Set<string>();
    for (const [i, { entities, topics, ...text }] of texts.entries())
      results.push({
        ...text,
        entities: (await this.#withOlder(userId, entities, (name) => isFirst(seen, known, name))).map(
          (entity) => ({ ...entity, alias: aliases.get(`${entity.type} ${entity.key}`) }),
        ),
        topics: rankTextTopics(memories[i], topics, statistics),
      });
    return results;
  }

  async #namesOf(
    userId: number,
    reader: DerivationReader,
    { mark, count }: UserOutline['names'],
  ): Promise<UserNames> {
    const known = this.#names.get(userId);
    if (known?.mark === mark) return known;
    const names = count === 0 ? [] : await reader.knownNames(namesMax);
    const fresh = { mark, names, keys: new Set(names.map(({ name, type }) => `${type} ${nameKey(name)}`)) };
    this.#names.set(userId, fresh);
    return fresh;
  }

  async #read(
    userId: number,
    { mark, names }: UserNames,
    texts: readonly TextToDerive[],
  ): Promise<readonly TextDerived[]> {
    const request = { userId, mark, texts };
    const derived =
      (await this.#deps.texts.derive(request)) ?? (await this.#deps.texts.derive({ ...request, names }));
    if (!derived) throw new Error('The deriving thread did not take the names of a user.');
    return derived;
  }

  /** Adds to each newly certain name the user's versions that contain its words. */
  async #withOlder(
    userId: number,
    entities: TextDerived['entities'],
    isNew: (entity: DerivedEntity) => boolean,
  ): Promise<DerivedEntity[]> {
    const noted: DerivedEntity[] = [];
    for (const { terms, ...entity } of entities) {
      const isToFind = entity.isCertain && terms.length > 0 && isNew(entity);
      noted.push(
        isToFind ? { ...entity, olderDocs: await this.#deps.earlier.withTerms(userId, terms) } : entity,
      );
    }
    return noted;
  }
}

function isFirst(seen: Set<string>, { keys }: UserNames, { type, key }: DerivedEntity): boolean {
  const identity = `${type} ${key}`;
  if (keys.has(identity) || seen.has(identity)) return false;
  seen.add(identity);
  return true;
}

function toText(memory: Memory, speaker: KnownName | undefined): TextToDerive {
  const { doc, content, topics, codeContext } = memory;
  const names = namesOf(codeContext);
  return { doc, content, at: orderTime(memory), topics, contextNames: speaker ? [...names, speaker] : names };
}

/** The speaker of each memory if its name is no common one and speaks in at least two memories. */
async function peopleSpeaking(
  memories: readonly Memory[],
  { keys }: UserNames,
  speakingTwice: (speakers: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<(KnownName | undefined)[]> {
  const unsure = memories.map(({ content }) => {
    const speaker = speakerOf(content);
    if (!speaker || speaker.isRole || speaker.isKnownName) return undefined;
    return keys.has(`PERSON ${nameKey(speaker.name)}`) ? undefined : speaker.name;
  });
  const termsOf = (name: string) => analyze(name).join(' ');
  const asked = [...new Set(unsure.flatMap((name) => (name === undefined ? [] : termsOf(name))))];
  const twice = asked.length === 0 ? new Set() : await speakingTwice(asked);
  return unsure.map((name) =>
    name !== undefined && twice.has(termsOf(name)) ? { name, type: 'PERSON' } : undefined,
  );
}

function namesOf(context: CodeContext | null): KnownName[] {
  if (!context) return [];
  const { product, repo, service, component } = context;
  const projects = [product, repo?.split('/').at(-1), service].map(
    (name) => ({ name, type: 'PROJECT' }) as const,
  );
  return [...projects, { name: component, type: 'COMPONENT' } as const].flatMap(({ name, type }) =>
    name === undefined || name.trim() === '' ? [] : [{ name: name.trim(), type }],
  );
}

interface RankedText {
  readonly doc: number;
  /** Topics that the client gave. */
  readonly topics: readonly string[];
}

/** Statistics for ranking topics, in addition to the text. */
interface TopicStatistics {
  readonly words: WordStatistics;
  /** Number of texts in which words are counted. */
  readonly texts: number;
  /** Single words, normalised, that clients of the user gave as topics. */
  readonly given: ReadonlySet<string>;
}

/**
 * A single word that is no name is a topic if it is this close to the text and so many others have it, or if a client
 * uses it as one.
 */
const [closeMin, othersMin] = [0.45, 2];

const isPlainWord = ({ kind, words }: TopicPhrase) => kind === 'phrase' && words === 1;

/** The topics of a text, by the statistics of the user's other texts. */
function rankTextTopics(
  { doc, topics }: RankedText,
  phrases: readonly TopicPhrase[],
  { words, texts, given: used }: TopicStatistics,
): DerivedTopic[] {
  const given = new Set(topics.map(normaliseTopicName));
  const byPhrase = new Map(phrases.map((phrase) => [phrase.phrase, phrase]));
  const othersWith = ({ terms }: TopicPhrase) =>
    words.docsWith(terms).filter((other) => other !== doc).length;
  const isOfUser = (phrase: TopicPhrase) => phrase.closeness >= closeMin && othersWith(phrase) >= othersMin;
  const candidates = phrases
    .filter(({ name }) => !given.has(normaliseTopicName(name)))
    // Most words that chats repeat are no topics: support, journey.
    .flatMap((phrase) => {
      if (!isPlainWord(phrase)) return [phrase];
      if (used.has(normaliseTopicName(phrase.name))) return [{ ...phrase, othersMin: 0 }];
      return isOfUser(phrase) ? [phrase] : [];
    });
  return rankTopics(candidates, {
    texts,
    textsWith: (name) => {
      const phrase = byPhrase.get(name);
      return phrase ? othersWith(phrase) : 0;
    },
    closeness: (phrase) => byPhrase.get(phrase)?.closeness ?? 0,
  });
}
