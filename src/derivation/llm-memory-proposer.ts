import type { Derived, Proposals } from '../domain/derivation/derived.ts';
import type { Deriver, MemoryProposer } from '../domain/derivation/deriver.ts';
import type { StepItem } from '../domain/jobs/step.ts';
import { LlmError } from '../llm/llm-error.ts';
import type { Proposer } from '../llm/proposer.ts';
import { proposalsOf } from './proposed-records.ts';

const nothing = { entities: [], facts: [] };

export interface LlmMemoryProposerDeps {
  readonly llm: Pick<Proposer, 'proposeText' | 'concurrency'>;
  /** Finds what the rules find, which the LLM does not replace. */
  readonly deriver: Deriver;
}

/** Asks an LLM about memories, and keeps of its answers what the rules did not find. */
export class LlmMemoryProposer implements MemoryProposer {
  readonly #deps: LlmMemoryProposerDeps;

  constructor(deps: LlmMemoryProposerDeps) {
    this.#deps = deps;
  }

  get concurrency(): number {
    return this.#deps.llm.concurrency;
  }

  async propose(batch: readonly StepItem[]): Promise<Proposals[]> {
    const derived = await this.#deps.deriver.derive(batch);
    const asked = batch.map(({ memory }, i) => this.#proposeOne(memory.content, derived[i]));
    // All are waited for, so that what was paid for is cached before the first failure is reported.
    await Promise.allSettled(asked);
    return Promise.all(asked);
  }

  isUnavailable(error: unknown): boolean {
    return error instanceof LlmError && error.isUnavailable;
  }

  async #proposeOne(content: string, derived: Derived): Promise<Proposals> {
    const isEmpty = derived.skipReason === 'content_too_short';
    const proposed = isEmpty ? nothing : await this.#deps.llm.proposeText(content);
    return proposalsOf(content, proposed, derived);
  }
}
