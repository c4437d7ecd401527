import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { readDataSet } from '../../bench/locomo/data-set.ts';
import { linesOf, toContent } from '../../bench/locomo/import-conversation.ts';
import { measure } from '../../bench/locomo/measure.ts';

const set = readDataSet(new URL('../fixtures/locomo-small.json', import.meta.url).pathname);
const keys = ['key-a', 'key-b'];

interface Stored {
  id: string;
  conversationId: string;
  content: string;
  eventTime: string;
}

type Rank = (stored: readonly Stored[], query: string) => Stored[];

/** A service that keeps what it is sent, by key, and ranks as the test says. */
class FakeService {
  readonly memories = new Map<string, Stored[]>();
  readonly searches: Record<string, unknown>[] = [];
  readonly #rank: Rank;
  #server: Server | undefined;
  #ids = 0;

  constructor(rank: Rank) {
    this.#rank = rank;
  }

  async start(): Promise<string> {
    const server = createServer(async (request, response) => {
      const answer = this.#response(
        request.url ?? '',
        request.headers.authorization ?? '',
        await read(request),
      );
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer.body));
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return `http://127.0.0.1:${address.port}`;
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  #response(path: string, key: string, body: Record<string, unknown>): { status: number; body: unknown } {
    const own = this.memories.get(key) ?? [];
    this.memories.set(key, own);
    this.#ids += 1;
    if (path === '/api/system/context/status') return { status: 200, body: { data: { jobs: [] } } };
    if (path === '/api/conversations') return { status: 201, body: { data: { id: `conv_${this.#ids}` } } };
    if (path === '/api/memories') {
      const memory = { ...(body as unknown as Stored), id: `memory-${this.#ids}` };
      own.push(memory);
      return { status: 201, body: { data: memory } };
    }
    this.searches.push(body);
    const data = this.#rank(own, String(body.query)).slice(0, Number(body.limit));
    return { status: 200, body: { data, meta: { searchMethod: 'keyword' } } };
  }
}

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** Knows every answer: puts exactly the evidence first. */
const clairvoyant: Rank = (stored, query) => {
  const expected = set.conversations.flatMap((conversation) => {
    const question = conversation.questions.find((one) => one.question === query);
    const turns = conversation.sessions.flatMap((session) => session.turns);
    return turns.filter((turn) => question?.evidence.includes(turn.id)).map(toContent);
  });
  return stored.filter(({ content }) => expected.includes(content));
};

describe('the LoCoMo benchmark', () => {
  let fake: FakeService;
  const start = (rank: Rank) => {
    fake = new FakeService(rank);
    return fake.start();
  };
  afterEach(() => fake.stop());

  it('the LoCoMo benchmark gives 1 everywhere to a service that knows the evidence', async () => {
    const measured = await measure(set, await start(clairvoyant), keys, { method: 'keyword' });
    for (const scores of Object.values(measured.scores))
      expect(scores).toMatchObject({ recall5: 1, recall10: 1, recall20: 1, mrr: 1 });
    const asked = set.conversations.reduce((sum, { questions }) => sum + questions.length, 0);
    expect(measured.scores.all?.questions).toBe(asked);
    expect(measured.methods).toEqual(['keyword']);
  });

  it('the LoCoMo benchmark halves MRR and loses no recall when one wrong turn stands first', async () => {
    const late: Rank = (stored, query) => {
      const right = clairvoyant(stored, query);
      const wrong = stored.filter((memory) => !right.includes(memory)).slice(0, 1);
      return [...wrong, ...right];
    };
    const measured = await measure(set, await start(late), keys, { method: 'keyword' });
    expect(measured.scores.all).toMatchObject({ recall5: 1, mrr: 0.5 });
  });

  it('the LoCoMo benchmark stores every turn in its order, each session a conversation, each set a user', async () => {
    const measured = await measure(set, await start(clairvoyant), keys, { method: 'keyword' });
    expect([...fake.memories.keys()].sort()).toEqual(['Bearer key-a', 'Bearer key-b']);
    for (const [index, conversation] of set.conversations.entries()) {
      const stored = fake.memories.get(`Bearer ${keys[index]}`) ?? [];
      const turns = conversation.sessions.flatMap((session) => session.turns);
      expect(stored.map(({ content }) => content)).toEqual(turns.map(toContent));
      expect(new Set(stored.map(({ conversationId }) => conversationId)).size).toBe(
        conversation.sessions.length,
      );
      expect(stored[0]?.eventTime).toBe(conversation.sessions[0]?.startedAt);
    }
    expect(measured.memories).toBe([...fake.memories.values()].flat().length);
  });

  it('the LoCoMo benchmark asks with threshold 0 and limit 20, and with context only when asked to', async () => {
    const url = await start(clairvoyant);
    await measure(set, url, keys, { method: 'hybrid' });
    const plain = { searchMethod: 'hybrid', threshold: 0, limit: 20 };
    expect(fake.searches.every((body) => !('context' in body))).toBe(true);
    expect(fake.searches[0]).toMatchObject(plain);
    fake.stop();
    await measure(set, await start(clairvoyant), keys, { method: 'hybrid', context: false });
    expect(fake.searches[0]).toMatchObject({ ...plain, context: false });
  });

  it('the LoCoMo benchmark refuses a hollow run', async () => {
    const url = await start(() => []);
    await expect(measure(set, url, keys, { method: 'keyword' })).rejects.toThrow('no evidence was found');
    await expect(measure(set, url, ['key-a'], { method: 'keyword' })).rejects.toThrow('2 keys are needed');
  });

  it('a LoCoMo file becomes lines of an import: sessions are conversations, turns memories at its time', () => {
    const lines = set.conversations
      .flatMap(linesOf)
      .map((line) => JSON.parse(line) as Record<string, string>);
    expect(lines).toHaveLength(118);
    expect(lines.find(({ content }) => content?.endsWith('on a wooden shelf]'))).toMatchObject({
      conversation: expect.stringMatching(/^small-[12], session \d+$/),
      role: 'user',
      eventTime: '2024-03-16T10:05:00.000Z',
    });
  });

  it('the LoCoMo benchmark writes a shared picture after the words', () => {
    const turn = { id: 'D1:1', speaker: 'Nadia', text: 'Look!', imageCaption: 'a photo of a bowl' };
    expect(toContent(turn)).toBe('Nadia: Look! [shares a photo of a bowl]');
    expect(toContent({ id: 'D1:2', speaker: 'Tomas', text: 'Nice.' })).toBe('Tomas: Nice.');
  });
});
