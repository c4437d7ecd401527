import { type Client, patientClient } from '../support/http-client.ts';
import type { Random } from '../support/random.ts';
import type { Server } from '../support/server.ts';
import type { Entry, WriterLog } from './crash-ledger.ts';
import { demand } from './proof.ts';
import { newText, wordOf } from './unique-text.ts';

interface Created {
  data: { id: string; conversationId: string };
}

export interface Writing {
  server: Server;
  random: Random;
  name: string;
  /** Called before every request; the process may be dead afterwards. */
  onSend(): void;
  isKilled(): boolean;
}

/** Writes one request after another until the process is gone, and keeps what was asked and what was acknowledged. */
export async function writeUntilKilled(writing: Writing): Promise<WriterLog> {
  const log: WriterLog = { entries: [], chain: { name: writing.name, acknowledged: [] } };
  const writer = new Writer(writing, log);
  try {
    while (!writing.isKilled()) await writer.step();
  } catch (error) {
    // A request that is broken off is what the kill does; anything before it is a fault.
    if (!writing.isKilled() || !(error instanceof TypeError)) throw error;
  }
  return log;
}

class Writer {
  private readonly http: Client;
  private readonly writing: Writing;
  private readonly log: WriterLog;
  private conversationId = 'NEW';

  constructor(writing: Writing, log: WriterLog) {
    this.http = patientClient(writing.server.url, writing.server.key);
    this.writing = writing;
    this.log = log;
  }

  async step(): Promise<void> {
    const { random } = this.writing;
    const living = this.log.entries.filter((entry) => entry.id !== undefined && entry.deletion === 'none');
    const choice = random.float();
    this.writing.onSend();
    if (choice < 0.12) return this.writeNamed();
    if (choice < 0.22 && living.length > 0) return this.update(random.pick(living));
    if (choice < 0.3 && living.length > 0) return this.remove(random.pick(living));
    return this.create();
  }

  private async create(): Promise<void> {
    const content = newText(this.writing.random);
    const body = { content, conversationId: this.conversationId, topics: ['crash'] };
    const request = { key: wordOf(content), body };
    const entry: Entry = { request, texts: [content], created: false, deletion: 'none' };
    this.log.entries.push(entry);
    const reply = await this.http.post<Created>('/api/memories', body, { 'idempotency-key': request.key });
    demand(reply.status === 201, `a create answered ${reply.status}`, reply.text);
    entry.id = reply.body.data.id;
    entry.created = true;
    this.conversationId = reply.body.data.conversationId;
  }

  private async update(entry: Entry): Promise<void> {
    const content = newText(this.writing.random);
    entry.texts.push(content);
    const reply = await this.http.put(`/api/memories/${entry.id}`, { content });
    demand(reply.status === 200, `an update answered ${reply.status}`, reply.text);
    entry.texts = [content];
  }

  private async remove(entry: Entry): Promise<void> {
    entry.deletion = 'asked';
    const reply = await this.http.delete(`/api/memories/${entry.id}`);
    demand(reply.status === 204, `a delete answered ${reply.status}`, reply.text);
    entry.deletion = 'done';
  }

  private async writeNamed(): Promise<void> {
    const { chain } = this.log;
    const content = newText(this.writing.random);
    chain.asked = content;
    const reply =
      chain.acknowledged.length === 0
        ? await this.http.post('/api/memories', {
            content,
            name: chain.name,
            conversationId: this.conversationId,
          })
        : await this.http.put(`/api/memories/named/${chain.name}`, { content });
    demand(reply.status === 201, `a named write answered ${reply.status}`, reply.text);
    chain.acknowledged.push(content);
    delete chain.asked;
  }
}
