import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { TextReaders } from './load-text-reader.ts';
import type { AliasRequest, AliasVerdict, DeriveReply, DeriveRequest, TextDeriver } from './text-deriver.ts';
import type { ComparedText, RelateReply, RelateRequest, TextRelater } from './text-relater.ts';

const threadFile = fileURLToPath(new URL('derive-thread.js', import.meta.url));
/** After which the thread, its models (60 MB) and what it remembers of texts (60 MB at most) are given up. */
const idleMs = 60_000;

/** Derives on one thread of its own, begun with the first text. */
export class ThreadDeriver implements TextDeriver, TextRelater {
  #pool: Piscina | undefined;

  derive(request: DeriveRequest): Promise<DeriveReply> {
    return this.#run('derive', request);
  }

  judge(request: AliasRequest): Promise<readonly (readonly AliasVerdict[])[]> {
    return this.#run('judge', request);
  }

  relate(request: RelateRequest): Promise<RelateReply> {
    return this.#run('relate', request);
  }

  identifiersOf(texts: readonly ComparedText[]): Promise<readonly (readonly string[])[]> {
    return this.#run('identifiersOf', texts);
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = undefined;
  }

  /** @param name of a function that the file of the thread exports */
  #run<R>(name: 'derive' | 'judge' | 'relate' | 'identifiersOf', request: unknown): Promise<R> {
    this.#pool ??= new Piscina({
      filename: threadFile,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
    });
    return this.#pool.run(request, { name }) as Promise<R>;
  }
}

/** Derives on the caller's thread, one request after another. */
export class DirectDeriver implements TextDeriver, TextRelater {
  readonly #load: () => Promise<TextReaders>;
  #readers: Promise<TextReaders> | undefined;

  constructor(load: () => Promise<TextReaders>) {
    this.#load = load;
  }

  async derive(request: DeriveRequest): Promise<DeriveReply> {
    return (await this.#loaded()).reader.derive(request);
  }

  async judge(request: AliasRequest): Promise<readonly (readonly AliasVerdict[])[]> {
    return (await this.#loaded()).reader.judge(request);
  }

  async relate(request: RelateRequest): Promise<RelateReply> {
    return (await this.#loaded()).finder.relate(request);
  }

  async identifiersOf(texts: readonly ComparedText[]): Promise<readonly (readonly string[])[]> {
    return (await this.#loaded()).finder.identifiersOf(texts);
  }

  /** The models stay for whoever uses it next. */
  async close(): Promise<void> {}

  #loaded(): Promise<TextReaders> {
    this.#readers ??= this.#load();
    return this.#readers;
  }
}

let direct: DirectDeriver | undefined;

/** The compiled program derives on a thread. Run from its source, as tests do, there is no file for one. */
export function textDeriver(): TextDeriver & TextRelater {
  if (existsSync(threadFile)) return new ThreadDeriver();
  // One for the whole process, for tests make many services.
  direct ??= new DirectDeriver(async () => (await import('./load-text-reader.ts')).loadTextReaders());
  return direct;
}
