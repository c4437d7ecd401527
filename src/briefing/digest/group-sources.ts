import type { EntityOfMemory, EntityType } from '../../domain/entities/entity.ts';
import { speakerOf } from '../../language/text/speaker.ts';
import type { DigestMaterial, DigestSource, ScoredStatement } from './digest.ts';

/** Statements under one heading. */
export interface StatementGroup {
  /** Undefined: nothing that a heading could name joins them. */
  readonly title: string | undefined;
  /** Best first. */
  readonly statements: readonly ScoredStatement[];
}

/** Below so many statements a digest needs no headings. */
const statementsMin = 6;
const groupMin = 2;
/** A name that more of the sources share does not tell them apart. */
const commonShare = 0.6;
/** Entities that people would write as a heading, with their weights; a topic of a memory has 1. */
const weights: Readonly<Partial<Record<EntityType, number>>> = {
  PROJECT: 0.9,
  FILE: 0.8,
  COMPONENT: 0.8,
  API_ENDPOINT: 0.8,
  TECHNOLOGY: 0.8,
  PERSON: 0.6,
  ORGANIZATION: 0.6,
  LOCATION: 0.4,
};
const ticket = /\b[A-Z]{2,10}-\d{1,6}\b/g;
const confidenceMin = 0.6;

interface Label {
  readonly title: string;
  readonly weight: number;
  readonly numbers: ReadonlySet<number>;
}

/**
 * Statements by what distinguishes them: the topic, name, file or ticket that most of those left share, one after the
 * other. Groups are in the order of their best statement; what shares nothing comes last.
 */
export function groupByMatter(
  { sources, names }: Pick<DigestMaterial, 'sources' | 'names'>,
  statements: readonly ScoredStatement[],
): StatementGroup[] {
  if (statements.length < statementsMin) return [{ title: undefined, statements }];
  const shown = new Set(statements.map(({ source }) => source));
  const labels = labelsOf(
    sources.filter(({ number }) => shown.has(number)),
    names,
  ).filter(({ numbers }) => numbers.size <= shown.size * commonShare);
  const groups: StatementGroup[] = [];
  let left = statements;
  for (;;) {
    const best = labels
      .map((label) => ({ label, own: left.filter(({ source }) => label.numbers.has(source)) }))
      .filter(({ own }) => own.length >= groupMin)
      .sort(
        (a, b) => b.own.length * b.label.weight - a.own.length * a.label.weight || compare(a.label, b.label),
      )[0];
    if (!best) break;
    groups.push({ title: best.label.title, statements: best.own });
    left = left.filter((statement) => !best.own.includes(statement));
  }
  const place = ({ statements: [first] }: StatementGroup) => statements.indexOf(first);
  groups.sort((a, b) => place(a) - place(b));
  return left.length === 0 ? groups : [...groups, { title: undefined, statements: left }];
}

const compare = (a: Label, b: Label) => (a.title < b.title ? -1 : 1);

function labelsOf(sources: readonly DigestSource[], names: DigestMaterial['names']): Label[] {
  const found = new Map<string, { title: string; weight: number; numbers: Set<number> }>();
  const add = (title: string, weight: number, number: number) => {
    const key = title.toLowerCase().replace(/[\s_-]+/g, ' ');
    const known = found.get(key) ?? { title, weight, numbers: new Set<number>() };
    known.numbers.add(number);
    found.set(key, { ...known, weight: Math.max(known.weight, weight) });
  };
  for (const { number, memory } of sources) {
    for (const topic of memory.topics) add(topic, 1, number);
    for (const [id] of memory.content.matchAll(ticket)) add(id, 1, number);
    for (const name of names.get(number) ?? [])
      if (isTelling(name) && !isSpeakerOnly(name, memory.content))
        add(name.name, weights[name.type] ?? 0, number);
  }
  return [...found.values()];
}

const isTelling = ({ type, confidence }: EntityOfMemory) =>
  weights[type] !== undefined && confidence >= confidenceMin;

/** Whether a name is that of the speaker and not in the spoken text: who speaks is no matter. */
function isSpeakerOnly({ name }: EntityOfMemory, content: string): boolean {
  const speaker = speakerOf(content);
  if (!speaker) return false;
  const [known, label] = [name.toLowerCase(), speaker.name.toLowerCase()];
  const isSame = known === label || known.startsWith(`${label} `) || label.startsWith(`${known} `);
  return isSame && !content.slice(speaker.bodyStart).toLowerCase().includes(known.split(' ')[0]);
}

/** The topic or name that most sources of a conversation share: its heading. Undefined if none is in two of them. */
export function commonLabel(
  sources: readonly DigestSource[],
  names: DigestMaterial['names'],
): string | undefined {
  const [best] = labelsOf(sources, names)
    .filter(({ numbers }) => numbers.size >= Math.max(groupMin, sources.length / 2))
    .sort((a, b) => b.numbers.size * b.weight - a.numbers.size * a.weight || compare(a, b));
  return best?.title;
}
