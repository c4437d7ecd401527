import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  extractJsonMiddleware,
  generateText,
  jsonSchema,
  type LanguageModel,
  type LanguageModelMiddleware,
  Output,
  wrapLanguageModel,
} from 'ai';
import type { ChatRequest, ChatResponse } from '../chat.ts';
import { assertDepth, boundedFetch } from './bounded-fetch.ts';
import { toLlmError } from './to-llm-error.ts';

/** How an OpenAI-compatible server is asked. */
export interface ServerOptions {
  /** Up to `/v1`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  /** 0: requests name no maximum. */
  readonly outputTokens: number;
  /** Whether requests carry the schema; where not, the instructions do. */
  readonly sendsSchema: boolean;
  readonly timeoutMs: number;
}

/** The JSON of an answer is a text in the JSON of the response. */
const boundedDepth: LanguageModelMiddleware = {
  specificationVersion: 'v3',
  wrapGenerate: async ({ doGenerate }) => {
    const generated = await doGenerate();
    for (const part of generated.content) if (part.type === 'text') assertDepth(part.text);
    return generated;
  },
};

/** Loaded with the first question, for the SDK takes a while to load. */
export class AiSdkChat {
  readonly #options: ServerOptions;
  readonly #model: LanguageModel;

  constructor(options: ServerOptions) {
    this.#options = options;
    // Warnings would be printed between the lines of the log; what they would say here is a setting (`sendsSchema`).
    globalThis.AI_SDK_LOG_WARNINGS = false;
    const { url, apiKey, model, sendsSchema } = options;
    const server = createOpenAICompatible({
      name: 'llm',
      baseURL: url,
      apiKey,
      supportsStructuredOutputs: sendsSchema,
      fetch: boundedFetch,
    });
    // Many models put their JSON in a code block.
    this.#model = wrapLanguageModel({
      model: server(model),
      middleware: [extractJsonMiddleware(), boundedDepth],
    });
  }

  /** @throws LlmError */
  async ask({ instructions, data, schema }: ChatRequest, closing: AbortSignal): Promise<ChatResponse> {
    const { outputTokens, sendsSchema, timeoutMs } = this.#options;
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const { output, totalUsage } = await generateText({
        model: this.#model,
        system: sendsSchema ? instructions : `${instructions}\nSchema: ${JSON.stringify(schema)}`,
        // JSON has no way to end early: a text cannot get out of its string.
        prompt: JSON.stringify(data),
        output: Output.object({ schema: jsonSchema<unknown>(schema), name: 'proposals' }),
        maxRetries: 0,
        abortSignal: AbortSignal.any([limit, closing]),
        ...(outputTokens > 0 && { maxOutputTokens: outputTokens }),
      });
      return { value: output, tokens: totalUsage.totalTokens };
    } catch (error) {
      throw toLlmError(error, { isLate: limit.aborted, timeoutMs });
    }
  }
}
