import { hideSecrets } from '../../../lib/hide-secrets.ts';
import type { Fields, ImportRecord, Reader } from './reader.ts';

/** Members of records and of their bodies that are words of people. */
const texts = ['content', 'title', 'subject', 'predicate', 'object', 'description', 'reason'] as const;

function hiddenIn<T extends Fields>(fields: T): T {
  const hidden = texts.flatMap((name) => {
    const text = fields[name];
    return typeof text === 'string' ? [[name, hideSecrets(text)] as const] : [];
  });
  return { ...fields, ...Object.fromEntries(hidden) };
}

function hiddenOf(record: ImportRecord): ImportRecord {
  if ('body' in record) return { ...record, body: hiddenIn(record.body) };
  if (record.kind === 'conversation' || record.kind === 'narrative' || record.kind === 'relationship')
    return hiddenIn({ ...record });
  return record;
}

/** The reader, whose records have `[hidden]` for what looks like a key or a password in their texts and titles. */
export function withoutSecrets(reader: Reader): Reader {
  return {
    ...reader,
    async *read(input, options) {
      for await (const record of reader.read(input, options)) yield hiddenOf(record);
    },
  };
}
