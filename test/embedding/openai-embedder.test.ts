import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbedderHealth, EmbeddingError } from '../../src/domain/embedding/embedder.ts';
import { dot } from '../../src/domain/embedding/similarity.ts';
import {
  OpenAiEmbedder,
  type OpenAiOptions,
  type Timing,
} from '../../src/embedding/openai/openai-embedder.ts';
import { type EmbeddingServer, fakeVector, startEmbeddingServer } from '../support/embedding-server.ts';
import { poll } from '../support/poll.ts';

const dimension = 384;
const neverProbe = { first: 3_600_000, most: 3_600_000 };

/** A clock that moves only when somebody rests. */
class FakeTiming implements Timing {
  readonly rests: number[] = [];
  readonly probe;
  #now = 1_800_000_000_000;

  constructor(probe = neverProbe) {
    this.probe = probe;
  }

  readonly now = () => this.#now;
  readonly rest = async (ms: number) => {
    this.rests.push(ms);
    this.#now += ms;
  };
}

describe('the embedder of a server', () => {
  let server: EmbeddingServer;
  let open: OpenAiEmbedder[];
  beforeEach(async () => {
    server = await startEmbeddingServer({ dimension });
    open = [];
  });
  afterEach(async () => {
    for (const embedder of open) embedder.close();
    await server.close();
  });

  const embedderWith = (more: Partial<OpenAiOptions> = {}, timing: Timing = new FakeTiming()) => {
    const embedder = new OpenAiEmbedder(
      {
        url: `${server.url}/embeddings`,
        model: 'stand-in',
        apiKey: undefined,
        dimension,
        sendsDimension: false,
        prefixes: { query: '', document: '' },
        longestInput: 8000,
        batchSize: 32,
        concurrency: 2,
        timeoutMs: 5000,
        queryTimeoutMs: 5000,
        ...more,
      },
      timing,
    );
    open.push(embedder);
    return embedder;
  };
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => expect.fail('it did not fail'),
      (error: unknown) => {
        expect(error).toBeInstanceOf(EmbeddingError);
        return error as EmbeddingError;
      },
    );

  it('the embedder of a server gives unit vectors in the order of the texts, however the server orders them', async () => {
    server.always({ kind: 'reversed' });
    const texts = ['a red car', 'tea with milk', 'the harbour at night'];
    const vectors = await embedderWith().embed(texts, 'document');
    vectors.forEach((vector, i) => {
      expect(dot(vector, vector)).toBeCloseTo(1, 5);
      const given = fakeVector(texts[i], dimension);
      expect(dot(vector, given) / Math.sqrt(dot(given, given))).toBeCloseTo(1, 5);
    });
  });

  it('the embedder of a server sends model, key, prefixes and, if it is set, the dimension; it cuts long texts between characters', async () => {
    const embedder = embedderWith({
      apiKey: 'sk-secret',
      sendsDimension: true,
      longestInput: 5,
      prefixes: { query: 'q: ', document: 'd: ' },
    });
    await embedder.embed(['abcd\u{1F600}', 'abc'], 'document');
    await embedder.embed(['who'], 'query');
    expect(server.requests).toEqual([
      {
        model: 'stand-in',
        input: ['d: abcd', 'd: abc'],
        dimensions: dimension,
        encoding_format: 'float',
        authorization: 'Bearer sk-secret',
      },
      expect.objectContaining({ input: ['q: who'] }),
    ]);
  });

  it('the embedder of a server sends no blank texts: they are similar to nothing', async () => {
    const [blank, said] = await embedderWith().embed([' \n', 'word'], 'document');
    expect(server.requests.map(({ input }) => input)).toEqual([['word']]);
    expect(blank.every((number) => number === 0)).toBe(true);
    expect(dot(said, said)).toBeCloseTo(1, 5);
  });

  it('the embedder of a server sends batches, so many at once', async () => {
    const texts = Array.from({ length: 50 }, (_, i) => `number ${i}`);
    const vectors = await embedderWith({ batchSize: 4, concurrency: 3 }).embed(texts, 'document');
    expect(server.requests.map(({ input }) => input.length)).toEqual([...new Array(12).fill(4), 2]);
    expect(server.mostAtOnce).toBeLessThanOrEqual(3);
    expect(vectors).toHaveLength(50);
  });

  it('the embedder of a server tries again after a failure of the server, later each time', async () => {
    const timing = new FakeTiming();
    server.next({ kind: 'status', status: 500 }, { kind: 'drops' });
    await embedderWith({}, timing).embed(['word'], 'document');
    expect(server.requests).toHaveLength(3);
    const [first, second] = timing.rests;
    expect(first).toBeGreaterThanOrEqual(125);
    expect(first).toBeLessThanOrEqual(250);
    expect(second).toBeGreaterThanOrEqual(250);
    expect(second).toBeLessThanOrEqual(500);
  });

  it('the embedder of a server waits as long as Retry-After says, for all its requests', async () => {
    const timing = new FakeTiming();
    const embedder = embedderWith({}, timing);
    server.next({ kind: 'status', status: 429, retryAfter: '7' });
    await embedder.embed(['word'], 'document');
    expect(timing.rests).toEqual([7000]);
    server.next({ kind: 'status', status: 503, retryAfter: '3600' });
    expect((await failure(embedder.embed(['word'], 'document'))).isLasting).toBe(false);
    const asked = server.requests.length;
    const error = await failure(embedder.embed(['word'], 'query'));
    expect(error.message).toBe('the server asks to be left alone for a while');
    expect(server.requests).toHaveLength(asked);
    await timing.rest(60_000);
    await embedder.embed(['word'], 'query');
  });

  it('the embedder of a server refuses every response that is not what was asked for, and says why', async () => {
    for (const [kind, message] of [
      ['lacksOne', 'the server gave 1 vectors for 2 texts'],
      ['wrongDimension', 'the server gave vectors of 385 numbers instead of 384'],
      ['nan', 'the server gave a vector that does not consist of finite numbers'],
      ['brokenJson', 'the answer of the server is no JSON'],
      ['huge', 'the answer of the server is longer than 102400 bytes'],
    ] as const) {
      const embedder = embedderWith();
      server.always({ kind });
      const error = await failure(embedder.embed(['one', 'two'], 'query'));
      expect([kind, error.message, error.isLasting]).toEqual([kind, message, false]);
    }
  });

  it('the embedder of a server counts what a working server refuses as the fault of the text', async () => {
    const embedder = embedderWith();
    await embedder.embed(['word'], 'document');
    for (const refusal of [{ kind: 'status', status: 400 }, { kind: 'nan' }] as const) {
      server.always(refusal);
      expect((await failure(embedder.embed(['word'], 'document'))).isLasting).toBe(true);
    }
    expect(embedder.health.state).toBe('ok');
  });

  it('the embedder of a server gives up a server that hangs, at its deadline', async () => {
    server.always({ kind: 'hangs' });
    const error = await failure(embedderWith({ queryTimeoutMs: 50 }, realTime()).embed(['word'], 'query'));
    expect([error.failure, error.isLasting]).toEqual(['timeout', false]);
  });

  it('the embedder of a server leaves a server alone that fails again and again, and comes back to it by itself', async () => {
    const states: EmbedderHealth[] = [];
    const embedder = embedderWith({}, realTime({ first: 1, most: 5 }));
    server.always({
      kind: 'status',
      status: 401,
      body: '{"error": {"code": "invalid_api_key", "message": "sk-1"}}',
    });
    embedder.watch({ changed: (health) => states.push(health), requested: () => undefined });
    await reached(embedder, 'open');
    const error = await failure(embedder.embed(['word'], 'query'));
    expect(error.message).toBe(
      'the server is left alone for a while: the server answers 401 (invalid_api_key)',
    );
    server.always({ kind: 'answers' });
    await reached(embedder, 'ok');
    await embedder.embed(['word'], 'query');
    expect(states.map(({ state }) => state)).toEqual(['failing', 'open', 'ok']);
    expect(JSON.stringify(states)).not.toContain('sk-1');
  });

  it('the embedder of a server does not mistake a server that refuses everything for one that refuses a text', async () => {
    const embedder = embedderWith({}, realTime({ first: 1, most: 5 }));
    server.always({ kind: 'status', status: 400 });
    expect((await failure(embedder.embed(['word'], 'document'))).isLasting).toBe(false);
    await reached(embedder, 'open');
  });

  it('the embedder of a server names another space for another prefix, limit or model, not for another server', () => {
    const spaceOf = (more: Partial<OpenAiOptions>) => embedderWith(more).space;
    const plain = spaceOf({});
    expect(spaceOf({ url: 'http://127.0.0.1:1/v1/embeddings', batchSize: 1 })).toEqual(plain);
    expect(spaceOf({ prefixes: { query: 'q: ', document: '' } })).toEqual(plain);
    expect(spaceOf({ prefixes: { query: '', document: 'd: ' } })).not.toEqual(plain);
    expect(spaceOf({ longestInput: 100 })).not.toEqual(plain);
  });
});

function realTime(probe = neverProbe): Timing {
  return {
    now: () => Date.now(),
    rest: (ms) => new Promise((done) => setTimeout(done, Math.min(ms, 5))),
    probe,
  };
}

async function reached(embedder: OpenAiEmbedder, state: EmbedderHealth['state']): Promise<void> {
  await poll(`the server is ${state}`, async () => (embedder.health.state === state ? state : undefined));
}
