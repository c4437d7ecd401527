import { isIP, isIPv4 } from 'node:net';
import { embedderSettings, llmSettings } from './model-settings.ts';
import { choice, flag, publicOrigin, type Setting, share, whole } from './setting-kinds.ts';

interface Item {
  readonly rule: string;
  is(text: string): boolean;
}

function list(item: Item, description: string): Setting<readonly string[]> {
  return {
    defaultText: '',
    kind: 'list, separated by commas',
    description,
    read(text) {
      const items = text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
      const wrong = items.find((part) => !item.is(part));
      if (wrong === undefined) return items;
      throw new Error(`must be a list of ${item.rule}; ${JSON.stringify(wrong)} is none`);
    },
  };
}

const origin: Item = {
  rule: 'origins such as https://app.example.com, or *',
  is: (text) => text === '*' || /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/i.test(text),
};

const namedNetworks = ['loopback', 'linklocal', 'uniquelocal'];

const network: Item = {
  rule: `IP addresses, networks such as 10.0.0.0/8, ${namedNetworks.join(', ')}`,
  is(text) {
    if (namedNetworks.includes(text)) return true;
    const [address, bits, ...rest] = text.split('/');
    if (isIP(address) === 0 || rest.length > 0) return false;
    const bitsMax = isIPv4(address) ? 32 : 128;
    return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= bitsMax);
  },
};

const dataDir: Setting<string> = {
  defaultText: '',
  defaultNote:
    '`./data` in a clone of the repository; of an installed package `$XDG_DATA_HOME/memoryd` or `~/.local/share/memoryd`, on macOS `~/Library/Application Support/memoryd`, on Windows `%LOCALAPPDATA%\\memoryd`',
  kind: 'path of a folder',
  description: 'Folder of the SQLite store and of `first-key`; made where it is not there.',
  read(text) {
    if (text.startsWith('~')) throw new Error('must be a path; ~ is not expanded: write the home folder out');
    return text;
  },
};

const databaseUrl: Setting<string> = {
  defaultText: '',
  defaultNote: '`memoryd.db` in `MEMORYD_DATA_DIR`',
  kind: '`sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`',
  description: 'The store: an SQLite file or a PostgreSQL database.',
  secret: true,
  read(text) {
    if (text === '') return text;
    if (/^sqlite:.+/.test(text)) return text;
    if (/^postgres(ql)?:\/\/.+/.test(text) && URL.canParse(text)) return text;
    throw new Error('must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE');
  },
};

const firstKey: Setting<string | undefined> = {
  defaultText: '',
  kind: '`PREFIX.SECRET`',
  description:
    'The first API key, for an empty store (one that has users ignores it, and says so in the log): everything before the first dot is its public part, at least 16 characters after it are its secret. Without it the first start makes one and writes it to `first-key`, next to the SQLite file or in `MEMORYD_DATA_DIR`; it is printed on a terminal only.',
  secret: true,
  read(text) {
    if (text === '') return undefined;
    if (/^[\w-]{4,64}\.[^\s.]{16,200}$/.test(text)) return text;
    throw new Error(
      'must be PREFIX.SECRET: 4 to 64 letters, digits, _ or -, a dot, and a secret of 16 to 200 characters',
    );
  },
};

const host: Setting<string> = {
  defaultText: '127.0.0.1',
  kind: 'address or host name',
  description: 'Address to listen on; 0.0.0.0 for all.',
  read(text) {
    if (/^[A-Za-z0-9.:_-]+$/.test(text)) return text;
    throw new Error('must be an address or a host name');
  },
};

/** Every setting; the variable is `MEMORYD_` and the name in upper case with underscores. */
export const settings = {
  host,
  port: whole(3000, 0, 65_535, 'Port to listen on; 0 takes any free one.'),
  dataDir,
  databaseUrl,
  databaseConnections: whole(
    10,
    1,
    500,
    'Maximum connections to PostgreSQL per process, which has up to four more for locks and notices.',
  ),
  databaseStatements: choice(
    ['auto', 'named', 'unnamed'],
    'Whether statements to PostgreSQL have names, by which it plans each once for a connection; auto: unless a pooler is between or the tables are split into partitions. A pooler in transaction mode must know of them: PgBouncer from 1.21 with `max_prepared_statements`.',
  ),
  apiKey: firstKey,
  logLevel: choice(
    ['info', 'debug', 'warn', 'error', 'silent'],
    'Lowest level that is logged, as JSON lines on standard output.',
  ),
  bodyBytesMax: whole(1_048_576, 1024, 104_857_600, 'Largest request body in bytes.'),
  corsOrigins: list(origin, 'CORS: origins that browsers may call from; empty: none, `*`: all.'),
  trustedProxies: list(
    network,
    'Addresses or networks of reverse proxies whose X-Forwarded-For header is trusted.',
  ),
  publicUrl: publicOrigin(
    'The address at which clients on the Internet reach this service. It turns on OAuth for /mcp, which claude.ai and ChatGPT need; see [connect.md](connect.md#oauth-for-claudeai-and-chatgpt). Empty: off.',
  ),
  feedbackRanking: flag(
    true,
    'Whether search feedback changes the order of near-equal results; see [search.md](search.md#search-feedback-which-result-was-used).',
  ),
  webhooksPrivate: flag(
    false,
    'Whether webhooks may lead to this machine, to private networks and to addresses without TLS; see [webhooks.md](webhooks.md).',
  ),
  ui: flag(true, 'Whether the explorer is served at /ui/; see [explorer.md](explorer.md).'),
  relevanceFloor: share(
    0.08,
    'Minimum relevance of what digests, contexts, answers from the graph and searches for facts and topics use; below it nothing is known. See [search.md](search.md#one-floor-for-nothing-is-known).',
  ),
  metricsPublic: flag(false, 'Whether /metrics may be read from addresses other than this machine.'),
  connectionTimeoutMs: whole(60_000, 1000, 3_600_000, 'An idle connection is closed after this time.'),
  headersTimeoutMs: whole(15_000, 1000, 3_600_000, 'Time a client has to send the headers of a request.'),
  requestTimeoutMs: whole(30_000, 1000, 3_600_000, 'Time a client has to send a whole request.'),
  handlerTimeoutMs: whole(30_000, 100, 3_600_000, 'Deadline of a request, after which it gets 503.'),
  shutdownTimeoutMs: whole(
    10_000,
    100,
    600_000,
    'Time that requests in flight have to finish when the service stops.',
  ),
  requestsInFlightMax: whole(1000, 1, 100_000, 'Maximum concurrent requests with a valid key; more get 503.'),
  requestsInFlightPerUserMax: whole(250, 1, 100_000, 'Maximum concurrent requests per user; more get 503.'),
  unreadResponsesMb: whole(
    256,
    1,
    65_536,
    'Maximum MiB of responses that clients have not read yet, in total; beyond it, the client with the most unread is disconnected.',
  ),
  unreadResponsesPerUserMb: whole(
    64,
    1,
    65_536,
    'Maximum MiB of responses that one user has not read yet; beyond it, requests of that user get 503.',
  ),
  responseTimeoutMs: whole(
    30_000,
    1000,
    3_600_000,
    'A client that reads nothing of its response for this long is disconnected.',
  ),
  memoryMaxMb: whole(
    0,
    0,
    16_777_216,
    'Resident memory of the process in MiB beyond which requests get 503; 0: 80 % of the memory of the machine or container.',
  ),
  eventLoopDelayMaxMs: whole(1500, 50, 60_000, 'Event loop lag beyond which requests get 503.'),
  mcpBodyBytesMax: whole(524_288, 1024, 104_857_600, 'Largest body of a request to /mcp in bytes.'),
  ...embedderSettings,
  ...llmSettings,
  derive: flag(
    true,
    'Whether entities, facts, topics and relationships are derived from memories in the background. See [derivation.md](derivation.md).',
  ),
  trashDays: whole(
    30,
    0,
    36_500,
    'Retention of the trash in days: how long deleted records can be restored; 0 erases them in the request that deletes them.',
  ),
  warmUpTimeoutMs: whole(
    2000,
    0,
    60_000,
    'Where there are 10,000 memories or more: time that a start waits until the search indexes of the users who were active last are in memory; what is not read by then is read while requests are served. 0: nothing is read before a search asks for it.',
  ),
  indexCacheMb: whole(256, 1, 65_536, 'Memory for the search indexes of the users who searched last.'),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settings;

/** Values of all settings, frozen. */
export type Config = { readonly [N in SettingName]: ReturnType<(typeof settings)[N]['read']> };

export function variableOf(name: string): string {
  return `MEMORYD_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
