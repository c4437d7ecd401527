import { titleLengthMax } from '../../../domain/conversations/conversation.ts';
import { contentLengthMax } from '../../../domain/memories/memory.ts';
import { metadataBytesMax } from '../../../domain/memories/metadata.ts';
import { shortExternalId } from '../../../domain/shared/external-id.ts';
import { splitText } from '../../../domain/shared/split-text.ts';
import { isNestedTooDeep } from '../../../lib/json.ts';
import type { ConversationRecord, Fields } from '../readers/reader.ts';

const metadataLevelsKept = 56;

/** Metadata within the bounds, and the names of members that were too large or too deep. */
function fitMetadata(metadata: Fields): { readonly metadata: Fields; readonly dropped: string[] } {
  const kept = new Map(Object.entries(metadata));
  const dropped: string[] = [];
  const drop = (name: string) => {
    kept.delete(name);
    dropped.push(name);
  };
  // Counted from 57 of 64 levels on: the metadata itself and 7 more are left.
  for (const [name, value] of [...kept]) if (isNestedTooDeep(value, metadataLevelsKept + 1)) drop(name);
  const sizes = [...kept].map(([name, value]) => ({ name, size: sizeOf({ [name]: value }) }));
  sizes.sort((a, b) => a.size - b.size);
  while (sizeOf(Object.fromEntries(kept)) > metadataBytesMax) drop(sizes.pop()?.name ?? '');
  return { metadata: Object.fromEntries(kept), dropped };
}

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '');

/** Something that was changed to be storable, in words. */
type OnNote = (reason: string) => void;

interface PreparedBy {
  /** Undefined for our own records. */
  readonly source: string | undefined;
  readonly onNote: OnNote;
}

/** The body with a time that is not in the future and with metadata within its bounds. */
export function prepareBody(body: Fields, { source, onNote }: PreparedBy): Fields {
  const made: Record<string, unknown> = { ...body };
  if (isLater(made.createdAt)) {
    onNote(`the time ${String(made.createdAt)} is to come; it is stored with the time of the import`);
    delete made.createdAt;
  }
  const isObject = typeof body.metadata === 'object' && body.metadata !== null;
  if (source !== undefined && (isObject || body.metadata === undefined)) {
    const { metadata, dropped } = fitMetadata({ source, ...(body.metadata as Fields | undefined) });
    if (dropped.length > 0) onNote(`metadata beyond the bounds is left out: ${dropped.join(', ')}`);
    made.metadata = metadata;
  }
  return made;
}

const isLater = (time: unknown) => typeof time === 'string' && Date.parse(time) > Date.now();

/** The bodies of a memory: one, or one for each part of a text that is too long. */
export function prepareMemory(given: Fields, by: PreparedBy): Fields[] {
  const body = prepareBody(given, by);
  const { content } = body;
  const externalId = shortExternalId(String(body.externalId));
  if (typeof content !== 'string' || by.source === undefined) return [{ ...body, externalId }];
  const text = content.replaceAll('\0', '').toWellFormed();
  const parts = splitText(text, contentLengthMax);
  if (parts.length < 2) return [{ ...body, externalId, content: text }];
  const metadata = body.metadata as Fields;
  return parts.map((part, i) => ({
    ...body,
    externalId: i === 0 ? externalId : shortExternalId(`${String(body.externalId)}#${i + 1}`),
    content: part,
    metadata: { ...metadata, import: { part: i + 1, parts: parts.length } },
  }));
}

/** The body of `POST /api/conversations`. */
export function prepareConversation(
  { title, externalId, kind: _, ...rest }: ConversationRecord,
  by: PreparedBy,
): Fields {
  const whole = by.source === undefined ? title : title.trim().slice(0, titleLengthMax).toWellFormed();
  const body = prepareBody(rest, by);
  return { ...body, title: whole === '' ? 'Untitled' : whole, externalId: shortExternalId(externalId) };
}
