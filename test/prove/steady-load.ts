import { setTimeout as delay } from 'node:timers/promises';
import { type Client, patientClient, type Reply } from '../support/http-client.ts';
import type { Random } from '../support/random.ts';
import type { Quiesced } from './crash-ledger.ts';
import { demand } from './proof.ts';
import { newText, wordOf } from './unique-text.ts';

/** Where requests go at the moment; `starts` rises whenever the server is started again. */
export interface Target {
  readonly url: string;
  readonly key: string;
  readonly starts: number;
  readonly isDown: boolean;
}

export interface Rates {
  readonly searchesPerSecond: number;
  readonly writesPerSecond: number;
}

const inFlightMax = 64;
const askAgainMs = 20;
const methods = ['hybrid', 'semantic', 'keyword'] as const;

/**
 * Searches and writes at a steady rate against a server that is stopped and started during the load. A request that a stop
 * cut off is sent again; anything else that goes wrong is kept as a failure. Every search is for a memory that was
 * acknowledged before, by its own words; hybrid and keyword have to find it.
 */
export class SteadyLoad {
  readonly written: Quiesced[];
  searches = 0;
  writes = 0;
  /** Requests not sent because too many were unanswered. */
  left = 0;
  readonly failures: string[] = [];
  readonly #target: () => Target;
  readonly #random: Random;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #running = new Set<Promise<void>>();

  constructor(target: () => Target, random: Random, written: readonly Quiesced[]) {
    this.#target = target;
    this.#random = random;
    this.written = [...written];
  }

  start({ searchesPerSecond, writesPerSecond }: Rates): void {
    this.#every(searchesPerSecond, () => this.#search());
    this.#every(writesPerSecond, () => this.#write());
  }

  /** As many as are due by the clock: a timer of 5 ms alone comes some 190 times a second. */
  #every(rate: number, work: () => Promise<void>): void {
    const started = performance.now();
    let launched = 0;
    const launchDue = () => {
      for (; launched < ((performance.now() - started) * rate) / 1000; launched += 1) this.#launch(work);
    };
    this.#timers.push(setInterval(launchDue, 1000 / rate));
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#running);
  }

  #launch(work: () => Promise<void>): void {
    if (this.#running.size >= inFlightMax) {
      this.left += 1;
      return;
    }
    const run = work()
      .catch((error: unknown) => void this.failures.push(String(error)))
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  async #search(): Promise<void> {
    const { id, content } = this.#random.pick(this.written);
    const searchMethod = this.#random.pick(methods);
    const query = searchMethod === 'keyword' ? wordOf(content) : content;
    const body = { query, searchMethod, limit: 10 };
    const reply = await this.#whileUp((http) =>
      http.post<{ data: { id: string }[] }>('/api/memories/search', body),
    );
    demand(reply.status === 200, `a search answered ${reply.status}`, reply.text);
    // Until its vectors are made, a memory written a moment ago is found by words only.
    const found = searchMethod === 'semantic' || reply.body.data.some((hit) => hit.id === id);
    demand(found, `a ${searchMethod} search did not find ${id}`, content, reply.text);
    this.searches += 1;
  }

  async #write(): Promise<void> {
    const content = newText(this.#random);
    const reply = await this.#whileUp((http) =>
      http.post<{ data: { id: string } }>('/api/memories', { content, conversationId: 'NEW' }),
    );
    demand(reply.status === 201, `a create answered ${reply.status}`, reply.text);
    this.written.push({ id: reply.body.data.id, content });
    this.writes += 1;
  }

  /** Sent again when a stop of the server came between. */
  async #whileUp<T>(send: (http: Client) => Promise<Reply<T>>): Promise<Reply<T>> {
    for (;;) {
      const before = this.#target();
      try {
        const reply = await send(patientClient(before.url, before.key));
        if (!isStopping(reply)) return reply;
        await delay(askAgainMs);
      } catch (error) {
        const now = this.#target();
        if (!now.isDown && now.starts === before.starts) throw error;
        while (this.#target().isDown) await delay(askAgainMs);
      }
    }
  }
}

/** What a server answers that was told to stop, and has not begun the request. */
function isStopping({ status, body }: Reply<unknown>): boolean {
  return status === 503 && (body as { code?: string }).code === 'SERVER_STOPPING';
}
