import { describe, expect, it } from 'vitest';
import { shownTopics } from './merge-topics.ts';
import type { RootedOrigin, TopicLink, TopicRef } from './topic-merge.ts';

const ids = ['a', 'b', 'c', 'd', 'e', 'f'];

/** A list of topics, each named after its id in capitals, under merges that come and go. */
class ListUnderMerges {
  names: readonly string[];
  #topicIds: readonly string[];
  #origins: readonly Omit<RootedOrigin, 'memoryId' | 'root'>[] = [];
  readonly merges = new Map<string, string>();

  constructor(own: readonly string[]) {
    this.names = own.map((id) => id.toUpperCase());
    this.#topicIds = own;
  }

  rootOf(id: string): string {
    const into = this.merges.get(id);
    return into === undefined ? id : this.rootOf(into);
  }

  resolve(): void {
    const memoryId = 'm';
    const root = (id: string): TopicRef => ({ id: this.rootOf(id), name: this.rootOf(id).toUpperCase() });
    const links = this.#topicIds.map(
      (topicId): TopicLink => ({ memoryId, topicId, normalizedName: topicId, root: root(topicId) }),
    );
    const origins = this.#origins.map((origin) => ({ ...origin, memoryId, root: root(origin.topicId) }));
    const resolved = shownTopics(this.names, { links, origins });
    this.names = resolved.names;
    this.#topicIds = resolved.topicIds;
    this.#origins = resolved.origins;
  }

  /** Whether only the state that the list shows is left. */
  get isPlain(): boolean {
    return this.#origins.length === 0 && this.#topicIds.length === this.names.length;
  }
}

function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
}

const shuffled = (values: readonly string[], random: (below: number) => number): string[] =>
  values
    .map((value) => ({ value, key: random(1_000_000) }))
    .sort((x, y) => x.key - y.key)
    .map(({ value }) => value);

describe('the topics of a memory under merges', () => {
  it.each(Array.from({ length: 200 }, (_, i) => i + 1))(
    'topics of a memory show what each means, once, and come back after every merge is undone (%i)',
    (seed) => {
      const random = randomFrom(seed);
      const own = shuffled(ids, random).slice(0, 1 + random(ids.length));
      const list = new ListUnderMerges(own);
      for (let step = 0; step < 12; step++) {
        const source = ids[random(ids.length)] ?? 'a';
        if (list.merges.has(source)) list.merges.delete(source);
        else {
          const target = list.rootOf(ids[random(ids.length)] ?? 'b');
          if (target !== source) list.merges.set(source, target);
        }
        list.resolve();
        const expected = [...new Set(own.map((id) => list.rootOf(id).toUpperCase()))];
        expect([...list.names].sort()).toEqual(expected.sort());
      }
      for (const source of shuffled([...list.merges.keys()], random)) {
        list.merges.delete(source);
        list.resolve();
      }
      expect([...list.names].sort()).toEqual(own.map((id) => id.toUpperCase()).sort());
      expect(list.isPlain).toBe(true);
    },
  );

  it('topics of a memory stand where the first of them stood, and go back to their places in any order', () => {
    for (const order of ['bca', 'acb', 'cba']) {
      const list = new ListUnderMerges(['a', 'd', 'b', 'c', 'e']);
      for (const source of 'abc') {
        list.merges.set(source, 'e');
        list.resolve();
      }
      expect(list.names).toEqual(['E', 'D']);
      for (const source of order) {
        list.merges.delete(source);
        list.resolve();
      }
      expect([order, ...list.names]).toEqual([order, 'A', 'D', 'B', 'C', 'E']);
    }
  });
});
