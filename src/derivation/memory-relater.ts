import type { StepItem } from '../domain/jobs/step.ts';
import { isBefore, type Memory } from '../domain/memories/memory.ts';
import type {
  ComparedPair,
  FoundRelationship,
  FoundRelationshipReader,
} from '../domain/relationships/found-relationship.ts';
import type { Related, RelationshipFinder } from '../domain/relationships/relationship-steps.ts';
import { viewedLengthMax } from '../language/relationships/text-view.ts';
import { eachAtOnce } from '../lib/async.ts';
import { chunksOf, groupBy } from '../lib/collections.ts';
import { usersAtOnce } from './memory-deriver.ts';
import { type ComparedMemory, isToCompare, type NeighbourDeps, Neighbours } from './neighbours.ts';
import type { ComparedText, PairFinding, TextComparer, TextPair } from './text-deriver.ts';

/** Memories read by one statement: some milliseconds, during which no request is answered. */
const readAtOnce = 32;

export interface MemoryRelationshipFinderDeps extends NeighbourDeps {
  readonly texts: TextComparer;
}

/** Of a version that is not open any more. */
const noPairs: Related = { pairs: [], isRelated: false };

/** Two memories to compare; `pair` has their positions in the list of texts. */
interface Comparison {
  readonly memory: Memory;
  readonly other: Memory;
  readonly pair: TextPair;
}

/** Compares memories with others that may be about the same subject. */
export class MemoryRelationshipFinder implements RelationshipFinder {
  readonly #deps: MemoryRelationshipFinderDeps;

  constructor(deps: MemoryRelationshipFinderDeps) {
    this.#deps = deps;
  }

  async relate(batch: readonly StepItem[]): Promise<Related[]> {
    const related = new Map<StepItem, Related>();
    await eachAtOnce(groupBy(batch, (item) => item.userId).values(), usersAtOnce, async (items) => {
      const found = await this.#relateOf(
        items[0].userId,
        items.map(({ memory }) => memory),
      );
      for (const item of items) related.set(item, found.get(item.memory.doc) ?? noPairs);
    });
    return batch.map((item) => related.get(item) ?? noPairs);
  }

  /** By doc of the version. */
  async #relateOf(userId: number, memories: readonly Memory[]): Promise<Map<number, Related>> {
    const reader = this.#deps.readerOf(userId);
    const open = await reader.outlines(memories.map(({ doc }) => doc));
    const compared = memories.flatMap((memory): ComparedMemory[] => {
      const outline = open.get(memory.doc);
      return outline ? [{ ...memory, outline }] : [];
    });
    const identifiers = await this.#deps.texts.identifiersOf(compared.map(toText));
    const docs = await new Neighbours(this.#deps, userId).of(compared, identifiers);
    const others = await openOf(reader, [...new Set([...docs.values()].flat())]);
    const texts = new TextList();
    const comparisons = compared.flatMap((memory) =>
      (docs.get(memory.doc) ?? []).flatMap((doc): Comparison[] => {
        const other = others.get(doc);
        if (!other || !isToCompare(memory, other)) return [];
        const [earlier, later] = isBefore(other, memory) ? [other, memory] : [memory, other];
        return [{ memory, other, pair: [texts.add(earlier), texts.add(later)] }];
      }),
    );
    const found = await this.#deps.texts.relate({
      texts: texts.all,
      pairs: comparisons.map(({ pair }) => pair),
    });
    const pairs = new Map<number, ComparedPair[]>(compared.map(({ doc }) => [doc, []]));
    for (const [i, { memory, other }] of comparisons.entries())
      pairs.get(memory.doc)?.push({
        otherId: other.id,
        otherDoc: other.doc,
        found: toFound(memory, other, found[i]),
      });
    return new Map(
      compared.map(({ doc, outline: { isRelated } }) => [doc, { pairs: pairs.get(doc) ?? [], isRelated }]),
    );
  }
}

/** The texts of a request, each once. */
class TextList {
  readonly all: ComparedText[] = [];
  readonly #places = new Map<number, number>();

  /** @returns the position of the text */
  add(memory: Memory): number {
    const known = this.#places.get(memory.doc);
    if (known !== undefined) return known;
    this.#places.set(memory.doc, this.all.length);
    return this.all.push(toText(memory)) - 1;
  }
}

const toText = ({ doc, content }: Memory): ComparedText => ({
  doc,
  content: content.slice(0, viewedLengthMax),
});

/** Memories of those docs that are open versions of live memories, by doc. */
export async function openOf(
  reader: FoundRelationshipReader,
  docs: readonly number[],
): Promise<Map<number, Memory>> {
  const open = new Map<number, Memory>();
  for (const chunk of chunksOf(docs, readAtOnce))
    for (const memory of await reader.openVersions(chunk)) open.set(memory.doc, memory);
  return open;
}

function toFound(memory: Memory, other: Memory, finding: PairFinding | null): FoundRelationship | undefined {
  if (!finding) return undefined;
  const { type, confidence, reason, earlier, later, also, keepsState } = finding;
  const [target, source] = isBefore(other, memory) ? [other, memory] : [memory, other];
  return {
    sourceMemoryId: source.id,
    targetMemoryId: target.id,
    type,
    confidence,
    reason,
    evidence: {
      earlier: [target.doc, ...earlier],
      later: [source.doc, ...later],
      ...(also.length > 0 && { also: also.map(([start, end]) => [target.doc, start, end] as const) }),
      ...(keepsState ? { keepsState } : {}),
    },
  };
}
