import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { titleFrom } from '../conversations/place-memory.ts';
import { invalidInput, notFound } from '../shared/errors.ts';
import {
  assertExternalId,
  digestOf,
  type Ensured,
  existingRecord,
  type FromElsewhere,
  importAgain,
} from '../shared/external-id.ts';
import type { Page } from '../shared/page.ts';
import { fillFrom } from '../shared/page-bytes.ts';
import { assertLength } from '../shared/storable-text.ts';
import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Precondition, type Write, writeAs } from '../shared/write.ts';
import type { AfterDelete } from '../trash/trash.ts';
import { ownerInTrash, type TrashHandler } from '../trash/trash-handler.ts';
import { type Artifact, type ArtifactListQuery, artifactLengthMax, type Metadata } from './artifact.ts';

/** Small, because the content of an artifact can have 200,000 characters. */
const artifactsReadAtOnce = 20;

/** Upper bound of an artifact's bytes as JSON: a character takes six at most. */
function jsonBytesMax({ content, name, description, metadata, type }: Artifact): number {
  const units = content.length + (name?.length ?? 0) + (description?.length ?? 0) + type.length;
  return 1000 + 6 * (units + (metadata === null ? 0 : artifactLengthMax.metadata));
}

interface ArtifactChange {
  readonly content?: string;
  readonly type?: string;
  /** Null or empty removes it. */
  readonly name?: string | null;
  /** Null or empty removes it. */
  readonly description?: string | null;
  /** Replaces all metadata. */
  readonly metadata?: Metadata;
}

interface NewArtifactInput extends ArtifactChange, FromElsewhere {
  readonly content: string;
  readonly type: string;
  readonly memoryId?: string;
  readonly conversationId?: string;
}

interface ArtifactServiceDeps {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly afterDelete?: AfterDelete;
}

/** @throws 422 */
function assertFields(fields: ArtifactChange): void {
  const { content, type, name, description, metadata } = fields;
  if (content !== undefined) assertLength(content, 'content', artifactLengthMax.content, 1);
  if (type !== undefined) assertLength(type, 'type', artifactLengthMax.type, 1);
  if (type?.trim() === '') throw invalidInput('type', 'must not be blank');
  assertLength(name ?? '', 'name', artifactLengthMax.name);
  assertLength(description ?? '', 'description', artifactLengthMax.description);
  if (metadata && JSON.stringify(metadata).length > artifactLengthMax.metadata)
    throw invalidInput('metadata', `must have at most ${artifactLengthMax.metadata} characters as JSON`);
}

/** New value of a field that an empty text removes. */
function textOr(stated: string | null | undefined, before: string | null): string | null {
  return stated === undefined ? before : stated || null;
}

type StatedFields = Pick<Artifact, 'content' | 'type' | 'name' | 'description' | 'metadata'>;

/** Fields that an import states, in a fixed order. */
const importedFields = ({ content, type, name, description, metadata }: StatedFields) => [
  content,
  type,
  name,
  description,
  metadata,
];

/** Gives an artifact the fields of its record in an import, if that has changed and it was not edited here. */
function importArtifactAgain(
  { tx, at }: Write,
  artifact: Artifact,
  stated: StatedFields,
): Promise<Ensured<Artifact>> {
  const apply = async () => {
    const changed = { ...artifact, ...stated, updatedAt: at };
    await tx.artifacts.replace(changed);
    return changed;
  };
  const [sent, here] = [importedFields(stated), importedFields(artifact)];
  return importAgain(tx.imports, { kind: 'artifact', record: artifact, sent, here, apply });
}

/** Moves an artifact to the trash. @returns the id of its entry in the trash */
export async function trashArtifact(
  { tx, at }: Pick<Write, 'tx' | 'at'>,
  artifact: Artifact,
): Promise<string> {
  await tx.artifacts.trash(artifact.id, at);
  const title = titleFrom(artifact.name ?? artifact.content);
  return tx.trash.insert({ kind: 'artifact', recordId: artifact.id, title, counts: { artifacts: 1 } }, at);
}

/** Artifacts: texts that agents keep in addition to memories. */
export class ArtifactService {
  readonly #stores: Stores;
  readonly #clock: Clock;
  readonly #afterDelete: AfterDelete | undefined;

  constructor({ stores, clock, afterDelete }: ArtifactServiceDeps) {
    this.#stores = stores;
    this.#clock = clock;
    this.#afterDelete = afterDelete;
  }

  /** @throws 404 */
  async get(user: UserRef, id: string): Promise<Artifact> {
    const artifact = await this.#stores.forUser(user).artifacts.find(id);
    if (!artifact) throw notFound('artifact');
    return artifact;
  }

  /** A page of artifacts; it ends early if their contents exceed the size of a response. */
  async list(user: UserRef, query: ArtifactListQuery): Promise<Page<Artifact>> {
    const { artifacts } = this.#stores.forUser(user);
    const ids = await artifacts.listIds(query);
    return fillFrom(ids, (some) => artifacts.findMany(some), jsonBytesMax, artifactsReadAtOnce);
  }

  /**
   * Creates an artifact, unless one with its external id exists.
   * @throws 404 if the user does not have the memory or conversation; 409 if the existing one is in the trash; 422
   */
  async create(
    user: UserRef,
    input: NewArtifactInput,
    act?: KeyedAct<Ensured<Artifact>>,
  ): Promise<Ensured<Artifact>> {
    assertFields(input);
    const { content, type, name, description, memoryId = null, conversationId = null, metadata } = input;
    const { externalId, importId } = input;
    assertExternalId(externalId);
    return writeAs(
      { stores: this.#stores, clock: this.#clock },
      user,
      async (write) => {
        const { tx, at } = write;
        const stated = {
          content,
          type,
          name: name || null,
          description: description || null,
          metadata: metadata ?? null,
        };
        const existing = await existingRecord(tx.imports, {
          kind: 'artifact',
          externalId,
          find: (id) => tx.artifacts.find(id),
        });
        if (existing)
          return importId === undefined ? existing : importArtifactAgain(write, existing.record, stated);
        if (memoryId !== null && !(await tx.memories.find(memoryId))) throw notFound('memory');
        if (conversationId !== null && !(await tx.conversations.find(conversationId)))
          throw notFound('conversation');
        const record: Artifact = {
          id: randomUUID(),
          ...stated,
          memoryId,
          conversationId,
          createdAt: at,
          updatedAt: at,
          externalId: externalId ?? null,
        };
        const imported = importId && { importId, digest: digestOf(importedFields(stated)) };
        await tx.artifacts.insert(record, imported || undefined);
        if (importId !== undefined) await tx.imports.countRecord(importId, 'artifacts', at);
        return { record, isExisting: false };
      },
      act,
    );
  }

  /**
   * Applies the fields of `change`; writes nothing if they have these values already. @throws 404, 412, 422
   */
  async update(
    user: UserRef,
    id: string,
    change: ArtifactChange,
    assertSeen?: Precondition<Artifact>,
  ): Promise<Artifact> {
    assertFields(change);
    return this.#stores.forUser(user).transaction(async (tx) => {
      const artifact = await tx.artifacts.find(id);
      if (!artifact) throw notFound('artifact');
      assertSeen?.(artifact);
      const stated: Artifact = {
        ...artifact,
        content: change.content ?? artifact.content,
        type: change.type ?? artifact.type,
        name: textOr(change.name, artifact.name),
        description: textOr(change.description, artifact.description),
        metadata: change.metadata ?? artifact.metadata,
      };
      if (JSON.stringify(stated) === JSON.stringify(artifact)) return artifact;
      const changed = { ...stated, updatedAt: this.#clock.now() };
      await tx.artifacts.replace(changed);
      return changed;
    });
  }

  /** Moves an artifact to the trash. @returns the id of its entry in the trash. @throws 404, 412 */
  async delete(user: UserRef, id: string, assertSeen?: Precondition<Artifact>): Promise<string> {
    const entryId = await this.#stores.forUser(user).transaction(async (tx) => {
      const artifact = await tx.artifacts.find(id);
      if (!artifact) throw notFound('artifact');
      assertSeen?.(artifact);
      return trashArtifact({ tx, at: this.#clock.now() }, artifact);
    });
    await this.#afterDelete?.(user);
    return entryId;
  }
}

/** Artifacts in the trash. An artifact of a memory or conversation is restored only if that is live. */
export const artifactTrash: TrashHandler = {
  async restore(write, { recordId }) {
    const { artifacts } = write.tx;
    await artifacts.restore(recordId);
    if (!(await artifacts.find(recordId))) {
      const { memoryId, conversationId } = await artifacts.ownersOf(recordId);
      const memoryIds = memoryId === null ? [] : [memoryId];
      throw await ownerInTrash(write, 'artifact', { memoryIds, conversationId });
    }
    return { artifacts: 1 };
  },
  async eraseStep({ tx }, { recordId }) {
    await tx.artifacts.erase(recordId);
    return false;
  },
};
