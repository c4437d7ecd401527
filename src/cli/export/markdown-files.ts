import { isOutdated } from '../../domain/memories/memory.ts';
import { relationshipTypes } from '../../domain/relationships/relationship.ts';
import { toIso } from '../../domain/shared/time.ts';
import { version } from '../../lib/version.ts';
import { artifactFileName, conversationFileName, memoryFileName, safeWords } from './file-names.ts';
import { conversationFieldsOf, factFieldsOf, layoutVersion, statedFieldsOf } from './record-fields.ts';
import type { Link, MemoryRecord, StatedFact, UserRecord } from './user-records.ts';

/** A file of the folder. */
export interface MarkdownFile {
  /** From the folder, with `/`. */
  readonly path: string;
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Texts that every version of YAML reads as a text without quotes. */
const plain = /^[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*$/;
const reserved = /^(?:true|false|null|yes|no|on|off|y|n|nan)$/i;
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Characters that some reader of YAML takes for the end of a line, refuses, or shows as something else. */
const escaped = /[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]/g;

/** JSON on one line, which is YAML as well. */
const jsonOf = (value: unknown) =>
  JSON.stringify(value).replace(
    escaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

function yamlOf(value: unknown): string {
  if (typeof value === 'string' && ((plain.test(value) && !reserved.test(value)) || isoTime.test(value)))
    return value;
  return jsonOf(value);
}

/**
 * The head of a Markdown file: a line a field, whatever its value says. Fields that are undefined or null are left out.
 */
export function toFrontMatter(fields: Fields): string {
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}: ${yamlOf(value)}\n`);
  return `---\n${lines.join('')}---\n`;
}

const titleMax = 100;
const generated = (at: number) => ({ by: `memoryd/${version}`, at: toIso(at) });
const wikiLink = (name: string) => `[[${name}]]`;

/** The file of a record. A fact without a memory is one of the lines that `factsFile` takes. */
export function fileOf(record: Exclude<UserRecord, { kind: 'fact' }>): MarkdownFile {
  if (record.kind === 'memory') return memoryFile(record);
  return record.kind === 'conversation' ? conversationFile(record) : artifactFile(record);
}

function conversationFile({ conversation }: Extract<UserRecord, { kind: 'conversation' }>): MarkdownFile {
  const { id, title, createdAt, updatedAt } = conversation;
  const name = conversationFileName(id, title);
  const head = toFrontMatter({
    type: 'Conversation',
    memoryd: layoutVersion,
    ...conversationFieldsOf(conversation),
    created: toIso(createdAt),
    generated: generated(updatedAt),
  });
  return { path: `${name}/${name}.md`, text: head };
}

/** The text of the memory comes last, as it is, and one line end after it. */
function memoryFile({ memory, conversation, links, facts }: MemoryRecord): MarkdownFile {
  const { id, conversationId, topics, content, createdAt, updatedAt, effectiveState } = memory;
  const folder = conversationFileName(conversationId, conversation?.title ?? '');
  const head = toFrontMatter({
    type: 'Memory',
    title: safeWords(content) || `Memory ${memory.seq}`,
    tags: topics,
    memoryd: layoutVersion,
    id,
    conversation: wikiLink(folder),
    conversationId,
    ...statedFieldsOf(memory),
    created: toIso(createdAt),
    generated: generated(updatedAt),
    status: isOutdated(effectiveState) ? 'deprecated' : undefined,
    ...linksByType(links),
    facts: facts.length === 0 ? undefined : facts.map(factFields),
  });
  return { path: `${folder}/${memoryFileName(memory)}.md`, text: `${head}${content}\n` };
}

const factFields = (fact: StatedFact) => ({
  ...factFieldsOf(fact),
  ...(fact.confidence !== 1 && { confidence: fact.confidence }),
});

/** A list of wiki links a type, in lower case, and the reasons by type and link. */
function linksByType(links: readonly Link[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const reasons: Record<string, string> = {};
  for (const type of relationshipTypes) {
    const ofType = links.filter((link) => link.type === type);
    if (ofType.length === 0) continue;
    const name = type.toLowerCase();
    fields[name] = ofType.map(({ target }) => wikiLink(memoryFileName(target)));
    for (const { target, reason } of ofType)
      if (reason !== null) reasons[`${name} ${wikiLink(memoryFileName(target))}`] = reason;
  }
  return Object.keys(reasons).length === 0 ? fields : { ...fields, reasons };
}

function artifactFile({ artifact, memory }: Extract<UserRecord, { kind: 'artifact' }>): MarkdownFile {
  const { id, externalId, type, name, description, conversationId, metadata } = artifact;
  const { content, createdAt, updatedAt } = artifact;
  const head = toFrontMatter({
    type: 'Artifact',
    title: (name ?? type).slice(0, titleMax),
    description,
    memoryd: layoutVersion,
    id,
    externalId: externalId ?? undefined,
    artifactType: type,
    name,
    memory: memory && wikiLink(memoryFileName(memory)),
    conversationId: conversationId ?? undefined,
    metadata,
    created: toIso(createdAt),
    generated: generated(updatedAt),
  });
  return { path: `Artifacts/${artifactFileName(id, name ?? type)}.md`, text: `${head}${content}\n` };
}

/** Facts that no memory says, a hundred or so a file. */
export function factsFile(number: number, facts: readonly StatedFact[]): MarkdownFile {
  const head = toFrontMatter({ type: 'Facts', memoryd: layoutVersion, facts: facts.map(factFields) });
  const lines = facts.map(
    ({ subject, predicate, object }) => `- ${[subject, predicate, object].join(' ').replace(/\s+/g, ' ')}\n`,
  );
  return { path: `Facts/Facts ${number}.md`, text: head + lines.join('') };
}

/** Beginning of `index.md`, which lists the conversations. */
export const indexHead = `${toFrontMatter({ okf_version: '0.2' })}# Conversations\n\n`;

/** The line of a conversation in `index.md`. */
export function indexLine({ conversation }: Extract<UserRecord, { kind: 'conversation' }>): string {
  const { id, title, memoryCount } = conversation;
  const name = conversationFileName(id, title);
  const label = title.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#!&]/g, '\\$&');
  return `* [${label}](${encodeURIComponent(name)}/) - ${memoryCount} memories\n`;
}
