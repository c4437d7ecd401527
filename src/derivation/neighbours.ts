import type { DerivationReader } from '../domain/derivation/derivation-store.ts';
import type { Memory } from '../domain/memories/memory.ts';
import type {
  FoundRelationshipReader,
  SubjectMention,
  VersionOutline,
} from '../domain/relationships/found-relationship.ts';
import { lemmaOf } from '../language/facts/lemma.ts';
import type { NearestVersions } from '../search/other/nearest-versions.ts';
import { analyze } from '../search-index/analysis/index.ts';
import { type WordIndex, WordStatistics } from './word-statistics.ts';

/** Versions nearest by vector: this many before a memory and this many after, in time order. */
const nearestMax = 15;
/** Versions with a fact of the same subject and verb: this many before and this many after. */
const sameSubjectMax = 10;
/** Nearest facts of a subject, on each side, among which the same verb is looked for. */
const subjectFactsMax = 100;
const subjectsMax = 5;
/** Versions for each shared link, file, ticket or entity name. */
const sameNameMax = 5;
/** Other ends of a memory's edges and candidates: compared again, so that outdated ones are removed. */
const relatedMax = 100;
/** Maximum of texts in which identifiers are looked for: the newest. */
const recentMax = 20_000;

export interface NeighbourDeps {
  readonly readerOf: (userId: number) => FoundRelationshipReader;
  readonly derivationOf: (userId: number) => DerivationReader;
  readonly indexOf: (userId: number) => WordIndex;
  /** See `nearestVersions` of `src/search`. */
  readonly nearest: (
    userId: number,
    docs: readonly number[],
    perSide: number,
  ) => Promise<ReadonlyMap<number, NearestVersions>>;
}

/** A memory that is compared with others. */
export interface ComparedMemory extends Memory {
  readonly outline: VersionOutline;
}

/** Chooses the versions to compare with a version: a bounded number, however many memories the user has. */
export class Neighbours {
  readonly #deps: NeighbourDeps;
  readonly #userId: number;
  readonly #reader: FoundRelationshipReader;

  constructor(deps: NeighbourDeps, userId: number) {
    this.#deps = deps;
    this.#userId = userId;
    this.#reader = deps.readerOf(userId);
  }

  /**
   * Docs of versions to compare, by the doc of each memory; some may be closed or in the trash.
   * @param identifiers those of the text of each memory
   */
  async of(
    memories: readonly ComparedMemory[],
    identifiers: readonly (readonly string[])[],
  ): Promise<ReadonlyMap<number, readonly number[]>> {
    const own = memories.map(({ doc }) => doc);
    const near = await this.#deps.nearest(this.#userId, own, nearestMax);
    const having = (is: (outline: VersionOutline) => boolean) =>
      memories.filter(({ outline }) => is(outline)).map(({ doc }) => doc);
    const subjects = await this.#reader.subjectsOf(having(({ hasFacts }) => hasFacts));
    const bySubject = await this.#sameSubjects(subjects);
    const byIdentifier = await this.#sameIdentifiers(identifiers);
    const withThings = having(({ hasThings }) => hasThings);
    const byName = await this.#reader.sharingNames(withThings, sameNameMax);
    const found = new Map<number, readonly number[]>();
    for (const [i, { id, doc, outline }] of memories.entries()) {
      const { earlier = [], later = [] } = near.get(doc) ?? {};
      const all = new Set([
        ...earlier,
        ...later,
        ...(bySubject.get(doc) ?? []),
        ...identifiers[i].flatMap((identifier) => byIdentifier.get(identifier) ?? []),
        ...(byName.get(doc) ?? []),
        ...(outline.isRelated ? await this.#reader.relatedDocs(id, relatedMax) : []),
      ]);
      all.delete(doc);
      found.set(doc, [...all]);
    }
    return found;
  }

  /**
   * Docs of the most promising earlier versions, by the doc of each memory: the nearest ones and
   * those with a fact of the same subject and verb, alternately. Some may be closed or in the trash.
   * @param subjects those of the facts of the memories, which need not be written yet
   */
  async likelyEarlier(
    docs: readonly number[],
    subjects: readonly SubjectMention[],
  ): Promise<ReadonlyMap<number, readonly number[]>> {
    const near = await this.#deps.nearest(this.#userId, docs, nearestMax);
    const bySubject = await this.#sameSubjects(subjects);
    const found = new Map<number, readonly number[]>();
    for (const doc of docs) {
      const { earlier = [] } = near.get(doc) ?? {};
      const same = bySubject.get(doc) ?? [];
      const most = Math.max(earlier.length, same.length);
      const byTurns = Array.from({ length: most }, (_, i) => [
        ...earlier.slice(i, i + 1),
        ...same.slice(i, i + 1),
      ]);
      found.set(doc, [...new Set(byTurns.flat())]);
    }
    return found;
  }

  async #sameSubjects(subjects: readonly SubjectMention[]): Promise<Map<number, number[]>> {
    const found = new Map<number, number[]>();
    const seen = new Map<number, Map<string, readonly SubjectMention[][]>>();
    for (const { doc, subject, predicate, fact } of subjects) {
      const own = seen.get(doc) ?? new Map<string, readonly SubjectMention[][]>();
      seen.set(doc, own);
      if (own.size >= subjectsMax && !own.has(subject)) continue;
      const sides =
        own.get(subject) ?? (await this.#reader.mentionsOfSubject(subject, fact, subjectFactsMax));
      own.set(subject, sides);
      const verb = verbOf(predicate);
      const isLike = (other: SubjectMention) => other.doc !== doc && verbOf(other.predicate) === verb;
      const like = sides.flatMap((side) => side.filter(isLike).slice(0, sameSubjectMax));
      const docs = [...(found.get(doc) ?? []), ...like.map((other) => other.doc)];
      found.set(doc, docs.slice(0, 2 * sameSubjectMax));
    }
    return found;
  }

  async #sameIdentifiers(
    identifiers: readonly (readonly string[])[],
  ): Promise<ReadonlyMap<string, readonly number[]>> {
    const all = [...new Set(identifiers.flat())].map((identifier) => ({
      identifier,
      terms: [...new Set(analyze(identifier))],
    }));
    if (all.length === 0) return new Map();
    const { after } = await this.#deps.derivationOf(this.#userId).recentVersions(recentMax);
    const statistics = new WordStatistics(this.#deps.indexOf(this.#userId), after);
    await statistics.load(all.flatMap(({ terms }) => terms));
    return new Map(
      all.map(({ identifier, terms }) => [
        identifier,
        statistics
          .docsWith(terms)
          .sort((a, b) => b - a)
          .slice(0, sameNameMax),
      ]),
    );
  }
}

/** Main verb of a predicate, equal for `lives in` and `live in`, and for `was moved to` and `move to`. */
function verbOf(predicate: string): string {
  const words = predicate.toLowerCase().split(' ').map(lemmaOf);
  return words.find((word) => !auxiliary.test(word)) ?? words[0];
}

const auxiliary =
  /^(be|have|do|not|never|no|longer|now|also|currently|will|would|can|could|should|may|might|must)$/;

/** Excludes other versions of one named memory: they supersede each other by their numbers. */
export const isToCompare = (memory: Memory, other: Memory) =>
  other.id !== memory.id && (memory.chainId === null || other.chainId !== memory.chainId);
