import { hash } from 'node:crypto';
import { AppError, invalidInput } from './errors.ts';
import { assertLength } from './storable-text.ts';
import type { EpochMs } from './time.ts';

/** Maximum length of an id in another system, in UTF-16 units. */
export const externalIdLengthMax = 200;

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

/** @throws 422 */
export function assertExternalId(externalId: string | undefined): void {
  if (externalId !== undefined) assertLength(externalId, 'externalId', externalIdLengthMax, 1);
}

/** @throws 422 if the time is in the future */
export function createdAtOf({ createdAt }: { readonly createdAt?: EpochMs }, at: EpochMs): EpochMs {
  if (createdAt !== undefined && createdAt > at) throw invalidInput('createdAt', 'must not be in the future');
  return createdAt ?? at;
}

/** Reads records of one kind by the ids that other systems have for them. */
export interface ExternalIdReader<R> {
  find(id: string): Promise<R | undefined>;
  /** The id of the record with this external id, in the trash or not. */
  findByExternalId(externalId: string): Promise<string | undefined>;
}

/** Keeps the digests of imported records of one kind. */
export interface DigestStore {
  digestOf(id: string): Promise<string | undefined>;
  setDigest(id: string, digest: string): Promise<void>;
}

/** Equal for equal fields. */
export const digestOf = (fields: readonly unknown[]) => hash('sha256', JSON.stringify(fields), 'base64url');

/**
 * The outcome for a record that an import sends again.
 * @param fields.sent the record's fields, as sent
 * @param fields.here as they are here
 * @param digest of the fields that were imported last
 */
export function againOf(
  { sent, here }: { readonly sent: readonly unknown[]; readonly here: readonly unknown[] },
  digest: string | undefined,
): Ensured<unknown>['again'] {
  if (digest === undefined || digestOf(sent) === digest || digestOf(sent) === digestOf(here))
    return undefined;
  return digestOf(here) === digest ? 'updated' : 'keptEdit';
}

const kinds = { conversation: 'CONVERSATION', fact: 'FACT', artifact: 'ARTIFACT' } as const;

/**
 * The record that an earlier create with this external id made.
 * @throws 409 if it is in the trash, or hidden because all that it belongs to is
 */
export async function existingRecord<R>(
  reader: ExternalIdReader<R>,
  kind: keyof typeof kinds,
  externalId: string | undefined,
): Promise<Ensured<R> | undefined> {
  const id = externalId === undefined ? undefined : await reader.findByExternalId(externalId);
  if (id === undefined) return undefined;
  const record = await reader.find(id);
  if (record !== undefined) return { record, isExisting: true };
  throw new AppError(
    `${kinds[kind]}_IN_TRASH`,
    `The ${kind} with this externalId is in the trash: restore or erase it.`,
    { details: { [`${kind}Id`]: id } },
  );
}
