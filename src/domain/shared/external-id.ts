import { hash } from 'node:crypto';
import { AppError, invalidInput } from './errors.ts';
import { assertLength } from './storable-text.ts';
import type { EpochMs } from './time.ts';

/** Maximum length of an id in another system, in UTF-16 units. */
export const externalIdLengthMax = 200;

const idKeptLength = 150;

/** An external id within the bounds: a longer one ends in its hash. */
export function shortExternalId(id: string): string {
  if (id.length <= externalIdLengthMax) return id.toWellFormed();
  return `${id.slice(0, idKeptLength).toWellFormed()}#${hash('sha256', id, 'base64url')}`;
}

/** The result of a create of a record with an external id. */
export interface Ensured<R> {
  /** Made now, or the one with this external id, unchanged without `again`. */
  readonly record: R;
  readonly isExisting: boolean;
  /**
   * Of an import of a record that has changed since it was imported: it has the new fields
   * (`updated`), or it was edited here, and is left alone (`keptEdit`).
   */
  readonly again?: 'updated' | 'keptEdit';
}

/** The import that a record is part of, and the digest of its fields as they were imported last. */
export interface Imported {
  readonly importId: string;
  readonly digest: string;
}

/** Options of creates of records that another system has, too. */
export interface FromElsewhere {
  /** Id in another system, 1 to 200 characters; a second create with the same id returns the first record. */
  readonly externalId?: string;
  /** The import that it is part of, which exists. */
  readonly importId?: string;
}

const ownPrefix = 'memoryd:';

/** The external id that an export gives a record without one. */
export const externalIdOf = (id: string) => ownPrefix + id;

/** The id in an external id that an export gave: in the store that was exported, the record has this id. */
export const idInExternalId = (externalId: string) =>
  externalId.startsWith(ownPrefix) ? externalId.slice(ownPrefix.length) : undefined;

/** @throws 422 */
export function assertExternalId(externalId: string | undefined): void {
  if (externalId !== undefined) assertLength(externalId, 'externalId', externalIdLengthMax, 1);
}

/** @throws 422 if the time is in the future */
export function createdAtOf({ createdAt }: { readonly createdAt?: EpochMs }, at: EpochMs): EpochMs {
  if (createdAt !== undefined && createdAt > at) throw invalidInput('createdAt', 'must not be in the future');
  return createdAt ?? at;
}

/** Other records than memories that have external ids. */
export type ExternalKind = 'conversation' | 'fact' | 'artifact';
/** Kinds whose records keep a digest of the fields that an import stated. */
export type DigestKind = 'fact' | 'artifact';

/** Part of the store of imports. */
export interface ExternalRecords {
  /** The id of the record with this external id, in the trash or not. */
  idOf(kind: ExternalKind, externalId: string): Promise<string | undefined>;
  /** Of the fields that were imported last; undefined: none were. */
  digestOf(kind: DigestKind, id: string): Promise<string | undefined>;
  setDigest(kind: DigestKind, id: string, digest: string): Promise<void>;
}

/** Equal for equal fields. */
export const digestOf = (fields: readonly unknown[]) => hash('sha256', JSON.stringify(fields), 'base64url');

interface SentAgain<R> {
  readonly kind: DigestKind;
  readonly record: R;
  /** The fields that an import states, as sent and as they are here. */
  readonly sent: readonly unknown[];
  readonly here: readonly unknown[];
  /** Gives the record the fields as sent. */
  readonly apply: () => Promise<R>;
}

/** Applies a record that an import sends again, if it has changed there since the last one and was not edited here. */
export async function importAgain<R extends { readonly id: string }>(
  imports: ExternalRecords,
  { kind, record, sent, here, apply }: SentAgain<R>,
): Promise<Ensured<R>> {
  const digest = await imports.digestOf(kind, record.id);
  const [ofSent, ofHere] = [digestOf(sent), digestOf(here)];
  if (digest === undefined || ofSent === digest || ofSent === ofHere) return { record, isExisting: true };
  if (ofHere !== digest) return { record, isExisting: true, again: 'keptEdit' };
  const changed = await apply();
  await imports.setDigest(kind, record.id, ofSent);
  return { record: changed, isExisting: true, again: 'updated' };
}

const kinds = { conversation: 'CONVERSATION', fact: 'FACT', artifact: 'ARTIFACT' } as const;

interface KnownAs<R> {
  readonly kind: ExternalKind;
  readonly externalId: string | undefined;
  /** The record with an id, unless it is hidden. */
  readonly find: (id: string) => Promise<R | undefined>;
}

/**
 * The record that an earlier create with this external id made.
 * @throws 409 if it is in the trash, or hidden because all that it belongs to is
 */
export async function existingRecord<R>(
  imports: ExternalRecords,
  { kind, externalId, find }: KnownAs<R>,
): Promise<Ensured<R> | undefined> {
  const id = externalId === undefined ? undefined : await imports.idOf(kind, externalId);
  if (id === undefined) return undefined;
  const record = await find(id);
  if (record !== undefined) return { record, isExisting: true };
  throw new AppError(
    `${kinds[kind]}_IN_TRASH`,
    `The ${kind} with this externalId is in the trash: restore or erase it.`,
    { details: { [`${kind}Id`]: id } },
  );
}
