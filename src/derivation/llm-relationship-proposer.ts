import type { Deriver } from '../domain/derivation/deriver.ts';
import type { StepItem } from '../domain/jobs/step.ts';
import { isBefore, type Memory } from '../domain/memories/memory.ts';
import type { FoundRelationshipReader, SubjectMention } from '../domain/relationships/found-relationship.ts';
import type { RelationshipEvidence } from '../domain/relationships/relationship.ts';
import type {
  ProposedRelationship,
  ProposedRelationships,
  RelationshipProposer,
} from '../domain/relationships/relationship-steps.ts';
import type { DerivedRelationshipType } from '../language/relationships/finding.ts';
import { chunksOf, groupBy } from '../lib/collections.ts';
import type { ProposedTextRelationship } from '../llm/check/check-proposals.ts';
import { LlmError } from '../llm/llm-error.ts';
import { earlierMax, type Proposer } from '../llm/proposer.ts';
import { actingOf, type ProposedPair, withinPair } from './acting-edges.ts';
import { openOf } from './memory-relater.ts';
import { isToCompare, type NeighbourDeps, Neighbours } from './neighbours.ts';

export interface LlmRelationshipProposerDeps extends NeighbourDeps {
  readonly llm: Pick<Proposer, 'proposeRelationships' | 'concurrency'>;
  /** Finds the subjects of a memory, which may not be derived yet. */
  readonly deriver: Deriver;
}

/** A memory, and the earlier ones shown to the LLM with it. */
interface Question {
  readonly memory: Memory;
  readonly earlier: readonly Memory[];
  /** Subjects of facts, by doc. */
  readonly subjects: ReadonlyMap<number, ReadonlySet<string>>;
}

/** Asks an LLM for the relationships of each memory to a few earlier ones, one question per memory. */
export class LlmRelationshipProposer implements RelationshipProposer {
  readonly #deps: LlmRelationshipProposerDeps;

  constructor(deps: LlmRelationshipProposerDeps) {
    this.#deps = deps;
  }

  get concurrency(): number {
    return this.#deps.llm.concurrency;
  }

  async propose(batch: readonly StepItem[]): Promise<ProposedRelationships[]> {
    const questions = new Map<StepItem, Question>();
    for (const [userId, items] of groupBy(batch, (item) => item.userId))
      for (const [item, question] of await this.#questionsOf(userId, items)) questions.set(item, question);
    const asked = batch.map((item) => this.#ask(questions.get(item)));
    // Waits for all, so that replies already paid for are cached before the first failure is reported.
    await Promise.allSettled(asked);
    return Promise.all(asked);
  }

  isUnavailable(error: unknown): boolean {
    return error instanceof LlmError && error.isUnavailable;
  }

  async #questionsOf(userId: number, items: readonly StepItem[]): Promise<Map<StepItem, Question>> {
    const reader = this.#deps.readerOf(userId);
    const current = await currentOf(reader, items);
    const subjects = await this.#subjectsOf([...current.values()]);
    const docs = [...current.values()].map(({ memory }) => memory.doc);
    const near = await new Neighbours(this.#deps, userId).likelyEarlier(docs, subjects);
    const others = await openOf(reader, [...new Set([...near.values()].flat())]);
    const questions = new Map<StepItem, Question>();
    for (const [item, { memory }] of current) {
      const earlier = (near.get(memory.doc) ?? [])
        .flatMap((doc) => others.get(doc) ?? [])
        .filter((other) => isToCompare(memory, other) && isBefore(other, memory));
      questions.set(item, { memory, earlier: earlier.slice(0, earlierMax), subjects: new Map() });
    }
    return this.#withSubjects(reader, questions, subjects);
  }

  async #withSubjects(
    reader: FoundRelationshipReader,
    questions: ReadonlyMap<StepItem, Question>,
    own: readonly SubjectMention[],
  ): Promise<Map<StepItem, Question>> {
    const docs = [...questions.values()].flatMap(({ earlier }) => earlier.map(({ doc }) => doc));
    const mentions = [...own];
    for (const chunk of chunksOf([...new Set(docs)])) mentions.push(...(await reader.subjectsOf(chunk)));
    const subjects = new Map(
      [...groupBy(mentions, ({ doc }) => doc)].map(([doc, said]) => [
        doc,
        new Set(said.map(({ subject }) => subject.replace(article, ''))),
      ]),
    );
    return new Map([...questions].map(([item, question]) => [item, { ...question, subjects }]));
  }

  async #subjectsOf(items: readonly StepItem[]): Promise<SubjectMention[]> {
    const derived = await this.#deps.deriver.derive(items);
    return items.flatMap(({ memory: { doc } }, i) =>
      derived[i].facts.map(({ subject, predicate }) => ({
        doc,
        subject: subject.toLowerCase(),
        predicate,
        // Later than every written fact.
        fact: Number.MAX_SAFE_INTEGER,
      })),
    );
  }

  async #ask(question: Question | undefined): Promise<ProposedRelationships> {
    if (!question) return { memory: undefined, proposed: [] };
    const { memory, earlier, subjects } = question;
    if (earlier.length === 0) return { memory, proposed: [] };
    const texts = earlier.map(({ content }) => content);
    const edges = await this.#deps.llm.proposeRelationships(memory.content, texts);
    return { memory, proposed: toRelationships(memory, earlier, edges, subjects) };
  }
}

/**
 * Items with the open version of their memory, if it has the text of the item:
 * a change of state opens a version for which no work is recorded. Each open
 * version once, even if older versions with the same text are also items.
 */
async function currentOf(
  reader: FoundRelationshipReader,
  items: readonly StepItem[],
): Promise<Map<StepItem, StepItem>> {
  const docs = await reader.openDocs([...new Set(items.map(({ memory }) => memory.id))]);
  const open = await openOf(reader, [...docs.values()]);
  const current = new Map<StepItem, StepItem>();
  for (const item of items) {
    const doc = docs.get(item.memory.id);
    const memory = doc === undefined ? undefined : open.get(doc);
    if (memory?.content !== item.memory.content) continue;
    current.set(item, { ...item, memory });
    open.delete(memory.doc);
  }
  return current;
}

const article = /^(?:the|an?)\s+/u;
const changesState: ReadonlySet<DerivedRelationshipType> = new Set([
  'SUPERSEDES',
  'CONTRADICTS',
  'DUPLICATES',
]);

const reasons: Readonly<Record<DerivedRelationshipType, string>> = {
  DUPLICATES: 'An LLM proposes it: both say the same.',
  SUPERSEDES: 'An LLM proposes it: the later replaces what the earlier says.',
  CONTRADICTS: 'An LLM proposes it: both cannot be true.',
  RESOLVES: 'An LLM proposes it: the later says how the problem of the earlier was solved.',
  REFERENCES: 'An LLM proposes it: the later refers to the earlier.',
};

/** Turns the LLM's proposals between a memory and the memories shown with it into relationship candidates. */
function toRelationships(
  memory: Memory,
  shown: readonly Memory[],
  edges: readonly ProposedTextRelationship[],
  subjects: Question['subjects'],
): ProposedRelationship[] {
  const pairOf = ({ earlier }: ProposedTextRelationship): ProposedPair => ({
    earlier: shown[earlier].content,
    later: memory.content,
    earlierSubjects: subjects.get(shown[earlier].doc) ?? new Set(),
    laterSubjects: subjects.get(memory.doc) ?? new Set(),
  });
  const acting = actingOf(edges, pairOf);
  return edges.map((edge) => {
    const { earlier, type, confidence, evidence } = edge;
    const target = shown[earlier];
    const places: RelationshipEvidence = {
      earlier: [target.doc, evidence.earlier.start, evidence.earlier.end],
      later: [memory.doc, evidence.later.start, evidence.later.end],
    };
    const found = {
      sourceMemoryId: memory.id,
      targetMemoryId: target.id,
      type,
      confidence,
      reason: reasons[type],
      evidence: acting.has(edge) && changesState.has(type) ? withinPair(places, pairOf(edge)) : places,
    };
    return { target, found, isActing: acting.has(edge) };
  });
}
