import type { ConversationRecord, Input, InputFile, StoredMemory } from '../reader.ts';
import { idOf } from '../shared/texts.ts';
import { splitFrontMatter, storable } from './front-matter.ts';
import { readNoteBody } from './note-body.ts';
import { aliasesOf, noteIdOf, permalinkOf, titleOf } from './note-fields.ts';
import { type NamedNote, NoteNames } from './note-names.ts';
import { faultOf, isOwnNote, ownConversation, ownId } from './own-notes.ts';

/** A note as others link it. */
interface LinkedNote {
  readonly path: string;
  readonly title: string;
  /** External id of the memory that it becomes; undefined: none, as it is empty or is no memory. */
  id: string | undefined;
}

/** A Markdown file of the input, with what other files need to know of it. */
export interface IndexedFile extends LinkedNote {
  readonly file: InputFile;
  /** In `NoteNames`. */
  readonly number: number;
  readonly digest: string;
  readonly isOwn: boolean;
  /** The reason why it cannot be read. */
  readonly refusal?: string;
}

export interface NoteIndex {
  /** In the order of their paths; then files of an export, in the order of writing. */
  readonly files: readonly IndexedFile[];
  readonly names: NoteNames;
  /** By their numbers in `names`: those of the input, then stored ones. */
  readonly notes: readonly LinkedNote[];
  /** Exported conversations, by their ids in the store that they come from. */
  readonly conversations: ReadonlyMap<string, ConversationRecord>;
  readonly leftOut: ReadonlyMap<string, number>;
}

const isMarkdown = ({ path }: InputFile) => /\.(?:md|markdown)$/i.test(path);
/** Settings of a vault. */
const isHidden = ({ path }: InputFile) => /(?:^|\/)\./.test(path);
/** The usual names of folders of templates, which are forms for notes to come. */
const isTemplate = ({ path }: InputFile) => /(?:^|\/)_?templates?\//i.test(path);
/** Names that the Open Knowledge Format keeps for lists of a folder's notes. */
const isListing = ({ path }: InputFile) => /(?:^|\/)(?:index|log)\.md$/.test(path);

export const markdownFiles = ({ files }: Input) => files.filter(isMarkdown);

/** Reads every note once: names, ids and digests of texts are known before the first is stored. */
export async function indexNotes(
  input: Input,
  only: ReadonlySet<string>,
  stored: AsyncIterable<StoredMemory> | undefined,
): Promise<NoteIndex> {
  const counts = new Map<string, number>();
  const leaveOut = (reason: string) => counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const isBundle = await hasVersion(input);
  const templates = await templateFolders(input);
  const indexing: Indexing = { names: new NoteNames(), conversations: new Map() };
  const files: IndexedFile[] = [];
  for (const file of input.files) {
    if (isHidden(file)) continue;
    if (!isMarkdown(file)) leaveOut('other file');
    else if (isTemplate(file) || templates.some((folder) => file.path.startsWith(folder)))
      leaveOut('template');
    else if (isBundle && isListing(file)) leaveOut('list of notes');
    else if (!isChosen(file, only)) leaveOut('not chosen by --only');
    else files.push(await indexFile(file, indexing));
  }
  const others = await claimIds(files, stored);
  for (const note of others) indexing.names.add(note);
  const own = files.filter(({ isOwn }) => isOwn).sort((a, b) => numberOf(a) - numberOf(b));
  return {
    files: [...files.filter(({ isOwn }) => !isOwn), ...own],
    notes: [...files, ...others],
    ...indexing,
    leftOut: counts,
  };
}

interface Indexing {
  readonly names: NoteNames;
  readonly conversations: Map<string, ConversationRecord>;
}

const isChosen = ({ path }: InputFile, only: ReadonlySet<string>) =>
  only.size === 0 || [...only].some((folder) => path.startsWith(`${folder.replace(/\/+$/, '')}/`));

/** Files of an export begin with their number in the order of writing, which is that in a conversation. */
const numberOf = ({ path }: IndexedFile) => Number(/(?:^|\/)(\d+)(?: [^/]*)?\.md$/.exec(path)?.[1] ?? 0);

/** The folders that settings of a vault name, with a slash at their ends. */
async function templateFolders({ files }: Input): Promise<string[]> {
  const folders: string[] = [];
  for (const file of files.filter(isHidden)) {
    const [, name] =
      /"(?:templates_)?folder"\s*:\s*("(?:[^"\\]|\\.)+")/.exec(await file.head(64 * 1024)) ?? [];
    const folder =
      name === undefined
        ? ''
        : textOfJson(name)
            .normalize('NFC')
            .replace(/^\/+|\/+$/g, '');
    const root = file.path.slice(0, file.path.indexOf('.obsidian/'));
    if (folder !== '') folders.push(`${root}${folder}/`);
  }
  return folders;
}

function textOfJson(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    // The setting is damaged: no folder is one of templates by it.
    return '';
  }
}

async function hasVersion({ files }: Input): Promise<boolean> {
  const index = files.find(({ path }) => path === 'index.md');
  return index !== undefined && /^---\s+okf_version\s*:/.test(await index.head(200));
}

async function indexFile(file: InputFile, { names, conversations }: Indexing): Promise<IndexedFile> {
  const { path } = file;
  const nameless = { path, title: '', permalink: undefined, aliases: [] };
  const unread = (number: number, refusal: string) => ({
    file,
    path,
    number,
    title: '',
    id: undefined,
    digest: '',
    refusal,
  });
  let split: ReturnType<typeof splitFrontMatter>;
  try {
    split = splitFrontMatter(await file.text());
  } catch (error) {
    return { ...unread(names.add(nameless), (error as Error).message), isOwn: false };
  }
  const { fields, body } = split;
  if (isOwnNote(fields)) {
    const refusal = faultOf(fields);
    const number = names.add(nameless);
    if (refusal !== undefined) return { ...unread(number, refusal), isOwn: true };
    if (fields.type === 'Conversation') conversations.set(String(fields.id), ownConversation(fields));
    const id = fields.type === 'Memory' ? ownId(fields.id, fields.externalId) : undefined;
    return { file, path, number, title: titleOf(fields, path), id, digest: '', isOwn: true };
  }
  const title = titleOf(fields, path);
  const text = textOfNote(body);
  const number = names.add({ path, title, permalink: permalinkOf(fields), aliases: aliasesOf(fields) });
  const id = text === '' ? undefined : noteIdOf(fields, path);
  return { file, path, number, title, id, digest: idOf(text), isOwn: false };
}

/** The text that is stored: without comments, and blank lines at its ends. */
export const textOfNote = (body: string) =>
  storable(readNoteBody(body).text)
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd();

type StoredNote = NamedNote & { readonly id: string };

/**
 * Gives each note the id under which the store has it. A note that is there under its permalink or path keeps that. Of the
 * others one that has the text of a stored note whose path is gone is that note, under another name. Two files never have one id.
 * @returns stored notes that are not in the input
 */
async function claimIds(
  files: readonly IndexedFile[],
  stored: AsyncIterable<StoredMemory> | undefined,
): Promise<readonly StoredNote[]> {
  const notes = files.filter(({ id, isOwn }) => id !== undefined && !isOwn);
  const known = await readStored(notes, stored);
  const claimed = new Set<string>();
  const claim = (note: IndexedFile, id: string | undefined) => {
    if (id === undefined || claimed.has(id)) return false;
    claimed.add(id);
    note.id = id;
    return true;
  };
  const open = notes.filter((note) => !(known.notes.has(note.id ?? '') && claim(note, note.id)));
  const unknown = open.filter((note) => !claim(note, known.byPath.get(note.path)));
  const renamed = (note: IndexedFile) => {
    const same = (known.byDigest.get(note.digest) ?? []).filter((id) => !claimed.has(id));
    return same.length === 1 ? same[0] : undefined;
  };
  for (const note of unknown)
    if (!claim(note, renamed(note)) && !claim(note, note.id)) claim(note, `notes:${note.path}`);
  return [...known.notes.values()].filter(({ id }) => !claimed.has(id));
}

interface KnownNotes {
  readonly notes: Map<string, StoredNote>;
  readonly byPath: Map<string, string>;
  /** Of notes whose paths are not in the input. */
  readonly byDigest: Map<string, string[]>;
}

async function readStored(
  notes: readonly IndexedFile[],
  stored: AsyncIterable<StoredMemory> | undefined,
): Promise<KnownNotes> {
  const known: KnownNotes = { notes: new Map(), byPath: new Map(), byDigest: new Map() };
  if (stored === undefined || notes.length === 0) return known;
  const paths = new Set(notes.map(({ path }) => path));
  for await (const { externalId: id, metadata } of stored) {
    const { path, digest } = metadata;
    // Further parts of a long note are known by the first.
    if (id === undefined || typeof path !== 'string' || /#\d+$/.test(id)) continue;
    known.notes.set(id, {
      id,
      path,
      title: titleOf(metadata, path),
      permalink: permalinkOf(metadata),
      aliases: aliasesOf(metadata),
    });
    known.byPath.set(path, id);
    if (paths.has(path) || typeof digest !== 'string') continue;
    known.byDigest.set(digest, [...(known.byDigest.get(digest) ?? []), id]);
  }
  return known;
}
