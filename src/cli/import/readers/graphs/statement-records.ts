import { factLengthMax } from '../../../../domain/facts/fact.ts';
import type { Fields, ImportRecord } from '../reader.ts';
import { stated } from '../shared/fields.ts';
import { readTime } from '../shared/values.ts';

/** A statement of a knowledge graph: a sentence that holds for a time, between two things. */
export interface GraphStatement {
  readonly at: string;
  readonly externalId: string;
  readonly conversation: string;
  /** The sentence. */
  readonly text: string;
  readonly subject: string | undefined;
  readonly predicate: string | undefined;
  readonly object: string | undefined;
  readonly createdAt: unknown;
  readonly validAt: unknown;
  readonly invalidAt: unknown;
  readonly metadata: Fields;
}

/** Databases write the zone after the offset: `2026-01-12T08:00:00Z[UTC]`. */
export const timeOf = (value: unknown) =>
  readTime(typeof value === 'string' ? value.replace(/\[[\w/+:-]+\]$/, '') : value);

/** Names a time that cannot be read; a missing one is no fault. */
export function* notedTimes(at: string, times: readonly unknown[]): Generator<ImportRecord> {
  for (const time of times) {
    if (time === undefined || time === null || time === '' || timeOf(time) !== undefined) continue;
    yield { kind: 'noted', at, reason: `the time ${JSON.stringify(time)} is not ISO 8601` };
  }
}

/** The sentence as a memory with its validity, and a fact if it holds now and both things have names. */
export function* statementRecords(statement: GraphStatement): Generator<ImportRecord> {
  const { at, externalId, conversation, text, createdAt, validAt, invalidAt, metadata } = statement;
  yield* notedTimes(at, [createdAt, validAt, invalidAt]);
  const [validFrom, validTo] = [timeOf(validAt), timeOf(invalidAt)];
  const body = stated({
    content: text,
    externalId,
    memoryType: 'semantic',
    createdAt: timeOf(createdAt),
    eventTime: validFrom,
    validFrom,
    validTo,
    metadata: stated(metadata),
  });
  yield { kind: 'memory', at, conversation, body };
  const fact = factOf(statement);
  if (fact && holdsNow(validFrom, validTo))
    yield { kind: 'fact', at, memory: externalId, externalId, body: fact };
}

export function holdsNow(validFrom: string | undefined, validTo: string | undefined): boolean {
  const now = Date.now();
  const isAfter = (time: string) => Date.parse(time) > now;
  return !(validFrom !== undefined && isAfter(validFrom)) && (validTo === undefined || isAfter(validTo));
}

/** Undefined if a name is not known, or longer than those of facts. */
export function factOf({
  subject = '',
  predicate = '',
  object = '',
}: Pick<GraphStatement, 'subject' | 'predicate' | 'object'>): Fields | undefined {
  const fits = (text: string, max: number) => text !== '' && text.length <= max;
  const isFact =
    fits(subject, factLengthMax.subject) &&
    fits(predicate, factLengthMax.predicate) &&
    fits(object, factLengthMax.object);
  return isFact ? { subject, predicate, object } : undefined;
}
