import { print, printJson } from '../output/print.ts';
import { note } from '../output/terminal.ts';
import { cutToWidth, printableLine } from '../output/text.ts';
import type { ImportRecord, MemoryRecord, NamedRecord, ReadOptions } from './readers/reader.ts';
import type { Source } from './run-import.ts';
import { filesOf } from './sources.ts';
import { type Kind, Report } from './write/report.ts';

const previewedMax = 10;
const previewWidth = 100;

const kindOf = {
  memory: 'memories',
  named: 'named',
  fact: 'facts',
  artifact: 'artifacts',
  relationship: 'relationships',
  narrative: 'narratives',
} as const satisfies Readonly<Partial<Record<ImportRecord['kind'], Kind>>>;

interface PreviewOptions extends ReadOptions {
  readonly json: boolean;
}

/** Reads all and stores nothing. @returns whether a record was refused */
export async function preview(sources: readonly Source[], options: PreviewOptions): Promise<boolean> {
  const counted = new Preview(options);
  for (const { input, reader } of sources)
    for await (const record of reader.read(input, options)) counted.take(record);
  if (options.json) printJson({ data: { files: filesOf(sources), ...counted.toJson() } });
  else {
    for (const text of counted.first) print(`  ${cutToWidth(printableLine(text), previewWidth)}`);
    for (const line of counted.lines()) print(line);
  }
  return counted.report.refused > 0;
}

/** Distinct conversations that are counted; further ones are not. */
const conversationsMax = 100_000;

/** The counts of an import into an empty service. */
class Preview {
  readonly report = new Report();
  readonly first: string[] = [];
  readonly #counts = new Map<Kind, number>();
  readonly #conversations = new Set<string>();
  readonly #options: PreviewOptions;

  constructor(options: PreviewOptions) {
    this.#options = options;
  }

  take(record: ImportRecord): void {
    if (record.kind === 'leftOut') this.report.leaveOut(record.reason, record.count);
    else if (record.kind === 'refused') this.#refuse(record.at, record.reason);
    else if (record.kind === 'noted') this.#note(record.at, record.reason);
    else if (record.kind === 'memory' || record.kind === 'named') this.#takeMemory(record);
    else if (record.kind !== 'read' && record.kind !== 'conversation') this.#count(kindOf[record.kind]);
  }

  #takeMemory(record: MemoryRecord | NamedRecord): void {
    const { body } = record;
    if (this.report.isBefore(body, this.#options.since)) return;
    this.#count(kindOf[record.kind]);
    if (this.first.length < previewedMax) this.first.push(String(body.content ?? ''));
    if (record.kind === 'named' || record.conversation === undefined) return;
    if (this.#conversations.size < conversationsMax) this.#conversations.add(record.conversation);
  }

  #refuse(at: string, reason: string): void {
    this.report.refuse(undefined, at, reason);
    if (!this.#options.json) note(`${at} refused: ${reason}`);
  }

  #note(at: string, reason: string): void {
    this.report.note(at, reason);
    if (!this.#options.json) note(`${at} ${reason}`);
  }

  #count(kind: Kind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  /** By kind, in the order of the report. */
  counts(): Readonly<Record<string, number>> {
    return { conversations: this.#conversations.size, ...Object.fromEntries(this.#counts) };
  }

  lines(): string[] {
    const counts = Object.entries(this.counts()).filter(([kind, count]) => count > 0 || kind === 'memories');
    const would = counts.map(([kind, count]) => `${kind} ${count}`).join(', ');
    return [`would send ${would || 'nothing'}; refused ${this.report.refused}`, ...this.report.details()];
  }

  toJson(): object {
    const { refused, refusals, leftOut, notes, firstTime, lastTime } = this.report.toJson();
    const rest = { refused, refusals, leftOut, notes, firstTime, lastTime };
    return { ...this.counts(), first: this.first, ...rest };
  }
}
