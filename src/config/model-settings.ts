import { choice, flag, optional, type Setting, serverKey, serverUrl, text, whole } from './setting-kinds.ts';

/** The configured embedder. */
export const embedderSettings = {
  embedder: choice(
    ['bundled', 'static', 'onnx', 'openai', 'none'],
    'The embedding model of semantic search: `bundled`, both models that come with memoryd (English first, offline), `static`, of these the table of word vectors alone, `onnx`, an encoder that runs in the process (offline), `openai`, any server with an OpenAI-compatible `/v1/embeddings`, or `none`. See [embeddings.md](embeddings.md).',
  ),
  embedderFolder: text(
    'With `onnx`: folder of a sentence-transformers export (`model.onnx`, `tokenizer.json`, `config.json`); empty: the bundled encoder, all-MiniLM-L6-v2.',
  ),
  embedderUrl: serverUrl(
    'With `openai`: base URL of the server, up to `/v1`, such as `http://localhost:11434/v1` (Ollama) or `https://api.openai.com/v1`.',
  ),
  embedderModel: text('With `openai`: name of the model on that server.'),
  embedderApiKey: serverKey(
    'With `openai`: API key, where the server needs one. It is sent to that server only and never stored or logged.',
  ),
  embedderDimensions: optional(whole(1, 1, 8192, 'With `openai`: dimensions of the vectors of this model.')),
  embedderSendDimensions: flag(
    false,
    'Whether requests ask for vectors of that many dimensions, for models that can shorten theirs.',
  ),
  embedderQueryPrefix: text(
    'Prefix that the model expects before a query, such as `search_query: `; in quotes in `.env`.',
  ),
  embedderDocumentPrefix: text('Prefix that the model expects before a stored text.'),
  embedderInputMax: whole(
    8000,
    100,
    1_000_000,
    'Maximum characters of one input; longer texts are split. Four characters are about one token.',
  ),
  embedderBatchSize: whole(32, 1, 2048, 'Maximum texts per request.'),
  embedderConcurrency: whole(
    2,
    1,
    64,
    'Maximum concurrent requests for stored texts, and as many again for queries.',
  ),
  embedderTimeoutMs: whole(30_000, 100, 600_000, 'Timeout of a request for stored texts.'),
  embedderQueryTimeoutMs: whole(
    1500,
    50,
    60_000,
    'Time a search waits for the vector of its query; after that it falls back to keyword search, marked as degraded.',
  ),
  encoderTimeoutMs: whole(
    250,
    1,
    60_000,
    'With `bundled`: time a search waits for the encoder, once that is loaded; after that the static model answers, marked as degraded.',
  ),
} as const satisfies Record<string, Setting<unknown>>;

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

/** Settings that the value `openai` of `MEMORYD_EMBEDDER` or `MEMORYD_LLM` requires. */
export const neededWithOpenai = {
  embedder: ['embedderUrl', 'embedderModel', 'embedderDimensions'],
  llm: ['llmUrl', 'llmModel'],
} as const;
