/** State of the parser: a partial dependency tree over words 1 to `count`; 0 is the root. */
export class TransitionState {
  readonly count: number;
  /** Words that may still get dependents; the root is at the bottom. */
  readonly stack: number[] = [0];
  /** The next word to read. */
  next = 1;
  /** Head of each word and number of its relation; -1 while unknown. */
  readonly heads: Int32Array;
  readonly relations: Int32Array;
  /** Outermost dependent of each word on either side, -1 if none, and their number. */
  readonly leftmost: Int32Array;
  readonly rightmost: Int32Array;
  readonly leftCount: Int32Array;
  readonly rightCount: Int32Array;

  constructor(count: number) {
    this.count = count;
    this.heads = new Int32Array(count + 1).fill(-1);
    this.relations = new Int32Array(count + 1).fill(-1);
    this.leftmost = new Int32Array(count + 2).fill(-1);
    this.rightmost = new Int32Array(count + 2).fill(-1);
    this.leftCount = new Int32Array(count + 2);
    this.rightCount = new Int32Array(count + 2);
  }

  get top(): number {
    return this.stack.at(-1) ?? -1;
  }

  get isDone(): boolean {
    return this.next > this.count;
  }

  get canReduce(): boolean {
    return this.top > 0 && this.heads[this.top] >= 0;
  }

  get canGoLeft(): boolean {
    return this.top > 0 && this.heads[this.top] < 0;
  }

  shift(): void {
    this.stack.push(this.next++);
  }

  reduce(): void {
    this.stack.pop();
  }

  /** Makes the next word the head of the top word. */
  arcLeft(relation: number): void {
    const dependent = this.top;
    this.stack.pop();
    this.#link(this.next, dependent, relation);
  }

  /** Makes the top word the head of the next word, and pushes the next word. */
  arcRight(relation: number): void {
    this.#link(this.top, this.next, relation);
    this.shift();
  }

  #link(head: number, dependent: number, relation: number): void {
    this.heads[dependent] = head;
    this.relations[dependent] = relation;
    if (dependent < head) {
      if (this.leftmost[head] < 0 || dependent < this.leftmost[head]) this.leftmost[head] = dependent;
      this.leftCount[head]++;
    } else {
      if (dependent > this.rightmost[head]) this.rightmost[head] = dependent;
      this.rightCount[head]++;
    }
  }
}

/** Hashes of words, tags and clusters of a sentence by position; 0 is the root. */
export interface SentenceHashes {
  readonly words: Int32Array;
  readonly tags: Int32Array;
  readonly clusters: Int32Array;
}

/** Number of templates. */
export const templateCount = 55;
const distanceMax = 10;
const valencyMax = 5;
/** Hashes for a position outside the sentence. */
const [noWord, noTag, noCluster] = [7, 13, 17];

function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

/** Feature rows of a state, by the templates of Zhang and Nivre (2011), numbered as in training. */
export class ParserFeatures {
  readonly rows = new Int32Array(templateCount);
  readonly #mask: number;
  #count = 0;

  constructor(mask: number) {
    this.#mask = mask;
  }

  describe(state: TransitionState, hashes: SentenceHashes): void {
    const seen = look(state, hashes);
    this.#count = 0;
    this.#putWords(seen);
    this.#putCounts(seen);
    this.#putTree(seen);
    this.#putContext(seen);
  }

  #putWords({
    sw,
    st,
    nw,
    nt,
    n1w,
    n1t,
    n2w,
    n2t,
    hasHead,
    headTag,
    leftTag,
    rightTag,
    nextLeftTag,
  }: Seen): void {
    this.#put(1);
    this.#put(sw);
    this.#put(st, hasHead);
    this.#put(sw, st);
    this.#put(nw);
    this.#put(nt);
    this.#put(nw, nt);
    this.#put(n1w);
    this.#put(n1t);
    this.#put(n2t);
    this.#put(n2w);
    this.#put(sw, st, nw, nt);
    this.#put(sw, st, nw);
    this.#put(sw, nw, nt);
    this.#put(sw, st, nt);
    this.#put(st, nw, nt);
    this.#put(sw, nw);
    this.#put(st, nt, hasHead);
    this.#put(nt, n1t);
    this.#put(nt, n1t, n2t);
    this.#put(st, nt, n1t);
    this.#put(headTag, st, nt);
    this.#put(st, leftTag, nt);
    this.#put(st, rightTag, nt);
    this.#put(st, nt, nextLeftTag);
  }

  #putCounts({ sw, st, nw, nt, distance, rights, lefts, nextLefts, hasHead }: Seen): void {
    this.#put(sw, distance);
    this.#put(st, distance);
    this.#put(nw, distance);
    this.#put(nt, distance);
    this.#put(st, nt, distance);
    this.#put(sw, rights);
    this.#put(st, rights, hasHead);
    this.#put(sw, lefts);
    this.#put(st, lefts);
    this.#put(nt, nextLefts, st);
  }

  #putTree(seen: Seen): void {
    const { st, nt, leftRelation, rightRelation, nextLeftRelation } = seen;
    this.#put(seen.headWord, seen.headTag);
    this.#put(seen.topRelation, st);
    this.#put(seen.leftWord, leftRelation);
    this.#put(seen.leftTag, leftRelation, st);
    this.#put(seen.rightWord, rightRelation);
    this.#put(seen.rightTag, rightRelation, st, nt);
    this.#put(seen.nextLeftWord, nextLeftRelation);
    this.#put(seen.nextLeftTag, nextLeftRelation, nt);
  }

  #putContext(seen: Seen): void {
    const { sw, st, nw, nt, n1t, topCluster, nextCluster } = seen;
    this.#put(topCluster, nextCluster);
    this.#put(topCluster, nt, st);
    this.#put(nextCluster, st, nt);
    this.#put(seen.belowTag, st, nt);
    this.#put(sw, nt, n1t);
    this.#put(st, nw, n1t);
    this.#put(seen.topRelation, seen.leftRelation, seen.rightRelation, nt);
    this.#put(nextCluster, sw);
    this.#put(topCluster, nw);
    this.#put(seen.belowWord, st, nt);
    this.#put(st, nt, n1t, seen.n2t);
    this.#put(seen.n1w, nt);
  }

  #put(first: number, second = 0, third = 0, fourth = 0): void {
    const template = this.#count + 1;
    let hash = mix(0x1234567 + template * 7919, first);
    hash = mix(mix(mix(hash, second), third), fourth);
    this.rows[this.#count++] = (mix(hash, template) >>> 3) & this.#mask;
  }
}

type Seen = ReturnType<typeof look>;

/**
 * Values of the templates. `s` is the top word, `n` the next word, `n1` and `n2` those after it; `w` is word,
 * `t` tag.
 */
function look(state: TransitionState, { words, tags, clusters }: SentenceHashes) {
  const inside = (i: number) => i >= 0 && i <= state.count;
  const w = (i: number) => (inside(i) ? words[i] : noWord);
  const t = (i: number) => (inside(i) ? tags[i] : noTag);
  const c = (i: number) => (inside(i) ? clusters[i] : noCluster);
  const relation = (i: number) => (i > 0 && state.relations[i] >= 0 ? state.relations[i] + 1 : 0);
  const top = state.top;
  const next = state.next;
  const below = state.stack.at(-2) ?? -1;
  const head = top > 0 ? state.heads[top] : -1;
  const left = top >= 0 ? state.leftmost[top] : -1;
  const right = top >= 0 ? state.rightmost[top] : -1;
  const nextLeft = state.leftmost[next];
  return {
    sw: w(top),
    st: t(top),
    nw: w(next),
    nt: t(next),
    n1w: w(next + 1),
    n1t: t(next + 1),
    n2w: w(next + 2),
    n2t: t(next + 2),
    hasHead: head >= 0 ? 1 : 0,
    headWord: w(head),
    headTag: t(head),
    leftWord: w(left),
    leftTag: t(left),
    leftRelation: relation(left),
    rightWord: w(right),
    rightTag: t(right),
    rightRelation: relation(right),
    nextLeftWord: w(nextLeft),
    nextLeftTag: t(nextLeft),
    nextLeftRelation: relation(nextLeft),
    belowWord: w(below),
    belowTag: t(below),
    topRelation: relation(top),
    topCluster: c(top),
    nextCluster: c(next),
    distance: top >= 0 ? Math.min(next - top, distanceMax) : 0,
    rights: top >= 0 ? Math.min(state.rightCount[top], valencyMax) : 0,
    lefts: top >= 0 ? Math.min(state.leftCount[top], valencyMax) : 0,
    nextLefts: nextLeft >= 0 ? Math.min(state.leftCount[next], valencyMax) : 0,
  };
}
