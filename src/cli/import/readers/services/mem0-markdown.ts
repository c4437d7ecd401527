import type { Fields } from '../reader.ts';

const member = /^([a-z_]+):\s*(.*)$/;
/** Lines of the head of one memory. */
const headLinesMax = 60;

/** Whether a file is an export of the plugin of mem0: a head between `---` that begins with an id, then the text. */
export function looksAsExport(head: string): boolean {
  return /^\ufeff?\s*---\r?\nid:[^\n]*\n(?:[a-z_]+:[^\n]*\n)*?created_at:/.test(head);
}

/** The memories of such a file; a line `---` within a text is one of the text, unless a head follows. */
export function* markdownBlocks(text: string): Generator<{ readonly at: string; readonly fields: Fields }> {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  let head: { readonly fields: Fields; readonly line: number; readonly textFrom: number } | undefined;
  for (let i = 0; i <= lines.length; i++) {
    const next = i < lines.length ? headAt(lines, i) : undefined;
    if (!next && i < lines.length) continue;
    if (head) {
      const content = lines.slice(head.textFrom, i).join('\n').trim();
      yield { at: `line ${head.line}`, fields: { ...head.fields, content } };
    }
    head = next && { ...next, line: i + 1 };
    if (next) i = next.textFrom - 1;
  }
}

function headAt(lines: readonly string[], start: number) {
  if (lines[start].trim() !== '---' || !/^id:/.test(lines[start + 1] ?? '')) return undefined;
  const fields: Record<string, string> = {};
  for (let i = start + 1; i < Math.min(lines.length, start + headLinesMax); i++) {
    if (lines[i].trim() === '---') return { fields, textFrom: i + 1 };
    const [, name, value] = member.exec(lines[i]) ?? [];
    if (name === undefined) return undefined;
    fields[name] = value.trim();
  }
  return undefined;
}
