import { isJsonObject } from '../../../../lib/json.ts';
import type { Fields } from '../reader.ts';

/*
 * Values of foreign JSON: each function takes anything, and gives undefined or nothing for a value of another type.
 */

export const isFields: (value: unknown) => value is Fields = isJsonObject;

export const fieldsOf = (value: unknown): Fields | undefined => (isFields(value) ? value : undefined);

/** The members of an object, or of one that is kept as JSON text, as databases do; none for anything else. */
export function fieldsIn(value: unknown): Fields {
  if (typeof value !== 'string') return fieldsOf(value) ?? {};
  try {
    return fieldsOf(JSON.parse(value)) ?? {};
  } catch {
    // A text that is not JSON has no members.
    return {};
  }
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that is not blank. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** A text that is not blank, as it can be stored: without NUL characters and halves of surrogate pairs. */
export function storableText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.includes('\0') ? value.replaceAll('\0', '') : value;
  return text.trim() === '' ? undefined : text.toWellFormed();
}

/** The first member of these names that is a text. */
export function firstText(fields: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = storableText(fields[name]);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** An id in a file: a text without surrounding white space, or a number. */
export function idText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return storableText(value)?.trim();
}

/** The members that have a value: neither undefined, null, an empty text, list nor object. */
export function stated(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** For comparing sentences: without differences of case, width, white space and a full stop at the end. */
export function normalisedSentence(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim().replace(/\.$/, '');
}

/** A part of the name of a named memory: small letters, digits and dashes; empty if nothing of it can be written so. */
export function slugOf(text: string, lengthMax = 40): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, lengthMax)
    .replace(/^-+|-+$/g, '');
}
