import type { ImportRecord, InputFile, Reader } from '../reader.ts';
import { normalisedSentence, stated, storableText } from '../shared/fields.ts';
import { textOrRefusal } from '../shared/json-objects.ts';
import { fileName, idOf } from '../shared/texts.ts';
import { readTime, topicsFrom } from '../shared/values.ts';

const headBytes = 64 * 1024;
const conversation = 'list:memories';

/**
 * Memories that an assistant wrote out when it was asked for them, one a line, with or without a date:
 * `[2026-01-02] - text`. Without any date a list is like any text, and is read by `--as list` only.
 */
export const pastedList: Reader = {
  format: 'list',
  title: 'list of memories, one a line',
  async recognises({ files }) {
    if (files.length !== 1 || !/\.(txt|md|markdown|text)$/i.test(files[0].path)) return false;
    const head = await files[0].head(headBytes);
    // The last line may be cut off.
    const whole = head.length < headBytes / 4 ? head : head.slice(0, head.lastIndexOf('\n') + 1);
    const lines = [...linesOf(whole)].filter(({ kind }) => kind !== 'heading');
    return lines.length > 0 && lines.every(({ kind }) => kind === 'dated');
  },
  async *read({ files }) {
    const seen = new Set<string>();
    for (const file of files) yield* readList(file, seen);
  },
};

async function* readList(file: InputFile, seen: Set<string>): AsyncGenerator<ImportRecord> {
  let topic: string | undefined;
  let duplicates = 0;
  const read = await textOrRefusal(file);
  if ('refusal' in read) return yield { kind: 'refused', at: file.path, reason: read.refusal };
  for (const { number, kind, text, date } of linesOf(read.text)) {
    if (kind === 'heading') topic = text;
    else {
      const externalId = `list:${idOf(normalisedSentence(text))}`;
      if (seen.has(externalId)) {
        duplicates++;
        continue;
      }
      if (seen.size === 0)
        yield { kind: 'conversation', externalId: conversation, title: 'List of memories' };
      seen.add(externalId);
      const stored = stated({ createdAt: readTime(date), topics: topicsFrom(topic) });
      const body = { externalId, content: text, memoryType: 'semantic', ...stored };
      yield { kind: 'memory', at: `${fileName(file.path)}, line ${number}`, conversation, body };
    }
  }
  if (duplicates > 0) yield { kind: 'leftOut', reason: 'duplicate', count: duplicates };
  yield { kind: 'read', size: file.size };
}

interface ListLine {
  readonly number: number;
  readonly kind: 'dated' | 'plain' | 'heading';
  readonly text: string;
  readonly date?: string;
}

const bullet = /^\s*(?:[-*•]|\d+[.)])\s+/;
/** A date in brackets, or the word for one that the assistant does not know. */
const dated = /^\[(\d{4}-\d{2}-\d{2}[^\]]*|unknown[^\]]*|no date)\]\.?\s*(?:[-–—:]\s*)?(.+)$/i;
const heading = /^(?:#{1,6}\s+(.+)|\*\*([^*]+)\*\*:?|([^.!?:]{1,60}):)$/;

/** Lines with a text, without the fences around a list. */
function* linesOf(text: string): Generator<ListLine> {
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const whole = storableText(line.replace(bullet, ''))?.trim();
    if (whole === undefined || /^(```|~~~|---+$)/.test(whole)) continue;
    const [, date, item] = dated.exec(whole) ?? [];
    const titles = bullet.test(line) ? null : heading.exec(whole);
    const title = titles?.slice(1).find((part) => part !== undefined);
    if (item !== undefined) yield { number: i + 1, kind: 'dated', text: item.trim(), date };
    else if (title !== undefined)
      yield { number: i + 1, kind: 'heading', text: title.trim().replace(/:$/, '') };
    else yield { number: i + 1, kind: 'plain', text: whole };
  }
}
