import type { TokenCounter } from '../domain/derivation/llm-server.ts';
import type { Clock } from '../lib/clock.ts';
import { DailyBudget } from './daily-budget.ts';
import { Proposer } from './proposer.ts';

/** As the configuration names them. */
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

/** The proposer that the settings name; asks and loads nothing yet. Undefined where no LLM is configured. */
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
        // The SDK takes a tenth of a second and more to load, which nobody pays who has no LLM.
        const { AiSdkChat } = await import('./server/ai-sdk-chat.ts');
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
