// Draws docs/images/search-explain.svg: stores some memories in a service of its own, searches, and draws the response.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version } from '../../src/lib/version.ts';
import { newAppFixture } from '../../test/support/app-fixture.ts';
import type { Client } from '../../test/support/http-client.ts';
import { renderSearch, type ShownHit } from './render.ts';

const target = fileURLToPath(new URL('../../docs/images/search-explain.svg', import.meta.url));
const hitsShown = 3;
const query = 'whom do I call about kubernets';

/** Conversations of a small team and its agent; each inner list is one. */
const conversations: readonly (readonly string[])[] = [
  ['Ana: Who is on call for the Kubernetes cluster?', 'Agent: Marco, and Ines covers for him in May.'],
  ['Kubernetes runs three nodes in Frankfurt; upgrades happen on the first Tuesday of a month'],
  ['We moved sessions from Redis to PostgreSQL, because a restart of Redis logged everybody out'],
  ['Deploys go out on Tuesday and Thursday, never on a Friday'],
  ['The invoices of March are with the accountant'],
  ['Lea is responsible for the payment gateway'],
];

interface Created {
  readonly meta: { readonly conversationId: string };
}
interface Found {
  readonly data: readonly ShownHit[];
  readonly meta: { readonly total: number };
}

async function storeAll(http: Client): Promise<void> {
  for (const turns of conversations) {
    let conversationId = 'NEW';
    for (const content of turns) {
      const { status, body } = await http.post<Created>('/api/memories', { content, conversationId });
      if (status !== 201) throw new Error(`"${content}" was not stored: ${status}`);
      conversationId = body.meta.conversationId;
    }
  }
}

const app = await newAppFixture('sqlite');
const http = await app.newClient();
await storeAll(http);
const parameters = new URLSearchParams({ q: query, explain: 'true' });
const { body } = await http.get<Found>(`/api/memories/search?${parameters}`);
mkdirSync(dirname(target), { recursive: true });
const hits = body.data.slice(0, hitsShown);
writeFileSync(target, renderSearch({ query, hits, total: body.meta.total, version }));
for (const { score, content, explanation } of body.data)
  process.stdout.write(`${score.toFixed(2)} ${content}\n  ${explanation.matchReason}\n`);
await app.close();
