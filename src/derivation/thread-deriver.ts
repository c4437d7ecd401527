import { existsSync } from 'node:fs';
import { OneThread, type OneThreadOptions } from '../lib/one-thread.ts';
import type {
  AliasRequest,
  AliasVerdict,
  ComparedText,
  DeriveReply,
  DeriveRequest,
  RelateReply,
  RelateRequest,
  TextComparer,
  TextDeriver,
} from './text-deriver.ts';
import type { TextReaders } from './text-reader.ts';

const threadFile = new URL('derive-thread.js', import.meta.url);
/** After which the thread, its models (60 MB) and what it remembers of texts (60 MB at most) are given up. */
const idleMs = 60_000;
/** For all texts of a slice, which take half a second, or for one of them alone: some hundred times as long as any takes. */
const deadlineMs = 20_000;

/**
 * Derives on one thread of its own, begun with the first text. Where a rule does not end, the thread does: the texts that came
 * together are tried alone, and the memory whose text it was is parked.
 */
export class ThreadDeriver implements TextDeriver, TextComparer {
  readonly #thread: OneThread;

  /** @param options another file with the functions of `derive-thread.ts`, and another deadline */
  constructor(options: Partial<Pick<OneThreadOptions, 'file' | 'deadlineMs'>> = {}) {
    this.#thread = new OneThread({ file: threadFile, idleMs, deadlineMs, ...options });
  }

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

  close(): Promise<void> {
    return this.#thread.close();
  }

  /** @param name of a function that the file of the thread exports */
  #run<R>(name: 'derive' | 'judge' | 'relate' | 'identifiersOf', request: unknown): Promise<R> {
    return this.#thread.run<R>(request, { name });
  }
}

/** Derives on the caller's thread, one request after another. */
class DirectDeriver implements TextDeriver, TextComparer {
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
export function textDeriver(): TextDeriver & TextComparer {
  if (existsSync(threadFile)) return new ThreadDeriver();
  // One for the whole process, for tests make many services.
  direct ??= new DirectDeriver(async () => (await import('./text-reader.ts')).loadTextReaders());
  return direct;
}
