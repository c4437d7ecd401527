import type { ImportRecord } from '../reader.ts';
import { normalisedSentence } from '../shared/fields.ts';
import { idOf } from '../shared/texts.ts';
import type { MemoryTrace } from './messages.ts';

const conversation = 'chatgpt:memory';
const title = 'ChatGPT memory';
/** Sentences and texts that are kept until the end of the export. */
const sentencesMax = 100_000;
const customTextsMax = 1000;

interface Sentence {
  readonly text: string;
  /** Its first place in the export. */
  readonly at: string;
  /** Time of the message that saved it, in milliseconds. */
  writtenAt?: number;
  /** Start of the day that lists give it. */
  listedDay?: number;
  /** Times of the first and the last list that has it. */
  firstListedAt?: number;
  lastListedAt?: number;
}

type CustomName = 'chatgpt-about-me' | 'chatgpt-instructions';

/**
 * ChatGPT's own memory, put together from its traces in the conversations: an export has no list of it. Sentences are
 * known by their text; one that a later list no longer has ends with that list.
 */
export class SavedMemories {
  readonly #sentences = new Map<string, Sentence>();
  /** Milliseconds. */
  readonly #listTimes = new Set<number>();
  readonly #custom: Readonly<Record<CustomName, CustomTexts>> = {
    'chatgpt-about-me': new CustomTexts(),
    'chatgpt-instructions': new CustomTexts(),
  };
  #tooMany = 0;

  /** @param time of the message or conversation, in milliseconds */
  add(trace: MemoryTrace, time: number | undefined, at: string): void {
    if (trace.kind === 'saved') for (const line of trace.lines) this.addSentence(line, time, at);
    else if (trace.kind === 'list') this.#addList(trace.text, time, at);
    else {
      this.#custom['chatgpt-about-me'].add(trace.aboutMe, time, at);
      this.#custom['chatgpt-instructions'].add(trace.instructions, time, at);
    }
  }

  /** A sentence that is known by itself, saved at `time`. */
  addSentence(text: string, time: number | undefined, at: string): void {
    const sentence = this.#sentence(text.replace(/^\s*[-*•]\s+/, ''), at);
    if (sentence && time !== undefined) sentence.writtenAt = Math.min(time, sentence.writtenAt ?? time);
  }

  #addList(list: string, time: number | undefined, at: string): void {
    if (time !== undefined) this.#listTimes.add(time);
    for (const { day, text } of itemsOf(list)) {
      const sentence = this.#sentence(text, at);
      if (!sentence) continue;
      if (day !== undefined) sentence.listedDay = Math.min(day, sentence.listedDay ?? day);
      if (time === undefined) continue;
      sentence.firstListedAt = Math.min(time, sentence.firstListedAt ?? time);
      sentence.lastListedAt = Math.max(time, sentence.lastListedAt ?? time);
    }
  }

  #sentence(text: string, at: string): Sentence | undefined {
    const key = normalisedSentence(text);
    if (key === '') return undefined;
    const known = this.#sentences.get(key);
    if (known) return known;
    if (this.#sentences.size >= sentencesMax) {
      this.#tooMany++;
      return undefined;
    }
    const added: Sentence = { text: text.trim(), at };
    this.#sentences.set(key, added);
    return added;
  }

  *records(): Generator<ImportRecord> {
    const lists = [...this.#listTimes].sort((a, b) => a - b);
    const sentences = [...this.#sentences];
    if (sentences.length > 0)
      yield { kind: 'conversation', externalId: conversation, title, ...createdAtOf(earliest(sentences)) };
    for (const [key, sentence] of sentences) {
      const ended = endOf(sentence, lists);
      const body = {
        externalId: `chatgpt:memory:${idOf(key)}`,
        content: sentence.text,
        memoryType: 'semantic',
        ...createdAtOf(timeOf(sentence)),
        ...(ended === undefined ? {} : { validTo: new Date(ended).toISOString() }),
      };
      yield { kind: 'memory', at: sentence.at, conversation, body };
    }
    if (this.#tooMany > 0)
      yield { kind: 'leftOut', reason: 'more than 100,000 saved memories', count: this.#tooMany };
    for (const [name, texts] of Object.entries(this.#custom)) {
      const newest = texts.newest();
      if (newest)
        yield {
          kind: 'named',
          at: newest.at,
          name,
          body: { content: newest.text, ...createdAtOf(newest.since) },
        };
    }
  }
}

function createdAtOf(time: number | undefined): { readonly createdAt?: string } {
  return time === undefined ? {} : { createdAt: new Date(time).toISOString() };
}

const timeOf = ({ writtenAt, listedDay, firstListedAt }: Sentence) => writtenAt ?? listedDay ?? firstListedAt;

function earliest(sentences: readonly (readonly [string, Sentence])[]): number | undefined {
  const times = sentences.map(([, sentence]) => timeOf(sentence)).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
}

/** Time of the first list after a sentence was last seen: the newest list no longer has it either. */
function endOf({ writtenAt, lastListedAt }: Sentence, lists: readonly number[]): number | undefined {
  if (writtenAt === undefined && lastListedAt === undefined) return undefined;
  const seen = Math.max(writtenAt ?? 0, lastListedAt ?? 0);
  return lists.find((time) => time > seen);
}

interface Item {
  readonly day: number | undefined;
  readonly text: string;
}

const itemStart = /^\s*\d+\.\s*(?:\[(\d{4}-\d{2}-\d{2})[^\]]*\]\s*[.:-]?\s*)?(.*)$/;

/** Items of `1. [2025-05-02]. Text`; a line without a number goes on the item before. */
function itemsOf(list: string): readonly Item[] {
  const items: Item[] = [];
  for (const line of list.split('\n')) {
    const [, day, text] = itemStart.exec(line) ?? [];
    const last = items.pop();
    if (text !== undefined || !last) {
      if (last) items.push(last);
      const time = day === undefined ? Number.NaN : Date.parse(`${day}T00:00:00Z`);
      items.push({ day: Number.isNaN(time) ? undefined : time, text: text ?? line });
    } else items.push({ ...last, text: `${last.text}\n${line}` });
  }
  return items;
}

interface CustomText {
  readonly text: string;
  readonly at: string;
}

/** Texts that each conversation repeats, of which the newest counts. */
class CustomTexts {
  readonly #texts = new Map<string, CustomText>();
  readonly #seen: { readonly text: string; readonly time: number }[] = [];

  add(text: string | undefined, time = 0, at = ''): void {
    if (text === undefined || (!this.#texts.has(text) && this.#texts.size >= customTextsMax)) return;
    if (!this.#texts.has(text)) this.#texts.set(text, { text, at });
    this.#seen.push({ text: this.#texts.get(text)?.text ?? text, time });
  }

  /** With the time since when no other text was seen. */
  newest(): (CustomText & { readonly since: number | undefined }) | undefined {
    const seen = this.#seen.toSorted((a, b) => a.time - b.time);
    const last = seen.at(-1);
    const found = last && this.#texts.get(last.text);
    if (!found) return undefined;
    const before = seen.findLastIndex(({ text }) => text !== found.text);
    return { ...found, since: seen[before + 1].time || undefined };
  }
}
