import { describe, expect, it } from 'vitest';
import { readNoteSet } from '../../bench/notes/note-set.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

/**
 * Eleven changes of the kinds that a month of a developer's notes had, of which three were noticed once: what is found, the
 * earlier note, the later one.
 */
const changes: readonly (readonly ['SUPERSEDES' | 'RESOLVES', string, string])[] = [
  [
    'SUPERSEDES',
    'Redis cache TTL for exchange rates is 600 seconds.',
    'Cache TTL for exchange rates raised from 600 to 3600 seconds.',
  ],
  [
    'SUPERSEDES',
    'Webhook deliveries are retried 5 times with exponential backoff.',
    'Webhook deliveries now get 8 attempts instead of 5.',
  ],
  [
    'SUPERSEDES',
    'The billing database runs on PostgreSQL 15.',
    'Upgraded the billing database from PostgreSQL 15 to PostgreSQL 17.',
  ],
  [
    'SUPERSEDES',
    'The invoicing beta starts on 4 December.',
    'Beta date moved: the invoicing beta starts on 11 December.',
  ],
  [
    'RESOLVES',
    'BIL-212: invoices with a zero total fail to render.',
    'BIL-212 closed, invoices with a zero total render again.',
  ],
  [
    'RESOLVES',
    'The VPN hangs after sleep on my laptop.',
    'The VPN works again after sleep since the update of the client.',
  ],
  [
    'RESOLVES',
    'Post-mortem of the checkout outage: alert on queue length is still to do.',
    'Post-mortem of the checkout outage: the alert on queue length is done.',
  ],
  [
    'SUPERSEDES',
    'Kenji gets production access on 1 December.',
    'Kenji has production access already, he got it early on 20 November.',
  ],
  [
    'SUPERSEDES',
    'The gateway timeout defaults to 30 seconds.',
    'The gateway timeout defaults to 90 seconds now.',
  ],
  [
    'SUPERSEDES',
    'The nightly job invoice-export runs at 02:00 UTC and takes about 40 minutes.',
    'invoice-export takes 9 minutes now instead of 40.',
  ],
  [
    'RESOLVES',
    'Kenji found that webhook signatures are not checked, security issue SEC-31.',
    'SEC-31 fixed and deployed: verifySignature() rejects unsigned webhooks.',
  ],
];
const others = readNoteSet()
  .asked.development.slice(0, 40)
  .map(({ note }) => note);

interface Edge {
  readonly type: string;
  readonly sourceMemoryId: string;
  readonly targetMemoryId: string;
}

describe.each(engines)('changes in a month of notes on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  it('each change is noticed by its two notes, which change nothing else', async () => {
    let day = 0;
    const write = async (content: string) => {
      const eventTime = new Date(Date.UTC(2026, 9, 1, day++)).toISOString();
      const fields = { content, conversationId: 'NEW', eventTime };
      return (await http.post<{ data: { id: string } }>('/api/memories', fields)).body.data.id;
    };
    const writeEach = async (texts: readonly string[]) => {
      const ids: string[] = [];
      for (const text of texts) ids.push(await write(text));
      return ids;
    };
    const earlier = await writeEach(changes.map(([, text]) => text));
    await writeEach(others);
    const later = await writeEach(changes.map(([, , text]) => text));
    await deriveAll(app.services);
    const edges: Edge[] = [];
    for (const id of [...earlier, ...later])
      edges.push(...(await http.get<{ data: Edge[] }>(`/api/memories/${id}/relationships`)).body.data);
    const found = new Set(edges.map((edge) => `${edge.type} ${edge.sourceMemoryId} ${edge.targetMemoryId}`));
    expect([...found].sort()).toEqual(changes.map(([type], i) => `${type} ${later[i]} ${earlier[i]}`).sort());
  });
});
