import { comeAfterRequests } from '../lib/throttle.ts';
import type {
  AliasRequest,
  ComparedText,
  DeriveReply,
  DeriveRequest,
  RelateReply,
  RelateRequest,
} from './text-deriver.ts';
import { loadTextReaders } from './text-reader.ts';

comeAfterRequests();

/** Tasks of the thread of `ThreadDeriver`; the models are loaded when it starts. */
const { reader, finder } = loadTextReaders();

export const derive = (request: DeriveRequest): DeriveReply => {
  const derived = reader.derive(request);
  // The texts are compared with others next; by then their analysed sentences may be gone from the cache.
  if (derived) finder.prepare(request.texts);
  return derived;
};
export const judge = (request: AliasRequest) => reader.judge(request);
export const relate = (request: RelateRequest): RelateReply => finder.relate(request);
export const identifiersOf = (texts: readonly ComparedText[]) => finder.identifiersOf(texts);
