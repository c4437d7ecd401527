import { choice, flag, type Setting, whole } from './setting-kinds.ts';

const lengthMax = 500;

function text(description: string): Setting<string> {
  return {
    defaultText: '',
    kind: 'text',
    description,
    read(value) {
      if (value.length <= lengthMax) return value;
      throw new Error(`must have at most ${lengthMax} characters`);
    },
  };
}

/** Empty counts as not given. */
function optional<T>(
  setting: Pick<Setting<T>, 'kind' | 'description' | 'secret' | 'read'>,
): Setting<T | undefined> {
  return { ...setting, defaultText: '', read: (value) => (value === '' ? undefined : setting.read(value)) };
}

const url: Setting<string | undefined> = optional({
  kind: 'URL',
  description:
    'With `openai`: where the server is, up to `/v1`, such as `http://localhost:11434/v1` (Ollama) or `https://api.openai.com/v1`.',
  read(value) {
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    const isPlain = parsed && /^https?:$/.test(parsed.protocol) && !/[?#@]/.test(value);
    if (isPlain) return value;
    throw new Error('must be an http or https URL without user, password and query');
  },
});

const apiKey: Setting<string | undefined> = optional({
  kind: 'text',
  description: 'With `openai`: the key, where the server wants one. Sent to that server, written nowhere.',
  secret: true,
  read(value) {
    if (/^[\x21-\x7e]{1,500}$/.test(value)) return value;
    throw new Error('must consist of at most 500 visible ASCII characters');
  },
});

/** What makes vectors. */
export const embedderSettings = {
  embedder: choice(
    ['static', 'openai', 'none'],
    'What finds by meaning: `static`, the model that comes along (English first, offline), `openai`, any server with an OpenAI-compatible `/v1/embeddings`, or `none`. See [embeddings.md](embeddings.md).',
  ),
  embedderUrl: url,
  embedderModel: text('With `openai`: the name of the model as the server knows it.'),
  embedderApiKey: apiKey,
  embedderDimensions: optional(whole(1, 1, 8192, 'With `openai`: numbers of a vector of this model.')),
  embedderSendDimensions: flag(
    false,
    'Whether the server is asked for vectors of that dimension, for models that can be cut.',
  ),
  embedderQueryPrefix: text(
    'What the model wants before a query, such as `search_query: `; in quotes in `.env`.',
  ),
  embedderDocumentPrefix: text('What the model wants before a text that is to be found.'),
  embedderInputMax: whole(
    8000,
    100,
    1_000_000,
    'Characters of a text that are sent as one; four are about one token.',
  ),
  embedderBatchSize: whole(32, 1, 2048, 'Texts a request.'),
  embedderConcurrency: whole(2, 1, 64, 'Requests at once with documents, and as many with queries.'),
  embedderTimeoutMs: whole(30_000, 100, 600_000, 'Time a request with documents may take.'),
  embedderQueryTimeoutMs: whole(
    1500,
    50,
    60_000,
    'Time a search waits for the vector of its query; then it answers by words, labelled degraded.',
  ),
} as const satisfies Record<string, Setting<unknown>>;

const neededForServer = ['embedderUrl', 'embedderModel', 'embedderDimensions'] as const;

/** The settings that a server needs and that are not given. */
export function lackingForServer(
  embedder: string | undefined,
  isGiven: (name: (typeof neededForServer)[number]) => boolean,
): readonly (typeof neededForServer)[number][] {
  return embedder === 'openai' ? neededForServer.filter((name) => !isGiven(name)) : [];
}
