import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Prose, ProseSentence, ProseWriter } from '../domain/prose/prose-writer.ts';
import type { Clock } from '../lib/clock.ts';
import type { FailureReporter } from '../lib/failure-log.ts';
import { mayBeShown } from './check/check-prose.ts';
import { LlmError, type LlmFailure } from './llm-error.ts';
import type { Proposer } from './proposer.ts';

/** Cached results, about 2 kB each: they contain positions instead of text. */
const keptMax = 1000;
/** Maximum requests that wait for the LLM at once. */
const askedMax = 16;
/** Maximum statements of one request. */
const statementsMax = 60;
/** Wait before the next request after a failure that does not depend on the statements. */
const againAfterMs = 30_000;

const pending = { reason: 'The LLM is asked: the same request has its prose once it has answered.' };
const nothingToAsk = {
  reason: 'No statement can be put into other words: they are questions, conditions or orders.',
};
const tooMany = { reason: 'Too many digests wait for the LLM.' };
const nothingTrue = { reason: 'No sentence of the LLM says what the statements say.' };
const reasons: Readonly<Record<LlmFailure, string>> = {
  late: 'The LLM was late.',
  unavailable: 'The LLM could not be asked.',
  refused: 'The LLM refused the statements.',
  invalid: 'The answer of the LLM could not be read.',
  budget: 'The tokens of the day are used up.',
};

interface Kept {
  readonly prose: Prose;
  /** Expiry in epoch milliseconds; absent if the result does not expire. */
  readonly until?: number;
}

export interface LlmProseWriterDeps {
  readonly llm: Pick<Proposer, 'writeProse' | 'inputMax'>;
  readonly clock: Clock;
  readonly failures: FailureReporter;
}

/**
 * Writes prose with an LLM, which is asked in the background. The prose
 * is checked, then cached in the memory of this process only.
 */
export class LlmProseWriter implements ProseWriter {
  readonly #deps: LlmProseWriterDeps;
  readonly #kept = new LRUCache<string, Kept>({ max: keptMax });
  readonly #asked = new Set<string>();

  constructor(deps: LlmProseWriterDeps) {
    this.#deps = deps;
  }

  proseOf(userId: number, statements: readonly string[]): Prose {
    const sent = this.#sentOf(statements);
    if (sent.length === 0) return nothingToAsk;
    const key = createHash('sha256')
      .update(JSON.stringify([userId, statements]))
      .digest('base64');
    const kept = this.#kept.get(key);
    if (kept && (kept.until === undefined || this.#deps.clock.now() < kept.until)) return kept.prose;
    if (this.#asked.has(key)) return pending;
    if (this.#asked.size >= askedMax) return tooMany;
    this.#asked.add(key);
    void this.#ask(statements, sent)
      .then((kept) => this.#kept.set(key, kept))
      .finally(() => this.#asked.delete(key));
    return pending;
  }

  /** Indices of the statements to send: the first ones that may be shown and that fit into one request. */
  #sentOf(statements: readonly string[]): number[] {
    const sent: number[] = [];
    let left = this.#deps.llm.inputMax;
    for (const [index, statement] of statements.entries()) {
      if (sent.length === statementsMax || left < statement.length) break;
      if (!mayBeShown(statement)) continue;
      sent.push(index);
      left -= statement.length;
    }
    return sent;
  }

  async #ask(statements: readonly string[], sent: readonly number[]): Promise<Kept> {
    const { llm, clock, failures } = this.#deps;
    try {
      const sentences = await llm.writeProse(sent.map((index) => statements[index]));
      return { prose: sentences.length === 0 ? nothingTrue : { sentences: withIndices(sentences, sent) } };
    } catch (error) {
      const until = clock.now() + againAfterMs;
      // The `Proposer` has already counted and logged it.
      if (error instanceof LlmError)
        return { prose: { reason: reasons[error.failure] }, ...(error.isUnavailable && { until }) };
      failures.failed('digest_prose', error);
      return { prose: { reason: reasons.unavailable }, until };
    }
  }
}

/** Converts indices of the statements sent to indices of all statements. */
function withIndices(sentences: readonly ProseSentence[], sent: readonly number[]): ProseSentence[] {
  return sentences.map(({ statements, parts }) => ({
    statements: statements.map((index) => sent[index]),
    parts: parts.map((part) =>
      typeof part === 'string' ? part : { ...part, statement: sent[part.statement] },
    ),
  }));
}
