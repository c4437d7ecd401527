import type { ConversationRecord, ImportRecord } from '../reader.ts';
import { fieldsOf } from './fields.ts';
import { Seen } from './seen.ts';

/**
 * The records that `--only` chooses: conversations by title or id with all of theirs, named memories by name, project or agent,
 * facts by their subject. The others are left out and counted.
 */
export async function* chosen(
  records: AsyncIterable<ImportRecord>,
  only: ReadonlySet<string>,
): AsyncGenerator<ImportRecord> {
  if (only.size === 0) return yield* records;
  const choice = new Choice(only);
  for await (const record of records)
    yield choice.isChosen(record) ? record : { kind: 'leftOut', reason: 'not --only' };
}

class Choice {
  readonly #only: ReadonlySet<string>;
  /** External ids of conversations and memories. */
  readonly #chosen = new Seen();

  constructor(only: ReadonlySet<string>) {
    this.#only = only;
  }

  isChosen(record: ImportRecord): boolean {
    switch (record.kind) {
      case 'conversation':
        if (this.#names(record)) this.#chosen.isNew(record.externalId);
        // One without memories is not stored.
        return true;
      case 'memory':
        if (record.conversation === undefined || !this.#chosen.has(record.conversation)) return false;
        this.#chosen.isNew(String(record.body.externalId));
        return true;
      case 'named':
        return this.#hasAny([record.name, ...Object.values(fieldsOf(record.body.metadata) ?? {})]);
      case 'fact':
      case 'artifact':
        if (record.memory !== undefined) return this.#chosen.has(record.memory);
        return this.#hasAny([record.body.subject, ...Object.values(fieldsOf(record.body.metadata) ?? {})]);
      case 'relationship':
        return this.#chosen.has(record.from) || this.#chosen.has(record.to);
      default:
        return true;
    }
  }

  #names({ title, externalId }: ConversationRecord): boolean {
    return this.#hasAny([title, externalId, externalId.slice(externalId.indexOf(':') + 1)]);
  }

  #hasAny(names: readonly unknown[]): boolean {
    return names.some((name) => typeof name === 'string' && this.#only.has(name));
  }
}
