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

/** What the thread of `ThreadDeriver` runs; the models are loaded when it starts. */
const { reader, finder } = loadTextReaders();

export const derive = (request: DeriveRequest): DeriveReply => {
  const derived = reader.derive(request);
  // The comparison with others comes next, when the sentences may be forgotten.
  if (derived) finder.prepare(request.texts);
  return derived;
};
export const judge = (request: AliasRequest) => reader.judge(request);
export const relate = (request: RelateRequest): RelateReply => finder.relate(request);
export const identifiersOf = (texts: readonly ComparedText[]) => finder.identifiersOf(texts);
