import { LRUCache } from 'lru-cache';
import { shortExternalId } from '../../../domain/shared/external-id.ts';
import type {
  ConversationRecord,
  Fields,
  ImportRecord,
  MemoryRecord,
  NamedRecord,
  NarrativeRecord,
  PointingRecord,
  RelationshipRecord,
} from '../readers/reader.ts';
import { Seen } from '../readers/shared/seen.ts';
import { prepareBody, prepareConversation, prepareMemory } from './prepare.ts';
import type { Report, Stored } from './report.ts';
import type { ImportService } from './service.ts';
import { Spool } from './spool.ts';

/** Records of one request, and bytes of their JSON unless the first alone has more. */
const batchMax = { records: 200, bytes: 800_000 };
/** Requests for conversations, facts and the like at the same time. */
const requestsMax = 4;
const knownMax = 50_000;

interface WriterDeps {
  readonly service: ImportService;
  readonly report: Report;
  /** `metadata.source`; undefined for our own records. */
  readonly source: string | undefined;
  readonly since: Date | undefined;
  readonly onNote: (at: string, reason: string) => void;
}

/** A memory to send. */
interface Pending {
  readonly at: string;
  readonly conversation: string | undefined;
  readonly body: Fields;
  /** Whether it counts: the first part of a text does. */
  readonly isFirst: boolean;
}

type Pointing = PointingRecord | RelationshipRecord;

/**
 * Stores what readers yield, in bounded memory: memories in batches while they come, and what points at them afterwards,
 * from a temporary file. One batch is sent while the next is read.
 */
export class Writer {
  readonly #deps: WriterDeps;
  readonly #pointing = new Spool<Pointing>();
  readonly #narratives = new Spool<NarrativeRecord>();
  /** Memories that have another text now. */
  readonly #changed = new Spool<{ readonly id: string; readonly externalId: string }>();
  /** External ids of facts that came. */
  readonly #facts = new Seen();
  /** Conversations that came, by external id. */
  readonly #declared = new LRUCache<string, ConversationRecord>({ max: knownMax });
  readonly #conversations = new LRUCache<string, Stored>({ max: knownMax });
  /** Ids of memories by external id; the service knows all. */
  readonly #memories = new LRUCache<string, string>({ max: knownMax });
  #batch: Pending[] = [];
  #bytes = 0;
  #sending: Promise<void> = Promise.resolve();

  constructor(deps: WriterDeps) {
    this.#deps = deps;
  }

  /** @throws RequestAbandonedError if the service is away */
  async add(record: ImportRecord): Promise<void> {
    const { report } = this.#deps;
    if (record.kind === 'memory') await this.#addMemory(record);
    else if (record.kind === 'conversation') this.#declared.set(record.externalId, record);
    else if (record.kind === 'named') await this.#storeNamed(record);
    else if (record.kind === 'leftOut') report.leaveOut(record.reason, record.count);
    else if (record.kind === 'refused') this.#refuse(undefined, record.at, record.reason);
    else if (record.kind === 'noted') this.#note(record.at, record.reason);
    else if (record.kind === 'narrative') await this.#narratives.add(record);
    else if (record.kind !== 'read') await this.#pointing.add(record);
  }

  /** Sends the rest, and what points at memories. */
  async finish(): Promise<void> {
    await this.#flush();
    await this.#sending;
    await inGroups(this.#pointing.all(), (record) => this.#storePointing(record));
    for await (const narrative of this.#narratives.all()) await this.#storeNarrative(narrative);
    await inGroups(this.#changed.all(), ({ id, externalId }) => this.#removeFacts(id, externalId));
  }

  async #storeNarrative({ at, memories, resolution, ...narrative }: NarrativeRecord): Promise<void> {
    const { service, report } = this.#deps;
    const memoryIds: string[] = [];
    for (const memory of memories) {
      const id = await this.#idOf(memory);
      if (id !== undefined) memoryIds.push(id);
    }
    if (memoryIds.length === 0) return report.leaveOut('narrative of memories that are not here');
    const resolutionMemoryId = resolution && (await this.#idOf(resolution));
    const stored = await service.narratives.store({ ...narrative, memoryIds, resolutionMemoryId });
    if (stored.outcome === 'refused') this.#refuse('narratives', at, stored.reason ?? '');
    else report.add('narratives', stored.outcome);
  }

  /** Facts that an earlier import stored of a changed memory and that did not come again go to the trash. */
  async #removeFacts(memoryId: string, externalId: string): Promise<void> {
    const { service, report } = this.#deps;
    const source = externalId.slice(0, externalId.indexOf(':') + 1);
    for (const fact of await service.factsOf(memoryId))
      if (source !== '' && fact.externalId?.startsWith(source) && !this.#facts.has(fact.externalId)) {
        await service.removeFact(fact.id);
        report.add('facts', 'removed');
      }
  }

  async close(): Promise<void> {
    // Its failure was thrown, or is about to be; the file must not stay open while a batch is under way.
    await this.#sending.catch(() => undefined);
    await this.#pointing.close();
    await this.#narratives.close();
    await this.#changed.close();
  }

  #refuse(kind: Parameters<Report['refuse']>[0], at: string, reason: string): void {
    this.#deps.report.refuse(kind, at, reason);
    this.#deps.onNote(at, `refused: ${reason}`);
  }

  #note(at: string, reason: string): void {
    this.#deps.report.note(at, reason);
    this.#deps.onNote(at, reason);
  }

  #prepared(at: string, isOwn = false) {
    return {
      source: isOwn ? undefined : this.#deps.source,
      onNote: (reason: string) => this.#note(at, reason),
    };
  }

  async #addMemory({ at, conversation, body, isOwn }: MemoryRecord): Promise<void> {
    if (this.#deps.report.isBefore(body, this.#deps.since)) return;
    for (const [i, part] of prepareMemory(body, this.#prepared(at, isOwn)).entries()) {
      const bytes = Buffer.byteLength(JSON.stringify(part));
      if (this.#batch.length === batchMax.records || this.#bytes + bytes > batchMax.bytes)
        await this.#flush();
      this.#batch.push({ at, conversation, body: part, isFirst: i === 0 });
      this.#bytes += bytes;
    }
  }

  async #flush(): Promise<void> {
    await this.#sending;
    const batch = this.#batch;
    this.#batch = [];
    this.#bytes = 0;
    if (batch.length === 0) return;
    this.#sending = this.#send(batch);
    // It is awaited by the next flush, which may come late.
    this.#sending.catch(() => undefined);
  }

  async #send(batch: readonly Pending[]): Promise<void> {
    const unknown = new Set(
      batch.flatMap(({ conversation = '' }) => (this.#isKnown(conversation) ? [] : [conversation])),
    );
    await inGroups(unknown, (externalId) => this.#storeConversation(externalId));
    const sent = batch.filter((memory) => this.#isPlaced(memory));
    if (sent.length === 0) return;
    const results = await this.#deps.service.storeMemories(sent.map((memory) => this.#placed(memory)));
    for (const [i, result] of results.entries()) {
      const { id, outcome } = result;
      this.#count(sent[i], result);
      if (outcome === 'changed' && id !== undefined)
        await this.#changed.add({ id, externalId: String(sent[i].body.externalId) });
    }
  }

  #isKnown(conversation: string): boolean {
    return conversation === '' || this.#conversations.has(conversation);
  }

  async #storeConversation(externalId: string): Promise<void> {
    const declared = this.#declared.get(externalId);
    const { service, report } = this.#deps;
    const body = declared && prepareConversation(declared, this.#prepared(declared.title, declared.isOwn));
    const stored = body
      ? await service.storeConversation(body)
      : ({ outcome: 'refused', reason: 'the reader did not name it' } as const);
    if (stored.outcome !== 'refused') report.add('conversations', stored.outcome);
    this.#conversations.set(externalId, stored);
  }

  /** False for a memory whose conversation is refused or was deleted here; it is counted. */
  #isPlaced({ at, conversation = '', isFirst }: Pending): boolean {
    const stored = this.#conversations.get(conversation);
    if (conversation === '' || stored?.id !== undefined) return true;
    if (!isFirst) return false;
    if (stored?.outcome === 'deletedHere') this.#deps.report.add('memories', 'deletedHere');
    else this.#refuse('memories', at, `its conversation: ${stored?.reason ?? 'it has no id'}`);
    return false;
  }

  #placed({ conversation = '', body }: Pending): Fields {
    const id = this.#conversations.get(conversation)?.id;
    return id === undefined ? body : { ...body, conversationId: id };
  }

  #count({ at, body, isFirst }: Pending, { outcome, id, reason = '', ignored = [] }: Stored): void {
    if (id !== undefined) this.#memories.set(String(body.externalId), id);
    if (outcome === 'stored') for (const name of ignored) this.#deps.report.ignored.add(name);
    if (outcome === 'refused') this.#refuse('memories', at, reason);
    else if (isFirst) this.#deps.report.add('memories', outcome);
  }

  async #storeNamed({ at, name, body }: NamedRecord): Promise<void> {
    if (this.#deps.report.isBefore(body, this.#deps.since)) return;
    const { source = 'memoryd' } = this.#deps;
    const externalId = `${source}:named:${name}`;
    const prepared = prepareBody(body, this.#prepared(at));
    const { outcome, id, reason = '' } = await this.#deps.service.storeNamed(name, prepared, externalId);
    if (id !== undefined) this.#memories.set(externalId, id);
    if (outcome === 'refused') this.#refuse('named', at, reason);
    else this.#deps.report.add('named', outcome);
  }

  async #storePointing(record: Pointing): Promise<void> {
    const { report } = this.#deps;
    const stored = await (record.kind === 'relationship' ? this.#relate(record) : this.#point(record));
    const kind = `${record.kind}s` as const;
    if (stored === undefined) report.leaveOut(`${record.kind} of a memory that is not here`);
    else if (stored.outcome === 'refused') this.#refuse(kind, record.at, stored.reason ?? '');
    else report.add(kind, stored.outcome);
  }

  /** Undefined if one of the two memories is not here. */
  async #relate({ from, to, type, reason }: RelationshipRecord): Promise<Stored | undefined> {
    const [memory, targetMemoryId] = [await this.#idOf(from), await this.#idOf(to)];
    if (memory === undefined || targetMemoryId === undefined) return undefined;
    return this.#deps.service.storeRelationship(memory, { targetMemoryId, type, reason });
  }

  /** Undefined if its memory is not here. */
  async #point({ kind, memory, externalId, body }: PointingRecord): Promise<Stored | undefined> {
    if (kind === 'fact') this.#facts.isNew(shortExternalId(externalId));
    const memoryId = memory === undefined ? undefined : await this.#idOf(memory);
    if (memory !== undefined && memoryId === undefined) return undefined;
    const whole = {
      ...body,
      externalId: shortExternalId(externalId),
      ...(memoryId !== undefined && { memoryId }),
    };
    return this.#deps.service.storePointing(kind, whole);
  }

  async #idOf(externalId: string): Promise<string | undefined> {
    const known = this.#memories.get(shortExternalId(externalId));
    if (known !== undefined) return known;
    const found = await this.#deps.service.findMemory(shortExternalId(externalId));
    if (found !== undefined) this.#memories.set(shortExternalId(externalId), found);
    return found;
  }
}

/** Runs `act` for each item, a few at the same time. */
async function inGroups<T>(
  items: AsyncIterable<T> | Iterable<T>,
  act: (item: T) => Promise<void>,
): Promise<void> {
  let group: Promise<void>[] = [];
  for await (const item of items) {
    group.push(act(item));
    if (group.length < requestsMax) continue;
    await Promise.all(group);
    group = [];
  }
  await Promise.all(group);
}
