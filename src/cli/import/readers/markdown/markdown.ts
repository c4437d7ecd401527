import { factLengthMax } from '../../../../domain/facts/fact.ts';
import { contentLengthMax } from '../../../../domain/memories/memory.ts';
import type { Fields, ImportRecord, Input, Reader, ReadOptions } from '../reader.ts';
import { LeftOut } from '../shared/left-out.ts';
import { idOf } from '../shared/texts.ts';
import { splitFrontMatter, storable } from './front-matter.ts';
import { type NoteBody, type NoteLink, partsOf, readNoteBody } from './note-body.ts';
import { createdOf, dayOf, restOf, topicsOf } from './note-fields.ts';
import { type IndexedFile, indexNotes, markdownFiles, type NoteIndex, textOfNote } from './note-index.ts';
import { fileTitle } from './note-names.ts';
import { conversationOfLink, type OwnNote, ownArtifact, ownFacts, ownLinks, ownMemory } from './own-notes.ts';

const format = 'markdown';
const dataFile = /\.(?:jsonl?|ndjson|csv|db|sqlite)$/i;

/**
 * Folders of notes: Obsidian, basic-memory, the Open Knowledge Format, and our own `memoryd export --as markdown`.
 */
export const markdown: Reader = {
  format,
  title: 'Markdown notes',
  async recognises(input) {
    const notes = markdownFiles(input).length;
    return (
      notes > input.files.filter(({ path }) => dataFile.test(path) && !path.includes('.obsidian/')).length
    );
  },
  async *read(input: Input, options: ReadOptions) {
    const index = await indexNotes(input, options.only, options.stored?.(format));
    const reading: ReadState = { input, index, leftOut: new LeftOut(), conversations: new Set() };
    for (const indexed of index.files) {
      yield* recordsOf(indexed, reading);
      yield { kind: 'read', size: indexed.file.size };
    }
    for (const [reason, count] of index.leftOut) yield { kind: 'leftOut', reason, count };
    yield* reading.leftOut.records();
  },
};

interface ReadState {
  readonly input: Input;
  readonly index: NoteIndex;
  readonly leftOut: LeftOut;
  /** Those that were declared. */
  readonly conversations: Set<string>;
}

async function* recordsOf(indexed: IndexedFile, reading: ReadState): AsyncGenerator<ImportRecord> {
  const { file, refusal } = indexed;
  if (refusal !== undefined) {
    yield { kind: 'refused', at: file.path, reason: refusal };
    return;
  }
  const { fields, body, broken } = splitFrontMatter(await file.text());
  if (indexed.isOwn) {
    yield* ownRecords({ path: file.path, fields, body }, indexed, reading);
    return;
  }
  if (broken)
    yield { kind: 'noted', at: file.path, reason: `its front matter is kept as a text: ${broken.reason}` };
  if (indexed.id === undefined) reading.leftOut.add('empty');
  else
    yield* noteRecords(
      { indexed, fields, note: readNoteBody(body), broken: broken?.text },
      textOfNote(body),
      reading,
    );
}

interface ReadNote {
  readonly indexed: IndexedFile;
  readonly fields: Fields;
  readonly note: NoteBody;
  readonly broken: string | undefined;
}

function* noteRecords(read: ReadNote, text: string, reading: ReadState): Generator<ImportRecord> {
  const { indexed, fields, note, broken } = read;
  const { file, id = '' } = indexed;
  const at = file.path;
  const { time, unread } = createdOf(fields, file.modifiedAt);
  if (unread !== undefined) yield { kind: 'noted', at, reason: `the time ${unread} is not ISO 8601` };
  const conversation = `notes:${at.slice(0, Math.max(0, at.lastIndexOf('/')))}`;
  yield* declared(conversation, folderTitle(at, reading.input), reading);
  const metadata = {
    path: at,
    digest: indexed.digest,
    ...restOf(fields),
    ...(broken !== undefined && { frontMatter: storable(broken) }),
  };
  const pieces = piecesAtHeadings(text, contentLengthMax);
  const common = { topics: topicsOf(fields, note.tags), createdAt: time, eventTime: dayOf(at) };
  for (const [i, content] of pieces.entries()) {
    const part = pieces.length > 1 && { import: { part: i + 1, parts: pieces.length } };
    const externalId = i === 0 ? id : `${id}#${i + 1}`;
    yield {
      kind: 'memory',
      at,
      conversation,
      body: { content, externalId, ...common, metadata: { ...metadata, ...part } },
    };
  }
  yield* factsOf(read, reading);
  yield* relationshipsOf(read, reading);
}

function* declared(externalId: string, title: string, { conversations }: ReadState): Generator<ImportRecord> {
  if (conversations.has(externalId)) return;
  conversations.add(externalId);
  yield { kind: 'conversation', externalId, title };
}

/** Notes of one folder are a conversation; those at the root have the name of the input. */
function folderTitle(path: string, { name }: Input): string {
  if (path.includes('/')) return path.slice(0, path.lastIndexOf('/'));
  const [last = 'Notes'] = name
    .split(/[\\/]/)
    .filter((part) => part !== '' && part !== '.')
    .slice(-1);
  return last.replace(/\.(?:zip|md|markdown)$/i, '') || 'Notes';
}

const targetOf = ({ names }: NoteIndex, { target, isPath }: NoteLink, from: number) =>
  isPath ? names.findPath(target, from) : names.find(target, from);

/** A fact for each observation and each relation, about the title of the note. */
function* factsOf({ indexed, note }: ReadNote, { index, leftOut }: ReadState): Generator<ImportRecord> {
  const { file, title: subject, id = '', number } = indexed;
  const relations = note.links.flatMap(({ word, ...link }) => {
    const found = word === undefined ? undefined : targetOf(index, { word, ...link }, number);
    const object = found === undefined ? fileTitle(link.target) : index.notes[found].title;
    return word === undefined ? [] : [{ predicate: word, object }];
  });
  const observations = note.observations.map(({ category, text }) => ({ predicate: category, object: text }));
  const seen = new Set<string>();
  for (const { predicate, object } of [...observations, ...relations]) {
    const externalId = `${id}!${idOf(predicate, object)}`;
    if (seen.has(externalId)) continue;
    seen.add(externalId);
    const isTooLong =
      subject.length > factLengthMax.subject ||
      predicate.length > factLengthMax.predicate ||
      object.length > factLengthMax.object;
    if (isTooLong) leftOut.add('observation that is too long for a fact');
    else {
      const body = { subject: storable(subject), predicate: storable(predicate), object: storable(object) };
      yield { kind: 'fact', at: file.path, memory: id, externalId, body };
    }
  }
}

const attachment =
  /\.(?:png|jpe?g|gif|webp|svg|bmp|avif|heic|pdf|canvas|base|mp[34]|m4a|wav|ogg|flac|webm|mov|mkv|3gp|zip|docx?|xlsx?|pptx?|csv|html?|excalidraw)$/i;

/** A relationship for each note that it links. */
function* relationshipsOf(
  { indexed, note }: ReadNote,
  { index, leftOut }: ReadState,
): Generator<ImportRecord> {
  const from = indexed.id ?? '';
  const seen = new Set<string>();
  for (const link of note.links) {
    const found = targetOf(index, link, indexed.number);
    const to = found === undefined ? undefined : index.notes[found].id;
    const isSupersedes = link.word?.toLowerCase() === 'supersedes';
    const key = to === undefined ? link.target.toLowerCase() : `${to} ${isSupersedes}`;
    if (seen.has(key) || to === from) continue;
    seen.add(key);
    if (to !== undefined)
      yield {
        kind: 'relationship',
        at: indexed.file.path,
        from,
        to,
        type: isSupersedes ? 'SUPERSEDES' : 'REFERENCES',
        ...(link.word !== undefined && !isSupersedes && { reason: storable(link.word) }),
      };
    else if (!attachment.test(link.target)) leftOut.add('link to nowhere');
  }
}

/** The records of a file of `memoryd export --as markdown`. */
function* ownRecords(
  file: OwnNote,
  { number, id }: IndexedFile,
  { index, leftOut }: ReadState,
): Generator<ImportRecord> {
  const { fields, path } = file;
  const named = (target: string) => {
    const found = index.names.find(target, number);
    return found === undefined ? undefined : index.notes[found].id;
  };
  if (fields.type === 'Memory' && id !== undefined) {
    const conversation = index.conversations.get(String(fields.conversationId)) ?? conversationOfLink(fields);
    yield conversation;
    yield* ownMemory(file, conversation.externalId);
    for (const { type, target, reason } of ownLinks(fields)) {
      const to = named(target);
      if (to === undefined) leftOut.add('link to nowhere');
      else yield { kind: 'relationship', at: path, from: id, to, type, reason };
    }
  } else if (fields.type === 'Artifact') {
    const [, target] = /^\[\[([^[\]]+)\]\]$/.exec(String(fields.memory)) ?? [];
    yield ownArtifact(file, target === undefined ? undefined : named(target));
  } else if (fields.type === 'Facts') yield* ownFacts(file, undefined);
}

const heading = /^#{1,6}[ \t]/;

/** The text in pieces of at most `max` UTF-16 units, cut before headings; a section that is longer stays whole. */
export function piecesAtHeadings(text: string, max: number): string[] {
  if (text.length <= max) return [text];
  const pieces: string[] = [];
  let piece = '';
  for (const section of sectionsOf(text)) {
    if (piece !== '' && piece.length + section.length > max) {
      pieces.push(piece);
      piece = '';
    }
    piece += section;
  }
  return [...pieces, piece].filter((each) => each.trim() !== '');
}

/** Lines of code that begin with `#` are no headings. */
function* sectionsOf(text: string): Generator<string> {
  let section = '';
  for (const part of partsOf(text)) {
    for (const line of part.isCode ? [part.text] : part.text.split(/(?<=\n)/)) {
      if (!part.isCode && heading.test(line) && section !== '') {
        yield section;
        section = '';
      }
      section += line;
    }
  }
  if (section !== '') yield section;
}
