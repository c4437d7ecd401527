export { Client, type ListOptions, type Message, type NewMemory, type SearchOptions } from './client.js';
export { type Document, Documents, type FindOptions } from './documents.js';
export { MemorydError } from './errors.js';
export type * from './generated/types.js';
export { recalled } from './recall.js';
export type { CallOptions, ClientOptions } from './transport.js';
