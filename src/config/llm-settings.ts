import { serverKey, serverUrl, text } from './server-setting-kinds.ts';
import { choice, flag, type Setting, whole } from './setting-kinds.ts';

/** The optional LLM, which proposes what derivation may have missed. */
export const llmSettings = {
  llm: choice(
    ['none', 'openai'],
    'Whether an LLM proposes entities, facts and relationships that the rules missed: `none`, or `openai`, any server with an OpenAI-compatible `/v1/chat/completions`. The texts of memories are sent to that server. See [llm.md](llm.md).',
  ),
  llmUrl: serverUrl(
    'With `openai`: base URL of the server, up to `/v1`, such as `http://localhost:11434/v1` (Ollama).',
  ),
  llmModel: text('With `openai`: name of the model on that server.'),
  llmApiKey: serverKey(
    'With `openai`: API key, where the server needs one. It is sent to that server only and never stored or logged.',
  ),
  llmTokensPerDay: whole(
    200_000,
    1000,
    2_000_000_000,
    'Tokens that may be used in a day (UTC), of all users and processes of the store together; what is left over then waits for the next day.',
  ),
  llmInputMax: whole(
    8000,
    500,
    20_000,
    'Characters of a memory that are sent; what is beyond is not. Four characters are about one token.',
  ),
  llmOutputTokens: whole(
    2000,
    0,
    100_000,
    'Maximum tokens of one response; 0 sends no maximum, for servers that refuse `max_tokens`.',
  ),
  llmJsonSchema: flag(
    true,
    'Whether requests carry the JSON schema of the response; `false` for servers that know `json_object` only.',
  ),
  llmConcurrency: whole(2, 1, 16, 'Maximum concurrent requests.'),
  llmTimeoutMs: whole(30_000, 100, 600_000, 'Timeout of a request.'),
} as const satisfies Record<string, Setting<unknown>>;

/** Settings that `MEMORYD_LLM=openai` requires. */
export const neededForLlm = ['llmUrl', 'llmModel'] as const;
