import { noCounts } from '../imports/import.ts';
import { effectiveStateOf, newSupersedes } from '../relationships/relationship.ts';
import { refreshStates } from '../relationships/relationship-service.ts';
import { AppError, notFound } from '../shared/errors.ts';
import { assertLength } from '../shared/storable-text.ts';
import type { TextVectors } from '../shared/text-indexer.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Write } from '../shared/write.ts';
import { changeMemory } from './change-memory.ts';
import { insertMemory, newChainId } from './create-memory.ts';
import { statesTheSame } from './import-again.ts';
import {
  appendSeparatorLengthMax,
  contentLengthMax,
  isOutdated,
  type Memory,
  type MemoryContent,
} from './memory.ts';
import { assertValidity, checkedFields, type MemoryInput } from './memory-input.ts';

export interface NewVersionInput extends MemoryInput {
  readonly content: string;
  /** Same as on create; default: the conversation of the previous version. */
  readonly conversationId?: string;
  /** Compare and swap: the required id of the head. */
  readonly expectedHeadId?: string;
  /** Another memory that the new version supersedes. */
  readonly supersedes?: string;
  /** Time of writing elsewhere, not in the future; default: now. */
  readonly createdAt?: EpochMs;
  /** The import that it is part of, which exists. */
  readonly importId?: string;
}

/** Text to append to a named memory, and stated fields of the new version. */
export interface AppendInput
  extends Omit<NewVersionInput, 'content' | 'expectedHeadId' | 'supersedes' | 'createdAt' | 'importId'> {
  /** 1 to 50,000 UTF-16 units. */
  readonly block: string;
  /** Text between the existing content and the block, at most 100 UTF-16 units. */
  readonly separator: string;
}

export interface NewVersion {
  readonly memory: Memory;
  /** Undefined for a first version, which was there before. */
  readonly previousVersionId: string | undefined;
  readonly version: number;
  /** Why nothing was written; `memory` is the head then. */
  readonly kept?: 'unchanged' | 'keptEdit';
}

/** @throws 409 with `details.currentHeadId` */
function assertHead(head: Memory, expectedHeadId: string | undefined): void {
  if (expectedHeadId === undefined || expectedHeadId === head.id) return;
  throw new AppError('MEMORY_HEAD_CONFLICT', 'expectedHeadId is not the current head of this memory.', {
    details: { currentHeadId: head.id },
  });
}

/**
 * The content of the version after `head`: the stated fields, and the rest
 * from `head`. Its event time and validity are not copied: they belong to
 * the earlier statement, and the new version would start old or expired.
 */
const nextContent = (head: Memory, fields: Partial<MemoryContent>): MemoryContent =>
  Object.assign({}, head, { eventTime: null, validFrom: null, validTo: null }, fields);

/**
 * The head, if the fields that a new version states are those that it has. For an import, also if the version that
 * an import made last, or one of the same time, has them or is newer, or if that one has others, and the head was written here since.
 */
async function keptHead(
  write: Write,
  head: Memory,
  fields: Partial<MemoryContent>,
  { importId, createdAt }: Pick<NewVersionInput, 'importId' | 'createdAt'>,
): Promise<NewVersion | undefined> {
  const { tx } = write;
  const keep = async (kept: NewVersion['kept']): Promise<NewVersion> => {
    const [, before] = head.chainId === null ? [] : await tx.memories.listChain(head.chainId, 2);
    return { memory: head, previousVersionId: before?.id, version: head.chainVersion ?? 1, kept };
  };
  const has = (version: Memory) => statesTheSame(write, Object.assign({}, version, fields), version);
  if (!isOutdated(head.effectiveState) && (await has(head))) return keep('unchanged');
  if (importId === undefined) return undefined;
  if (createdAt !== undefined && (await isOfChain(write, head, createdAt, has))) return keep('unchanged');
  const imported = head.chainId === null ? head : await tx.imports.lastOfChain(head.chainId);
  if (!imported) return undefined;
  // An older export has the text from before.
  if (createdAt !== undefined && createdAt < imported.createdAt) return keep('unchanged');
  if (imported.id === head.id) return undefined;
  return keep((await has(imported)) ? 'unchanged' : 'keptEdit');
}

/** Versions of a chain that an import is compared with, the newest. */
const comparedMax = 100;

/** Whether a version of the chain of `head` was written at this time and says the same: it came from this store. */
async function isOfChain(
  { tx }: Write,
  { chainId }: Memory,
  createdAt: EpochMs,
  has: (version: Memory) => Promise<boolean>,
): Promise<boolean> {
  const versions = chainId === null ? [] : await tx.memories.listChain(chainId, comparedMax);
  for (const version of versions) if (version.createdAt === createdAt && (await has(version))) return true;
  return false;
}

/**
 * Adds a version to a named memory: the name moves to it, and the version before is superseded. Nothing is
 * written if the head has the stated fields already (`kept`).
 * @param vectors vectors of the new version's text
 * @throws 404 for an unknown conversation or `supersedes`; 409 if `expectedHeadId` is not the head; 422
 */
export async function addVersion(
  write: Write,
  head: Memory,
  input: NewVersionInput,
  vectors: readonly TextVectors[],
): Promise<NewVersion> {
  const { tx } = write;
  const { conversationId, expectedHeadId, supersedes, createdAt, importId, ...stated } = input;
  assertHead(head, expectedHeadId);
  const fields = checkedFields(stated);
  const content = nextContent(head, fields);
  assertValidity(content);
  const kept = supersedes === undefined ? await keptHead(write, head, fields, input) : undefined;
  if (kept) return kept;
  if (supersedes !== undefined && !(await tx.memories.find(supersedes))) throw notFound('memory');
  const chainId = head.chainId ?? newChainId();
  const headVersion = head.chainVersion ?? 1;
  // A version in the trash keeps its number, because it may be restored.
  const version = Math.max(headVersion, await tx.memories.lastChainVersion(chainId)) + 1;
  // The head gives up the name first: two memories must never have the same name.
  const effectiveState = effectiveStateOf(['SUPERSEDES']);
  await changeMemory(write, head, { name: null, chainId, chainVersion: headVersion, effectiveState });
  const { memory } = await insertMemory(write, {
    content,
    options: { conversationId: conversationId ?? head.conversationId, createdAt, importId },
    chain: { chainId, chainVersion: version },
    // Unstated fields come from the head, which is read in the transaction.
    indexed: { document: write.indexer.memory(content), vectors },
  });
  await tx.relationships.insert(
    newSupersedes(memory, head.id, { creationMethod: 'auto-temporal', reason: `Version ${version}.` }),
  );
  if (supersedes !== undefined && supersedes !== head.id) {
    await tx.relationships.insert(newSupersedes(memory, supersedes, {}));
    await refreshStates(write, [supersedes]);
  }
  return { memory, previousVersionId: head.id, version };
}

export async function countVersion({ tx, at }: Write, importId: string, { kept }: NewVersion): Promise<void> {
  const counts = { ...noCounts };
  counts[kept === undefined ? 'created' : kept === 'unchanged' ? 'unchanged' : 'keptEdits']++;
  await tx.imports.count(importId, counts, at);
}

/** @throws 413 if the two together exceed the maximum length of a memory, 422 */
export function appendedContent(head: Memory, { block, separator }: AppendInput): string {
  assertLength(block, 'block', contentLengthMax, 1);
  assertLength(separator, 'separator', appendSeparatorLengthMax);
  const content = head.content + separator + block;
  if (content.length <= contentLengthMax) return content;
  throw new AppError(
    'CONTENT_TOO_LONG',
    `block makes the memory ${content.length} characters long; a memory has at most ${contentLengthMax} (UTF-16 units).`,
    { details: { length: content.length, lengthMax: contentLengthMax } },
  );
}
