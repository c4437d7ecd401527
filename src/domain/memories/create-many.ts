import { pauseAfter } from '../../lib/loop-time.ts';
import { AppError } from '../shared/errors.ts';
import type { TextIndexer } from '../shared/text-indexer.ts';
import type { Write } from '../shared/write.ts';
import {
  type CreatedMemory,
  type CreateRequest,
  createMemory,
  type PreparedCreate,
  prepareCreate,
} from './create-memory.ts';

/**
 * Memories created in one transaction at most, and UTF-16 units of their texts, unless the first one alone
 * has more: 32 short texts take about 5 ms, in which nothing else is written.
 */
export const createdAtOnce = { memories: 32, units: 32_768 };

/** The outcome of one of many requests: a memory, or the refusal of a rule (a status below 500). */
export type CreateOutcome = CreatedMemory | AppError;

/** @throws every error that is no refusal of this one request */
function refusalOf(error: unknown): AppError {
  if (error instanceof AppError && error.status < 500) return error;
  throw error;
}

/** Computes documents and vectors, and gives way to other requests; refused requests stay in their places. */
export async function prepareMany(
  indexer: TextIndexer,
  requests: readonly (CreateRequest | AppError)[],
): Promise<(PreparedCreate | AppError)[]> {
  const prepared: (PreparedCreate | AppError)[] = [];
  for (const request of requests) {
    await pauseAfter();
    if (request instanceof AppError) {
      prepared.push(request);
      continue;
    }
    try {
      prepared.push(prepareCreate(indexer, request));
    } catch (error) {
      prepared.push(refusalOf(error));
    }
  }
  return prepared;
}

/**
 * Creates memories in one transaction. A request that a rule refuses, which happens
 * before it writes anything, does not stop the others.
 * @param importId the import that they belong to, which counts the outcomes
 */
export async function createMany(
  write: Write,
  prepared: readonly (PreparedCreate | AppError)[],
  importId?: string,
): Promise<CreateOutcome[]> {
  const outcomes: CreateOutcome[] = [];
  const create = (one: PreparedCreate) =>
    createMemory(write, { ...one, options: { ...one.options, importId } }).catch(refusalOf);
  for (const one of prepared) outcomes.push(one instanceof AppError ? one : await create(one));
  if (importId !== undefined) await countImported(write, importId, outcomes);
  return outcomes;
}

async function countImported(
  { tx, at }: Write,
  importId: string,
  outcomes: readonly CreateOutcome[],
): Promise<void> {
  const counts = { created: 0, unchanged: 0, inTrash: 0, refused: 0 };
  for (const outcome of outcomes)
    if (!(outcome instanceof AppError)) counts[outcome.isExisting ? 'unchanged' : 'created']++;
    else counts[outcome.code === 'MEMORY_IN_TRASH' ? 'inTrash' : 'refused']++;
  await tx.imports.count(importId, counts, at);
}
