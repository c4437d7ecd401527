import type { Fields } from '../reader.ts';
import { isFields, textOf } from '../shared/fields.ts';

/** The part of a line of a session of Claude Code in the conversation. */
export interface TalkLine {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** User lines that no user wrote, by their beginning. */
const notTyped =
  /^\s*(<(command-(name|message|args)|local-command-[a-z]+|bash-(input|stdout|stderr)|task-notification)\b|\[Request interrupted)/;
const reminders = /<system-reminder>[\s\S]*?(<\/system-reminder>|$)/g;

/** The typed prompt or the text of an answer; or the reason why the line has none. */
export function talkOf(line: Fields): TalkLine | { readonly leftOut: string } {
  const { type, message } = line;
  if ((type !== 'user' && type !== 'assistant') || !isFields(message))
    return { leftOut: 'line without talk' };
  if (line.isSidechain === true) return { leftOut: 'subagent' };
  if (line.isCompactSummary === true) return { leftOut: 'summary of a compaction' };
  if (line.isMeta === true || line.isVisibleInTranscriptOnly === true) return { leftOut: 'hidden message' };
  if (line.isApiErrorMessage === true) return { leftOut: 'error message' };
  const text = textOfBlocks(message.content, type);
  if (text === undefined) return { leftOut: 'tools and thinking' };
  return notTyped.test(text) ? { leftOut: 'command' } : { role: type, text };
}

function textOfBlocks(content: unknown, role: string): string | undefined {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
  const texts = blocks
    .map((block) => (isFields(block) && block.type === 'text' ? textOf(block.text) : undefined))
    .map((text) => (role === 'user' ? textOf(text?.replace(reminders, '')) : text)?.trim())
    .filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

/** Types of the blocks that are neither text nor of tools, such as images. */
export function attachmentsOf(line: Fields): readonly { readonly type: string }[] {
  const content = isFields(line.message) ? line.message.content : undefined;
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => {
    if (!isFields(block) || (block.type !== 'image' && block.type !== 'document')) return [];
    const { source } = block;
    const media = isFields(source) ? textOf(source.media_type) : undefined;
    return [{ type: media ?? String(block.type) }];
  });
}

/** The data of a line from which the shape of a session follows. */
interface Entry {
  /** Of the line before it in the conversation. */
  readonly parent: string | undefined;
  /** Of the line before it in the file, for a parent that is in another file. */
  readonly before: string | undefined;
  readonly messageId: string | undefined;
}

/**
 * The lines of a session that are part of the conversation: a rewind leaves siblings, and the line from the last entry upward
 * counts. A compaction begins with no parent and goes on by its logical one.
 */
export class SessionShape {
  readonly #entries = new Map<string, Entry>();
  #last: string | undefined;
  #customTitle: string | undefined;
  #aiTitle: string | undefined;
  sessionId: string | undefined;
  firstTime = '';
  lastTime = '';

  add(line: Fields): void {
    if (line.type === 'custom-title') this.#customTitle = textOf(line.customTitle) ?? this.#customTitle;
    if (line.type === 'ai-title') this.#aiTitle = textOf(line.aiTitle) ?? this.#aiTitle;
    const { uuid, parentUuid, logicalParentUuid, timestamp, message } = line;
    if (typeof uuid !== 'string' || line.isSidechain === true) return;
    this.sessionId ??= textOf(line.sessionId);
    if (typeof timestamp === 'string') {
      this.firstTime ||= timestamp;
      this.lastTime = timestamp;
    }
    const id = isFields(message) && line.type === 'assistant' ? textOf(message.id) : undefined;
    const parent = textOf(parentUuid) ?? textOf(logicalParentUuid);
    this.#entries.set(uuid, { parent, before: this.#last, messageId: id });
    this.#last = uuid;
  }

  get title(): string | undefined {
    return this.#customTitle ?? this.#aiTitle;
  }

  /** The ids of lines, and of messages, that are part of the conversation. */
  chain(): ReadonlySet<string> {
    const chain = new Set<string>();
    for (let uuid = this.#last; uuid !== undefined && !chain.has(uuid); ) {
      const entry = this.#entries.get(uuid);
      if (!entry) break;
      chain.add(uuid);
      if (entry.messageId !== undefined) chain.add(entry.messageId);
      const { parent, before } = entry;
      uuid = parent === undefined || this.#entries.has(parent) ? parent : before;
    }
    return chain;
  }
}
