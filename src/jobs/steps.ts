import type { Derived, Proposals } from '../domain/derivation/derived.ts';
import {
  type Deriver,
  deriveStepKey,
  type MemoryProposer,
  proposeStepKey,
} from '../domain/derivation/deriver.ts';
import { embedStepKey, type SpaceToEmbed } from '../domain/embedding/embed-step.ts';
import { EmbeddingError } from '../domain/embedding/embedder.ts';
import type { Step } from '../domain/jobs/step.ts';
import type { StepKey } from '../domain/jobs/step-key.ts';
import type { Claim } from '../domain/patterns/detect/found-pattern.ts';
import { noteRules, rulesIn, rulesStepKey } from '../domain/patterns/note-rules.ts';
import {
  type ProposedRelationships,
  proposeRelationshipsStepKey,
  type Related,
  type RelationshipFinder,
  type RelationshipProposer,
  relateStepKey,
} from '../domain/relationships/relationship-steps.ts';
import {
  writeFoundRelationships,
  writeProposedRelationships,
} from '../domain/relationships/write-found-relationships.ts';
import type { Stores } from '../domain/shared/stores.ts';
import type { Clock } from '../lib/clock.ts';
import { Breather } from '../lib/loop-time.ts';

/**
 * Steps for each memory after it is written. `embedStep` comes in addition, once for each vector space. See
 * "To add a step" in ARCHITECTURE.md.
 */
export const memoryStepKeys: readonly StepKey[] = [deriveStepKey, relateStepKey, rulesStepKey];

/** The steps of a configuration. */
export function stepKeysOf({
  derive,
  llm,
}: {
  readonly derive: boolean;
  readonly llm: string;
}): readonly StepKey[] {
  if (!derive) return [];
  return llm === 'none' ? memoryStepKeys : [...memoryStepKeys, proposeStepKey, proposeRelationshipsStepKey];
}

/** Both are named, undefined without an LLM: a wrong name would switch a step off without a word. */
export interface Proposers {
  readonly proposer: ProposeStepDeps['proposer'] | undefined;
  readonly relationshipProposer: ProposeRelationshipsStepDeps['relationshipProposer'] | undefined;
}

/** The steps of these keys; `propose` and `propose-edges` only with an LLM. */
export function memorySteps(deps: DeriveStepDeps & RelateStepDeps, proposers: Proposers): readonly Step[] {
  const { proposer, relationshipProposer } = proposers;
  const { clock } = deps;
  const steps = [deriveStep(deps) as Step, relateStep(deps) as Step, rulesStep(deps) as Step];
  if (proposer) steps.push(proposeStep({ proposer, clock }) as Step);
  if (relationshipProposer)
    steps.push(proposeRelationshipsStep({ relationshipProposer, clock, stores: deps.stores }) as Step);
  return steps;
}

export interface DeriveStepDeps {
  readonly deriver: Deriver;
  readonly clock: Clock;
}

/** Derives entities, facts and topics from each version of a memory. */
function deriveStep({ deriver, clock }: DeriveStepDeps): Step<Derived> {
  return {
    ...deriveStepKey,
    run: (batch) => deriver.derive(batch),
    write: (tx, results) =>
      tx.derivation.replace(
        results.map(({ item, result }) => ({
          doc: item.memory.doc,
          saidAt: item.memory.updatedAt,
          derived: result,
        })),
        clock.now(),
      ),
  };
}

export interface RelateStepDeps {
  readonly relationshipFinder: RelationshipFinder;
  readonly clock: Clock;
  /** For the indexer of versions that a change of state opens. */
  readonly stores: Stores;
}

/** Finds relationships between a version of a memory and others, before and after it. */
function relateStep({ relationshipFinder, clock, stores }: RelateStepDeps): Step<Related> {
  return {
    ...relateStepKey,
    run: (batch) => relationshipFinder.relate(batch),
    write: (tx, results) =>
      writeFoundRelationships(
        { tx, at: clock.now(), indexer: stores.forUser({ id: results[0].item.userId }).indexer },
        results.map(({ item, result }) => ({ memory: item.memory, ...result })),
      ),
  };
}

/** Reads the rules, corrections and preferences of the user from each version of a memory. */
function rulesStep({ clock, stores }: Pick<RelateStepDeps, 'clock' | 'stores'>): Step<readonly Claim[]> {
  return {
    ...rulesStepKey,
    run: async (batch) => {
      const breather = new Breather();
      const claims: (readonly Claim[])[] = [];
      for (const { memory } of batch) {
        const pause = breather.pause();
        if (pause) await pause;
        claims.push(rulesIn(memory));
      }
      return claims;
    },
    write: (tx, results) =>
      noteRules(
        { tx, at: clock.now(), indexer: stores.forUser({ id: results[0].item.userId }).indexer },
        results.map(({ item, result }) => ({ memory: item.memory, claims: result })),
      ),
  };
}

/** Questions per connection in one batch, so that the batch ends within its lease. */
const llmTurns = 2;

interface ProposeStepDeps {
  readonly proposer: MemoryProposer;
  readonly clock: Clock;
}

/** Asks an LLM to propose entities and facts that the rules missed in each version of a memory. */
function proposeStep({ proposer, clock }: ProposeStepDeps): Step<Proposals> {
  return {
    ...proposeStepKey,
    batchMax: llmTurns * proposer.concurrency,
    run: (batch) => proposer.propose(batch),
    write: (tx, results) =>
      tx.derivation.propose(
        results.map(({ item, result }) => ({
          doc: item.memory.doc,
          saidAt: item.memory.updatedAt,
          proposals: result,
        })),
        clock.now(),
      ),
    isUnavailable: (error) => proposer.isUnavailable(error),
  };
}

interface ProposeRelationshipsStepDeps extends Pick<RelateStepDeps, 'clock' | 'stores'> {
  readonly relationshipProposer: RelationshipProposer;
}

/** Asks an LLM to propose relationships of each memory to earlier ones. */
function proposeRelationshipsStep({
  relationshipProposer,
  clock,
  stores,
}: ProposeRelationshipsStepDeps): Step<ProposedRelationships> {
  return {
    ...proposeRelationshipsStepKey,
    batchMax: llmTurns * relationshipProposer.concurrency,
    run: (batch) => relationshipProposer.propose(batch),
    write: (tx, results) =>
      writeProposedRelationships(
        { tx, at: clock.now(), indexer: stores.forUser({ id: results[0].item.userId }).indexer },
        results.map(({ result }) => result),
      ),
    isUnavailable: (error) => relationshipProposer.isUnavailable(error),
  };
}

/** Makes the vectors of each memory in one space; embeds equal texts of a batch once. */
export function embedStep({ id, encode }: SpaceToEmbed): Step<readonly Int8Array[]> {
  return {
    ...embedStepKey(id),
    run: async (batch) => {
      const contents = [...new Set(batch.map(({ memory }) => memory.content))];
      const vectors = await encode(contents);
      const byContent = new Map(contents.map((content, i) => [content, vectors[i]]));
      return batch.map(({ memory }) => byContent.get(memory.content) ?? []);
    },
    write: (tx, results) =>
      tx.vectors.insertLate(
        id,
        results.map(({ item, result }) => ({ doc: item.memory.doc, isOlder: item.isOlder, vectors: result })),
      ),
    isUnavailable: (error) => error instanceof EmbeddingError && !error.isLasting,
  };
}
