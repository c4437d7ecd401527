import { expect, it } from 'vitest';
import type { ImportRecord, Reader } from './reader.ts';
import { withoutSecrets } from './without-secrets.ts';

const secret = 'password: hunter2hunter2';
const hidden = 'password: [hidden]';

it('secrets are hidden in the texts and titles of all kinds of records, and ids and reasons of the reader stay', async () => {
  const records = (said: string): ImportRecord[] => [
    { kind: 'conversation', externalId: secret, title: said },
    { kind: 'memory', at: secret, body: { content: said, externalId: secret } },
    { kind: 'named', at: 'a', name: secret, body: { content: said } },
    { kind: 'fact', at: 'a', externalId: 'f', body: { subject: said, predicate: said, object: said } },
    { kind: 'artifact', at: 'a', externalId: 'g', body: { content: said, description: said } },
    { kind: 'relationship', at: 'a', from: secret, to: 'b', type: 'REFERENCES', reason: said },
    { kind: 'narrative', at: 'a', title: said, memories: [secret], state: 'open' },
    { kind: 'leftOut', reason: secret },
    { kind: 'refused', at: 'a', reason: secret },
    { kind: 'read', size: 1 },
  ];
  const reader: Reader = {
    format: 'plain',
    title: 'plain',
    recognises: () => Promise.resolve(true),
    async *read() {
      yield* records(secret);
    },
  };
  const shown = withoutSecrets(reader);
  const options = { map: new Map(), only: new Set<string>(), since: undefined };
  const read: ImportRecord[] = [];
  for await (const record of shown.read({ name: 'a', files: [] }, options)) read.push(record);
  expect(read).toEqual(records(hidden));
  expect([shown.format, shown.title]).toEqual(['plain', 'plain']);
});
