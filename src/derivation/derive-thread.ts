import { loadTextReader } from './load-text-reader.ts';
import type { DeriveReply, DeriveRequest } from './text-deriver.ts';

/** What the thread of `ThreadDeriver` runs; the models are loaded when it starts. */
const reader = loadTextReader();

export default (request: DeriveRequest): DeriveReply => reader.derive(request);
