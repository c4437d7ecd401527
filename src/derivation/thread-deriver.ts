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
/** Idle time after which the thread ends and frees its models (40 MB) and its caches of texts (110 MB at most). */
const idleMs = 20_000;
/**
 * More than models, caches and the names of 50 users (75 MB) take together. With the default maximum, which
 * is of the machine, the engine kept 440 MB after 10,000 memories, of which it used 150.
 */
const heapMb = 320;
/**
 * Deadline for all texts of a slice, which take half a second together,
 * or for one text alone: some hundred times as long as any text takes.
 */
const deadlineMs = 20_000;

/**
 * Derives on one thread of its own, started by the first text. If a rule does not terminate, the deadline
 * ends the thread. Then each text of the batch is tried alone, and the memory with the faulty text is parked.
 */
export class ThreadDeriver implements TextDeriver, TextComparer {
  readonly #thread: OneThread;

  /** @param options another file with the functions of `derive-thread.ts`, or another deadline */
  constructor(options: Partial<Pick<OneThreadOptions, 'file' | 'deadlineMs'>> = {}) {
    this.#thread = new OneThread({ file: threadFile, idleMs, deadlineMs, heapMb, ...options });
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

  /** @param name an export of the thread's file */
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

  /** Does nothing: the models stay loaded for the next user of this deriver. */
  async close(): Promise<void> {}

  #loaded(): Promise<TextReaders> {
    this.#readers ??= this.#load();
    return this.#readers;
  }
}

let direct: DirectDeriver | undefined;

/**
 * The deriver of this process: a thread in the compiled program. Tests run the
 * source, which has no file for a thread, and derive on the thread of the caller.
 */
export function textDeriver(): TextDeriver & TextComparer {
  if (existsSync(threadFile)) return new ThreadDeriver();
  // One for the whole process, because tests create many services.
  direct ??= new DirectDeriver(async () => (await import('./text-reader.ts')).loadTextReaders());
  return direct;
}
