import { invalidInput } from '../../domain/shared/errors.ts';
import { isTooDeep, jsonDepthRule } from '../../lib/json-depth.ts';

/**
 * Messages of people and agents, without tool calls and their results, which are many times as long.
 * @throws 422 for a line that is nested too deeply
 */
export function textsOf(transcript: string): string[] {
  return transcript.split('\n').flatMap((line) => {
    const entry = line.startsWith('{') ? parsed(line) : undefined;
    return entry === undefined ? line : textsOfEntry(entry);
  });
}

/** Undefined for a line that only looks like JSON, such as the first half of a cut one. */
function parsed(line: string): unknown {
  if (isTooDeep(line)) throw invalidInput('a line of transcript', jsonDepthRule);
  try {
    return JSON.parse(line);
  } catch {
    // The line counts as plain text.
    return undefined;
  }
}

interface Entry {
  readonly message?: unknown;
  readonly content?: unknown;
  readonly type?: unknown;
  readonly text?: unknown;
}

/** `{message: {content}}` or `{content}`, where the content is a text or a list of parts, some of them `{type: text, text}`. */
function textsOfEntry(entry: unknown): string[] {
  if (typeof entry === 'string') return [entry];
  if (typeof entry !== 'object' || entry === null) return [];
  const { message, content, type, text } = entry as Entry;
  if (message !== undefined) return textsOfEntry(message);
  if (type === 'text' && typeof text === 'string') return [text];
  if (typeof content === 'string') return type === 'tool_result' ? [] : [content];
  return type !== 'tool_result' && Array.isArray(content) ? content.flatMap(textsOfEntry) : [];
}
