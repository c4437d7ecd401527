import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EntityType } from '../../src/language/entities/entity.ts';

/** A labelled set: one file per kind, in the format of `lab/data/language/README.md`. */
export interface LabelledSet {
  readonly name: string;
  readonly notes: readonly LabelledNote[];
  readonly statements: readonly LabelledStatement[];
  readonly pairs: readonly LabelledPair[];
  readonly aliases: readonly LabelledAlias[];
}

export interface LabelledNote {
  readonly text: string;
  /** Speaker's name at the start; not counted. */
  readonly speaker?: string;
  /** Any of the types is right. */
  readonly entities: readonly {
    readonly text: string;
    readonly type?: EntityType;
    readonly types?: EntityType[];
  }[];
}

export interface LabelledFact {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly isNegated: boolean;
  /** Whether the fact may be found as hedged or planned; it is not counted. */
  readonly isHedged: boolean;
}

export interface LabelledStatement {
  readonly text: string;
  readonly facts: readonly LabelledFact[];
}

/** Duplicates, supersedes, contradicts, resolves, references, none. */
export type PairLabel = 'D' | 'S' | 'C' | 'R' | 'F' | 'N';

export interface LabelledPair {
  readonly earlier: string;
  readonly later: string;
  readonly label: PairLabel;
}

export interface LabelledAlias {
  readonly first: string;
  readonly second: string;
  readonly type: EntityType;
  readonly isSame: boolean;
}

const aliasTypes: Readonly<Record<string, EntityType>> = {
  T: 'TECHNOLOGY',
  P: 'PERSON',
  O: 'ORGANIZATION',
  L: 'LOCATION',
  J: 'PROJECT',
  F: 'FILE',
  C: 'COMPONENT',
  A: 'API_ENDPOINT',
};

const rowsOf = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'));

function toFact(text: string): LabelledFact {
  const [subject, predicate, object] = text.replace(/^[~!] ?/, '').split(' | ');
  return { subject, predicate, object, isNegated: text.startsWith('!'), isHedged: text.startsWith('~') };
}

/** The set of a folder; undefined if it does not exist. */
export function readLabelled(folder: string): LabelledSet | undefined {
  if (!existsSync(folder)) return undefined;
  return {
    name: folder.split('/').at(-1) ?? folder,
    notes: JSON.parse(readFileSync(join(folder, 'notes-entities.json'), 'utf8')),
    statements: rowsOf(join(folder, 'facts.txt')).map(([text, facts]) => ({
      text,
      facts: facts === '-' ? [] : facts.split(' ;; ').map(toFact),
    })),
    pairs: rowsOf(join(folder, 'pairs.tsv')).map(([earlier, later, label]) => ({
      earlier,
      later,
      label: label as PairLabel,
    })),
    aliases: rowsOf(join(folder, 'aliases.tsv')).map(([first, second, type, isSame]) => ({
      first,
      second,
      type: aliasTypes[type],
      isSame: isSame === '1',
    })),
  };
}
