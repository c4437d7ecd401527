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
import { isTooDeep, jsonDepthRule } from '../lib/json.ts';
import { LlmError } from './llm-error.ts';
import type { ChatRequest, ChatResponse } from './requests.ts';

/** An OpenAI-compatible server and the limits of requests to it. */
export interface ServerOptions {
  /** Base URL, up to and including `/v1`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  /** Maximum tokens of a response; 0 sends no maximum. */
  readonly outputTokens: number;
  /** Whether requests have the schema as a parameter; if not, it is part of the instructions. */
  readonly sendsSchema: boolean;
  readonly timeoutMs: number;
}

/** Checks the depth of the model's JSON, which is a string within the JSON of the response. */
const boundedDepth: LanguageModelMiddleware = {
  specificationVersion: 'v3',
  wrapGenerate: async ({ doGenerate }) => {
    const generated = await doGenerate();
    for (const part of generated.content) if (part.type === 'text') assertDepth(part.text);
    return generated;
  },
};

/** Client of the LLM server. Import it lazily, because the SDK takes a while to load. */
export class AiSdkChat {
  readonly #options: ServerOptions;
  readonly #model: LanguageModel;

  constructor(options: ServerOptions) {
    this.#options = options;
    // Warnings of the SDK would break the log; the one expected here is about a setting (`sendsSchema`).
    globalThis.AI_SDK_LOG_WARNINGS = false;
    const { url, apiKey, model, sendsSchema } = options;
    const server = createOpenAICompatible({
      name: 'llm',
      baseURL: url,
      apiKey,
      supportsStructuredOutputs: sendsSchema,
      fetch: boundedFetch,
    });
    // Many models wrap their JSON in a code block.
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
        // Data are sent as JSON, so that a text cannot end its string and pose as instructions.
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

/** Maximum size of a response; proposals for a text are far smaller. */
const bytesMax = 2_000_000;

/** @throws LlmError if the JSON is nested too deeply */
function assertDepth(json: string): void {
  if (isTooDeep(json)) throw new LlmError('invalid', `the answer of the LLM ${jsonDepthRule}`);
}

/**
 * `fetch` that refuses redirects, which would send the text to another server, and responses over 2 MB.
 * @throws TypeError as `fetch` does; LlmError if the response is too long or nested too deeply
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

/** Statuses caused by the text itself: the server would refuse it again. */
const aboutText = [400, 413, 422];

interface Limit {
  readonly isLate: boolean;
  readonly timeoutMs: number;
}

/** Converts an error without its message, because errors of the SDK contain the texts of users. */
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
