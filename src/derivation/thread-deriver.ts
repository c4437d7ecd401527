import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { DeriveReply, DeriveRequest, TextDeriver } from './text-deriver.ts';
import type { TextReader } from './text-reader.ts';

const threadFile = fileURLToPath(new URL('derive-thread.js', import.meta.url));
/** After which the thread and its models, some 60 MB, are given up. */
const idleMs = 60_000;

/** Derives on one thread of its own, begun with the first text. */
export class ThreadDeriver implements TextDeriver {
  #pool: Piscina<DeriveRequest, DeriveReply> | undefined;

  derive(request: DeriveRequest): Promise<DeriveReply> {
    this.#pool ??= new Piscina({
      filename: threadFile,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
    });
    return this.#pool.run(request);
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = undefined;
  }
}

/** Derives on the caller's thread, one request after another. */
export class DirectDeriver implements TextDeriver {
  readonly #load: () => Promise<TextReader>;
  #reader: Promise<TextReader> | undefined;

  constructor(load: () => Promise<TextReader>) {
    this.#load = load;
  }

  async derive(request: DeriveRequest): Promise<DeriveReply> {
    this.#reader ??= this.#load();
    return (await this.#reader).derive(request);
  }

  /** The models stay for whoever uses it next. */
  async close(): Promise<void> {}
}

let direct: DirectDeriver | undefined;

/** The compiled program derives on a thread. Run from its source, as tests do, there is no file for one. */
export function textDeriver(): TextDeriver {
  if (existsSync(threadFile)) return new ThreadDeriver();
  // One for the whole process, for tests make many services.
  direct ??= new DirectDeriver(async () => (await import('./load-text-reader.ts')).loadTextReader());
  return direct;
}
