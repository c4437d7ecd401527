import { setTimeout as delay } from 'node:timers/promises';
import { client } from '../support/http-client.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { demand } from './proof.ts';
import { newText, wordOf } from './unique-text.ts';

const memoriesEach = 30;
/** Between two requests of one client, as of an agent that thinks. */
const pauseMs = 20;
const askAgainMs = 250;
const triesMax = 100;

export function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  const at = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return Math.round(at * 10) / 10;
}

/** One client a user, each reading, searching and writing in turn. A 503 is asked again, and its wait counts. */
export class HonestClients {
  readonly #url: string;
  readonly #keys: readonly string[];
  readonly #random: Random;
  readonly #words = new Map<string, string[]>();

  constructor(url: string, keys: readonly string[], random: Random) {
    this.#url = url;
    this.#keys = keys;
    this.#random = random;
  }

  async prepare(): Promise<void> {
    const write = async (key: string) => {
      for (let i = 0; i < memoriesEach; i++) await this.#write(key, this.#random);
    };
    await Promise.all(this.#keys.map(write));
  }

  /** @returns the time of each request until its answer, in ms */
  async run(ms: number): Promise<number[]> {
    const times: number[] = [];
    const end = performance.now() + ms;
    const one = async (key: string) => {
      const random = randomFrom(this.#random.int(0, 2 ** 31));
      for (let i = random.int(0, 4); performance.now() < end; i++) {
        const began = performance.now();
        await this.#step(key, i, random);
        times.push(performance.now() - began);
        await delay(pauseMs);
      }
    };
    await Promise.all(this.#keys.map(one));
    return times;
  }

  async #step(key: string, i: number, random: Random): Promise<void> {
    if (i % 5 === 0) return this.#write(key, random);
    if (i % 5 < 3) return this.#ask(key, 'GET', '/api/memories?limit=10');
    const word = random.pick(this.#words.get(key) ?? ['word']);
    return this.#ask(key, 'GET', `/api/memories/search?q=${encodeURIComponent(word)}&limit=5`);
  }

  async #write(key: string, random: Random): Promise<void> {
    const content = newText(random);
    const words = this.#words.get(key) ?? [];
    this.#words.set(key, [...words, wordOf(content)]);
    await this.#ask(key, 'POST', '/api/memories', { content });
  }

  async #ask(key: string, method: string, path: string, body?: unknown): Promise<void> {
    for (let tries = 1; ; tries++) {
      const { status, text } = await client(this.#url, key).send(method, path, { body });
      if (status === 200 || status === 201) return;
      demand(status === 503 && tries < triesMax, `an honest ${method} was answered ${status}`, path, text);
      await delay(askAgainMs);
    }
  }
}
