import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  extractJsonMiddleware,
  generateText,
  InvalidResponseDataError,
  jsonSchema,
  type LanguageModel,
  type LanguageModelMiddleware,
  NoObjectGeneratedError,
  NoOutputGeneratedError,
  Output,
  wrapLanguageModel,
} from 'ai';
import { isTooDeep, jsonDepthRule } from '../lib/json-depth.ts';
import { LlmError } from './llm-error.ts';
import type { ChatRequest, ChatResponse } from './requests.ts';

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

/** Proposals for a text are far shorter. */
const bytesMax = 2_000_000;

/** @throws LlmError for JSON that is nested too deep */
function assertDepth(json: string): void {
  if (isTooDeep(json)) throw new LlmError('invalid', `the answer of the LLM ${jsonDepthRule}`);
}

/**
 * Follows no redirect, which would send the text elsewhere, and gives up where the response is longer than 2 MB.
 * @throws TypeError as `fetch` does; LlmError for a response that is longer, or nested too deep
 */
const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax)
      throw new LlmError('invalid', `the answer of the LLM is longer than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  assertDepth(body.toString());
  const { status, statusText, headers } = response;
  const isEmpty = status === 204 || status === 304;
  return new Response(isEmpty ? null : body, { status, statusText, headers });
};

/** Statuses that speak of the text sent: it would be refused again. */
const aboutText = [400, 413, 422];

interface Limit {
  readonly isLate: boolean;
  readonly timeoutMs: number;
}

/** Errors of the SDK carry requests and responses, which are texts of users: nothing of them is passed on. */
function toLlmError(error: unknown, { isLate, timeoutMs }: Limit): LlmError {
  if (isLate) return new LlmError('late', `the LLM gave no answer within ${timeoutMs} ms`);
  if (error instanceof LlmError) return error;
  if (NoObjectGeneratedError.isInstance(error)) {
    const why = error.finishReason === 'length' ? 'longer than it may be' : 'not the JSON that was asked for';
    return new LlmError('invalid', `the answer of the LLM is ${why}`, error.usage?.totalTokens);
  }
  if (NoOutputGeneratedError.isInstance(error) || InvalidResponseDataError.isInstance(error))
    return new LlmError('invalid', 'the answer of the LLM is empty');
  if (!APICallError.isInstance(error)) return new LlmError('unavailable', 'the LLM cannot be asked');
  const { statusCode } = error;
  if (statusCode === undefined)
    return new LlmError('unavailable', `the LLM cannot be reached${codeOf(error)}`);
  if (statusCode < 300) return new LlmError('invalid', 'the server answers something else than a chat');
  const failure = aboutText.includes(statusCode) ? 'refused' : 'unavailable';
  return new LlmError(failure, `the server of the LLM answers ${statusCode}`);
}

function codeOf({ cause }: APICallError): string {
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? ` (${code})` : '';
}
