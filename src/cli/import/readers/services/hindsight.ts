import type { Fields, ImportRecord, Input, InputFile, Reader } from '../reader.ts';
import { chosen } from '../shared/chosen.ts';
import { fieldsOf, idText, listOf, stated, storableText } from '../shared/fields.ts';
import { hasMember } from '../shared/json.ts';
import { jsonObjects } from '../shared/json-objects.ts';
import { LeftOut } from '../shared/left-out.ts';
import { fileName, idOf } from '../shared/texts.ts';
import { readTime, topicsFrom } from '../shared/values.ts';

const headBytes = 64 * 1024;
const documentPath = /(^|\/)documents\/[^/]+\.json$/i;

/** A transfer archive of Hindsight: a manifest, and a file for each document with the facts found in it. */
export const hindsight: Reader = {
  format: 'hindsight',
  title: 'Hindsight transfer archive',
  async recognises({ files }) {
    const manifest = files.find(({ path }) => /(^|\/)manifest\.json$/i.test(path));
    if (!manifest || !files.some(({ path }) => documentPath.test(path))) return false;
    return hasMember(await manifest.head(headBytes), 'source_bank_id');
  },
  read: (input, { only }) => chosen(readAll(input), only),
};

async function* readAll(input: Input): AsyncGenerator<ImportRecord> {
  const leftOut = new LeftOut();
  for (const file of input.files) {
    if (documentPath.test(file.path) || input.files.length === 1) yield* readDocuments(file, leftOut);
    else if (!/^manifest\.json$/i.test(fileName(file.path))) leftOut.add('unknown file');
  }
  yield* leftOut.records();
}

async function* readDocuments(file: InputFile, leftOut: LeftOut): AsyncGenerator<ImportRecord> {
  for await (const { at, value, refusal, size } of jsonObjects(file)) {
    const document = fieldsOf(value);
    const id = idText(document?.id);
    if (document && id !== undefined) yield* recordsOf(document, id, at, leftOut);
    else yield { kind: 'refused', at, reason: refusal ?? 'it is not a document: it has no id' };
    yield { kind: 'read', size };
  }
}

function* recordsOf(document: Fields, id: string, at: string, leftOut: LeftOut): Generator<ImportRecord> {
  const conversation = `hindsight:${id}`;
  const createdAt = readTime(document.created_at);
  const tags = topicsFrom(document.tags);
  yield { kind: 'conversation', externalId: conversation, title: id, ...stated({ createdAt }) };
  const text = storableText(document.original_text) ?? textOfChunks(document.chunks);
  if (text !== undefined) {
    const body = { externalId: conversation, content: text, ...stated({ createdAt, topics: tags }) };
    yield { kind: 'memory', at, conversation, body };
  }
  const facts = listOf(document.facts);
  const seen = new Set<string>();
  for (const [i, value] of facts.entries()) {
    const fact = fieldsOf(value);
    const content = storableText(fact?.text);
    if (!fact || content === undefined) {
      leftOut.add('empty');
      continue;
    }
    const externalId = factId(id, content);
    if (seen.has(externalId)) {
      leftOut.add('duplicate');
      continue;
    }
    seen.add(externalId);
    const place = `${at}, fact ${i + 1}`;
    const stored = stated({ ...timesOf(fact), topics: topicsFrom(fact.tags), metadata: metadataOf(fact) });
    yield {
      kind: 'memory',
      at: place,
      conversation,
      body: { externalId, content, memoryType: 'semantic', ...stored },
    };
    yield* relationshipsOf(fact, { id, facts, from: externalId, at: place });
  }
}

/** Facts have no ids that survive: a fact is known by its document and its text. */
const factId = (document: string, text: string) => `hindsight:${idOf(document, text)}`;

function textOfChunks(chunks: unknown): string | undefined {
  const sorted = listOf(chunks)
    .map((chunk) => fieldsOf(chunk) ?? {})
    .toSorted((a, b) => Number(a.chunk_index) - Number(b.chunk_index));
  return storableText(sorted.map(({ chunk_text }) => storableText(chunk_text) ?? '').join('\n\n'));
}

function timesOf(fact: Fields): Fields {
  const mentionedAt = readTime(fact.mentioned_at);
  const occurredAt = readTime(fact.occurred_start);
  // The third time stands for the other two only.
  const eventTime = occurredAt ?? (mentionedAt === undefined ? readTime(fact.event_date) : undefined);
  return { createdAt: mentionedAt ?? readTime(fact.created_at), eventTime };
}

function metadataOf(fact: Fields): Fields {
  return stated({
    ...fieldsOf(fact.metadata),
    fact_type: storableText(fact.fact_type),
    context: storableText(fact.context),
    occurred_end: readTime(fact.occurred_end),
    entities: listOf(fact.entities).filter((name) => storableText(name) !== undefined),
  });
}

interface FactPlace {
  readonly id: string;
  readonly facts: readonly unknown[];
  readonly from: string;
  readonly at: string;
}

/** Causes name other facts by their place in the document. */
function* relationshipsOf(fact: Fields, { id, facts, from, at }: FactPlace): Generator<ImportRecord> {
  for (const value of listOf(fact.causal_relations)) {
    const { relation_type, target_fact_index } = fieldsOf(value) ?? {};
    const target = storableText(fieldsOf(facts[Number(target_fact_index ?? Number.NaN)])?.text);
    const to = target === undefined ? undefined : factId(id, target);
    if (to === undefined || to === from) continue;
    const reason = storableText(relation_type);
    yield { kind: 'relationship', at, from, to, type: 'REFERENCES', ...(reason !== undefined && { reason }) };
  }
}
