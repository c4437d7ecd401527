import { pauseAfter } from '../../lib/loop-time.ts';
import { type ImportCounts, noCounts } from '../imports/import.ts';
import { AppError } from '../shared/errors.ts';
import type { TextIndexer } from '../shared/text-indexer.ts';
import type { Write } from '../shared/write.ts';
import {
  type CreatedMemory,
  type CreateRequest,
  createUnknown,
  existingMemory,
  type PreparedCreate,
  prepareCreate,
} from './create-memory.ts';
import { importAgain } from './import-again.ts';
import type { KnownMemory } from './memory.ts';

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
  const externalIds = prepared.flatMap((one) =>
    one instanceof AppError ? [] : (one.options.externalId ?? []),
  );
  const known = await write.tx.memories.findByExternalIds(externalIds);
  const create = async (one: PreparedCreate) => {
    try {
      return await createOne(write, { ...one, options: { ...one.options, importId } }, known);
    } catch (error) {
      return refusalOf(error);
    }
  };
  const createAll = async () => {
    for (const one of prepared) outcomes.push(one instanceof AppError ? one : await create(one));
  };
  // A relationship refers to its memories at once.
  if (prepared.some((one) => !(one instanceof AppError) && one.options.supersedes !== undefined))
    await createAll();
  else {
    const { conversations, memories } = write.tx;
    await conversations.together(() => memories.together(prepared.length, createAll));
  }
  if (importId !== undefined) await countImported(write, importId, outcomes);
  return outcomes;
}

/** @param known memories of the external ids of all requests, to which the created one is added */
async function createOne(
  write: Write,
  prepared: PreparedCreate,
  known: Map<string, KnownMemory>,
): Promise<CreatedMemory> {
  const { externalId, importId } = prepared.options;
  if (externalId === undefined) return createUnknown(write, prepared);
  const found = known.get(externalId);
  const existing = found && existingMemory(found);
  const outcome = existing
    ? await (importId === undefined ? existing : importAgain(write, existing, prepared))
    : await createUnknown(write, prepared);
  known.set(externalId, { memory: outcome.memory, isTrashed: false });
  return outcome;
}

function countOf(outcome: CreateOutcome): keyof ImportCounts {
  if (outcome instanceof AppError) return outcome.code === 'MEMORY_IN_TRASH' ? 'inTrash' : 'refused';
  if (!outcome.isExisting) return 'created';
  const again = { updated: 'updated', keptEdit: 'keptEdits' } as const;
  return outcome.again ? again[outcome.again] : 'unchanged';
}

async function countImported(
  { tx, at }: Write,
  importId: string,
  outcomes: readonly CreateOutcome[],
): Promise<void> {
  const counts = { ...noCounts };
  for (const outcome of outcomes) counts[countOf(outcome)]++;
  await tx.imports.count(importId, counts, at);
}
