import { isDeepStrictEqual } from 'node:util';
import jsonc from 'jsonc-parser';
import { isJsonObject } from '../../lib/json.ts';

/** A file cannot be edited without harm: the message says why, as the end of a sentence about the file. */
export class NotEditable extends Error {}

/** Two texts of one file: without what `connect` writes into it, and with it. */
interface Edited {
  readonly without: string;
  readonly with: string;
}

/** @param text of the file; undefined: there is none. @throws NotEditable */
export type Edit = (text: string | undefined) => Edited;

const byteOrderMark = '\ufeff';
const lineEnd = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');

/** Indents as the file does, by its first indented line. */
function indentOf(text: string): { insertSpaces: boolean; tabSize: number } {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  return { insertSpaces: !indent.startsWith('\t'), tabSize: Math.min(indent.length, 8) };
}

/** The members of a JSON file, with or without comments, and a way to set one. @throws NotEditable */
function openJson(given: string) {
  const mark = given.startsWith(byteOrderMark) ? byteOrderMark : '';
  const text = given.slice(mark.length);
  const errors: jsonc.ParseError[] = [];
  const parsed: unknown = jsonc.parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors.length > 0 || (parsed !== undefined && !isJsonObject(parsed)))
    throw new NotEditable('is not a JSON object');
  const options = { formattingOptions: { ...indentOf(text), eol: lineEnd(text) } };
  const set = (path: jsonc.JSONPath, to: unknown) =>
    mark + jsonc.applyEdits(text, jsonc.modify(text, path, to, options));
  return { members: isJsonObject(parsed) ? parsed : {}, set };
}

/** Sets a member of a JSON file; the rest of the file stays as it is. */
export function jsonMember(path: readonly [string, string], value: unknown): Edit {
  return (given = '') => {
    const { members, set: setAt } = openJson(given);
    const set = (to: unknown) => setAt([...path], to);
    const inner = members[path[0]];
    const found = isJsonObject(inner) ? inner[path[1]] : undefined;
    return {
      without: found === undefined ? given : set(undefined),
      with: isDeepStrictEqual(found, value) ? given : set(value),
    };
  };
}

/** A file of JSON that is ours alone; one of somebody else comes back when ours goes. */
export function ownFile(value: object): Edit {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  return (given = '') => ({ without: given === text ? '' : given, with: text });
}

/** Ends the command of a hook of ours: a comment of the shell, by which it is found again. */
export const hookMark = '# memoryd connect';

const isOurs = (entry: unknown) => JSON.stringify(entry)?.includes(hookMark) ?? false;

/**
 * Adds an entry to the lists of events below `hooks`, as Claude Code and Cursor have them; entries of others stay.
 * @param members that the file must have, too; those of others stay
 */
export function hookEntries(
  entries: Readonly<Record<string, object>>,
  members: Readonly<Record<string, unknown>> = {},
): Edit {
  return (given = '') => {
    let without = given;
    let text = given;
    for (const [name, value] of Object.entries(members)) text = withMember(text, name, value);
    for (const [event, entry] of Object.entries(entries)) {
      without = withEntry(without, event, undefined);
      text = withEntry(text, event, entry);
    }
    return { without, with: text };
  };
}

function withMember(text: string, name: string, value: unknown): string {
  const { members, set } = openJson(text);
  return name in members ? text : set([name], value);
}

/** The text with this entry of ours, or none, in the list of an event. @throws NotEditable */
function withEntry(text: string, event: string, entry: object | undefined): string {
  const { members, set } = openJson(text);
  const { hooks = {} } = members;
  const list = isJsonObject(hooks) ? (hooks[event] ?? []) : undefined;
  if (!isJsonObject(hooks) || !Array.isArray(list)) throw new NotEditable('has hooks of an unknown form');
  const at = list.findIndex(isOurs);
  if (at >= 0 && isDeepStrictEqual(list[at], entry)) return text;
  if (at >= 0 && entry) return set(['hooks', event, at], entry);
  if (at < 0)
    return entry
      ? set(['hooks', event, ...(list.length > 0 ? [-1] : [])], list.length > 0 ? entry : [entry])
      : text;
  if (list.length > 1) return set(['hooks', event, at], undefined);
  return Object.keys(hooks).length > 1 ? set(['hooks', event], undefined) : set(['hooks'], undefined);
}

interface Block {
  /** Lines around the block, by which it is found again. */
  readonly begin: string;
  readonly end: string;
  readonly lines: readonly string[];
  /** A pattern that the rest of the file must not have, and the sentence about it. */
  readonly not?: { readonly pattern: RegExp; readonly sentence: string };
}

/** Adds lines to the end of a text file, between two lines that mark them. */
export function markedBlock({ begin, end, lines, not }: Block): Edit {
  return (given = '') => {
    const eol = lineEnd(given);
    const [from, to] = [given.indexOf(begin), given.indexOf(end)];
    if (from < 0 !== to < 0 || to < from)
      throw new NotEditable(`has only one of the lines ${begin} and ${end}`);
    const without =
      from < 0 ? given : given.slice(0, from) + given.slice(to + end.length).replace(/^(\r?\n)/, '');
    if (not?.pattern.test(without)) throw new NotEditable(not.sentence);
    const ended = without === '' || without.endsWith('\n') ? without : without + eol;
    return { without, with: `${ended}${[begin, ...lines, end].join(eol)}${eol}` };
  };
}
