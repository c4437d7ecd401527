import { isDeepStrictEqual } from 'node:util';
import jsonc from 'jsonc-parser';

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

/** Sets a member of a JSON file, with or without comments; the rest of the file stays as it is. */
export function jsonMember(path: readonly [string, string], value: unknown): Edit {
  return (given = '') => {
    const mark = given.startsWith(byteOrderMark) ? byteOrderMark : '';
    const text = given.slice(mark.length);
    const errors: jsonc.ParseError[] = [];
    const parsed: unknown = jsonc.parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    if (errors.length > 0 || (parsed !== undefined && !isObject))
      throw new NotEditable('is not a JSON object');
    const formattingOptions = { ...indentOf(text), eol: lineEnd(text) };
    const set = (to: unknown) => {
      const edits = jsonc.modify(text, [...path], to, { formattingOptions });
      return mark + jsonc.applyEdits(text, edits);
    };
    const members = (parsed as Record<string, Record<string, unknown> | undefined> | undefined)?.[path[0]];
    const found = members?.[path[1]];
    return {
      without: found === undefined ? given : set(undefined),
      with: isDeepStrictEqual(found, value) ? given : set(value),
    };
  };
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
