import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { LlmOutcome, LlmServer, LlmState, TokenCounter } from '../domain/derivation/llm-server.ts';
import type { RuleToJudge, TaskOfRules } from '../domain/patterns/rule-judge.ts';
import type { ProseSentence } from '../domain/prose/prose-writer.ts';
import type { Clock } from '../lib/clock.ts';
import { type CheckedHeading, checkHeadings } from './check/check-headings.ts';
import {
  checkEntities,
  checkFacts,
  checkRelationships,
  type ProposedEntity,
  type ProposedFact,
  type ProposedTextRelationship,
} from './check/check-proposals.ts';
import { checkProse } from './check/check-prose.ts';
import { checkRules, type JudgedRule } from './check/check-rules.ts';
import { checkWrong, type WrongRecord } from './check/check-wrong.ts';
import { sentencesIn } from './check/quotes.ts';
import { LlmError } from './llm-error.ts';
import {
  type Chat,
  type ChatRequest,
  headingsRequest,
  proseRequest,
  relationshipRequest,
  requestVersion,
  rulesRequest,
  type ShownRecords,
  textRequest,
} from './requests.ts';
import { believable, DailyBudget, LlmHealth } from './usage.ts';

/** Cached results, about 1 kB each: they contain positions instead of text. */
const cachedMax = 5000;
/** Number of timeouts after which a text is not sent again. */
const lateMax = 3;
/** Characters per token: about four in English, fewer in other languages. */
const charactersPerToken = 3;
const outputTokensGuess = 2000;
/** Maximum earlier texts of one request, each compared with the later text. */
export const earlierMax = 5;

const noRecords: ShownRecords = { entities: [], facts: [], topics: [] };

/** Proposals of an LLM for one text, all checked against the text. */
export interface ProposedText {
  readonly entities: readonly ProposedEntity[];
  readonly facts: readonly ProposedFact[];
  /** Positions in the records that were shown. */
  readonly wrong: readonly WrongRecord[];
}

export interface ProposerOptions {
  readonly model: string;
  /** URL of the server; part of the cache key, because another server may have another model of this name. */
  readonly url: string;
  /** Maximum UTF-16 units of text in one request. */
  readonly inputMax: number;
  readonly outputTokens: number;
  readonly concurrency: number;
}

export interface ProposerDeps {
  /** Called with the first request. */
  readonly loadChat: () => Promise<Chat>;
  readonly budget: DailyBudget;
}

/** Asks an LLM for proposals about texts and returns only those that the texts support. */
export class Proposer implements LlmServer {
  readonly #health = new LlmHealth();
  readonly #budget: DailyBudget;
  readonly #options: ProposerOptions;
  readonly #loadChat: () => Promise<Chat>;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #closing = new AbortController();
  readonly #cached = new LRUCache<string, object>({ max: cachedMax });
  readonly #late = new LRUCache<string, number>({ max: cachedMax });
  #chat: Promise<Chat> | undefined;

  constructor(options: ProposerOptions, { loadChat, budget }: ProposerDeps) {
    this.#options = options;
    this.#loadChat = loadChat;
    this.#budget = budget;
    this.#limit = pLimit(options.concurrency);
  }

  get concurrency(): number {
    return this.#options.concurrency;
  }

  get inputMax(): number {
    return this.#options.inputMax;
  }

  get model(): string {
    return this.#options.model;
  }

  get state(): LlmState {
    return this.#health.state;
  }

  get counts(): ReadonlyMap<LlmOutcome, number> {
    return this.#health.counts;
  }

  get tokens(): number {
    return this.#health.tokens;
  }

  get tokensPerDay(): number {
    return this.#budget.tokensPerDay;
  }

  usedToday(): Promise<number> {
    return this.#budget.usedToday();
  }

  watch(changed: (state: LlmState) => void): void {
    this.#health.watch(changed);
  }

  /** @throws LlmError */
  proposeText(content: string, read: ShownRecords = noRecords): Promise<ProposedText> {
    const text = cut(content, this.#options.inputMax);
    return this.#checked(textRequest(text, read), (response) => {
      const sentences = sentencesIn(text);
      return {
        entities: checkEntities(text, sentences, response),
        facts: checkFacts(text, sentences, response),
        wrong: checkWrong(sentences, read, response),
      };
    });
  }

  /**
   * @param earlier texts that may be related; only the first five are sent
   * @throws LlmError
   */
  proposeRelationships(
    content: string,
    earlier: readonly string[],
  ): Promise<readonly ProposedTextRelationship[]> {
    const sent = earlier.slice(0, earlierMax);
    const share = Math.floor(this.#options.inputMax / (sent.length + 1));
    const [later, ...others] = [content, ...sent].map((text) => cut(text, share));
    return this.#checked(relationshipRequest(later, others), (response) =>
      checkRelationships(later, others, response),
    );
  }

  /**
   * @param statements `inputMax` UTF-16 units in total at most
   * @throws LlmError
   */
  writeProse(statements: readonly string[]): Promise<readonly ProseSentence[]> {
    return this.#checked(proseRequest(statements), (response) => checkProse(statements, response));
  }

  /**
   * @param groups `inputMax` UTF-16 units in total at most
   * @throws LlmError
   */
  nameGroups(groups: readonly (readonly string[])[]): Promise<readonly CheckedHeading[]> {
    return this.#checked(headingsRequest(groups), (response) => checkHeadings(groups, response));
  }

  /**
   * Always asks: the result depends on more than the request shows.
   * @throws LlmError
   */
  async judgeRules(task: TaskOfRules, rules: readonly RuleToJudge[]): Promise<readonly JudgedRule[]> {
    const request = rulesRequest(
      task,
      rules.map(({ text }) => text),
    );
    return checkRules(rules, await this.#ask(this.#keyOf(request), request));
  }

  close(): void {
    this.#closing.abort();
  }

  async #checked<T extends object>(request: ChatRequest, check: (response: unknown) => T): Promise<T> {
    const key = this.#keyOf(request);
    // The cast is safe: the key includes the instructions, which determine the type of the result.
    const known = this.#cached.get(key) as T | undefined;
    if (known) {
      this.#health.count('cached');
      return known;
    }
    const result = check(await this.#ask(key, request));
    this.#cached.set(key, result);
    return result;
  }

  async #ask(key: string, request: ChatRequest): Promise<unknown> {
    const late = this.#late.get(key) ?? 0;
    if (late >= lateMax) throw new LlmError('refused', `the LLM was late for this text ${late} times`);
    const estimate = this.#estimate(request);
    try {
      const { value, tokens } = await this.#limit(() =>
        this.#budget.spend(estimate, () => this.#request(request)),
      );
      this.#health.succeeded(believable(tokens, estimate));
      return value;
    } catch (error) {
      if (error instanceof LlmError && error.failure === 'late') this.#late.set(key, late + 1);
      if (error instanceof LlmError && !this.#closing.signal.aborted)
        this.#health.failed(error, believable(error.tokens, estimate));
      throw error;
    }
  }

  async #request(request: ChatRequest) {
    if (this.#closing.signal.aborted) throw new LlmError('unavailable', 'the service stops');
    // A failed import is not cached: the next request tries it again.
    this.#chat ??= this.#loadChat().catch((error: unknown) => {
      this.#chat = undefined;
      throw error;
    });
    const chat = await this.#chat;
    return chat.ask(request, this.#closing.signal);
  }

  #estimate(request: ChatRequest): number {
    const { outputTokens } = this.#options;
    const characters = JSON.stringify(request).length;
    return Math.ceil(characters / charactersPerToken) + (outputTokens || outputTokensGuess);
  }

  #keyOf(request: ChatRequest): string {
    const { model, url } = this.#options;
    return createHash('sha256')
      .update(JSON.stringify([requestVersion, url, model, request]))
      .digest('base64');
  }
}

/** The first `units` UTF-16 units of a text, without half of a surrogate pair at the end. */
function cut(text: string, units: number): string {
  const last = text.charCodeAt(units - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units);
}

/** Settings of the LLM, named as in the configuration. */
export interface LlmSettings {
  readonly llm: 'none' | 'openai';
  readonly llmUrl: string | undefined;
  readonly llmModel: string;
  readonly llmApiKey: string | undefined;
  readonly llmTokensPerDay: number;
  readonly llmInputMax: number;
  readonly llmOutputTokens: number;
  readonly llmJsonSchema: boolean;
  readonly llmConcurrency: number;
  readonly llmTimeoutMs: number;
}

export interface LoadProposerDeps {
  readonly counter: TokenCounter;
  readonly clock: Clock;
}

/**
 * The proposer for the settings; undefined if no LLM is configured. The SDK is loaded with the first request.
 */
export function loadProposer(
  settings: LlmSettings,
  { counter, clock }: LoadProposerDeps,
): Proposer | undefined {
  const { llm, llmUrl: url, llmModel: model, llmTokensPerDay: tokensPerDay } = settings;
  if (llm === 'none') return undefined;
  if (url === undefined) throw new Error('llmUrl is needed for an LLM');
  const { llmInputMax: inputMax, llmOutputTokens: outputTokens, llmConcurrency: concurrency } = settings;
  return new Proposer(
    { model, url, inputMax, outputTokens, concurrency },
    {
      budget: new DailyBudget({ counter, clock, tokensPerDay }),
      loadChat: async () => {
        // Imported only if an LLM is configured: the SDK takes 0.1 s or more to load.
        const { AiSdkChat } = await import('./ai-sdk-chat.ts');
        return new AiSdkChat({
          url,
          model,
          apiKey: settings.llmApiKey,
          outputTokens,
          sendsSchema: settings.llmJsonSchema,
          timeoutMs: settings.llmTimeoutMs,
        });
      },
    },
  );
}
