import type { Fields } from '../reader.ts';
import { textOf } from '../shared/fields.ts';

import { readTime, topicsFrom } from '../shared/values.ts';
import { fileTitle } from './note-names.ts';

const text = (value: unknown) => textOf(typeof value === 'number' ? String(value) : value)?.trim();
const list = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).map(text).filter((each) => each !== undefined);

/** Front matter as the tools write it. */
export function titleOf(fields: Fields, path: string): string {
  return text(fields.title) ?? fileTitle(path);
}

export const permalinkOf = (fields: Fields) => text(fields.permalink)?.replace(/^\/+|\/+$/g, '');

export const aliasesOf = ({ aliases, alias }: Fields) => [...list(aliases), ...list(alias)];

/** The id that stays with a note when its file gets another name: its permalink or id, else its path. */
export function noteIdOf(fields: Fields, path: string): string {
  const permalink = permalinkOf(fields);
  if (permalink) return `notes:${permalink}`;
  const id = [fields.id, fields.uid, fields.uuid].map(text).find((each) => each !== undefined);
  return id === undefined ? `notes:${path}` : `notes:id:${id}`;
}

const dayName = /^\d{4}-\d{2}-\d{2}$/;

/** A daily note is about the day that its file is named after. */
export const dayOf = (path: string) =>
  dayName.test(fileTitle(path)) ? readTime(fileTitle(path)) : undefined;

const creationNames = [
  'created',
  'created_at',
  'createdAt',
  'date created',
  'creation date',
  'date',
  'timestamp',
];

/** When the note was written: as the front matter says, else when its file was last changed. */
export function createdOf(fields: Fields, modifiedAt: Date | undefined): { time?: string; unread?: string } {
  const name = creationNames.find((each) => text(fields[each]) !== undefined);
  const generated = (fields.generated as Fields | undefined)?.at;
  const given = name === undefined ? generated : fields[name];
  const time = readTime(given);
  const unread = given !== undefined && time === undefined ? String(given) : undefined;
  return { time: time ?? modifiedAt?.toISOString(), unread };
}

/** Tags of the front matter, then those of the text. */
export function topicsOf({ tags, tag }: Fields, inText: readonly string[]): string[] | undefined {
  const stated = [tags, tag]
    .flatMap((value) => topicsFrom(value) ?? [])
    .map((each) => each.replace(/^#/, ''));
  return topicsFrom([...stated, ...inText]);
}

const used: ReadonlySet<string> = new Set(['tags', 'tag']);
/** Members of the metadata on the source of the note. */
const ours: ReadonlySet<string> = new Set(['source', 'path', 'digest', 'import', 'frontMatter']);

/** The rest of the front matter; a member named like one of ours comes in `frontMatter`. */
export function restOf(fields: Fields): Fields {
  const entries = Object.entries(fields).filter(([name]) => !used.has(name));
  const taken = entries.filter(([name]) => ours.has(name));
  return {
    ...Object.fromEntries(entries.filter(([name]) => !ours.has(name))),
    ...(taken.length > 0 && { frontMatter: Object.fromEntries(taken) }),
  };
}
