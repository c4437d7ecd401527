import type { RelationshipEvidence, TextPlace } from '../../../domain/relationships/relationship.ts';
import { isStorable } from '../../../domain/shared/storable-text.ts';
import { userNamePattern } from '../../../domain/users/user.ts';
import { isJsonObject, parseJson } from '../../../lib/json.ts';
import type { RecordCheck, UserHead } from '../../transfer.ts';
import type { UserTable } from '../core/schema.ts';
import { numberRule, textRule, wrongHeadNumbers } from './column-rules.ts';
import { ReferenceCheck, rowName } from './reference-check.ts';
import type { CellType, Column, TableShape } from './table-shapes.ts';

type Fields = Readonly<Record<string, unknown>>;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isText = (value: unknown): value is string => typeof value === 'string' && isStorable(value);

const fits: Readonly<Record<CellType, (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  real: Number.isFinite,
  text: isText,
  bytes: (value) => typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value),
};

const headFields: Readonly<Record<keyof UserHead, (value: unknown) => boolean>> = {
  publicId: isText,
  name: (value) => typeof value === 'string' && userNamePattern.test(value),
  email: isText,
  createdAt: Number.isSafeInteger,
  updatedAt: Number.isSafeInteger,
  rev: isCount,
  epoch: isCount,
  firstDoc: isCount,
  lastDoc: isCount,
};

function wrongNames(fields: Fields, names: readonly string[]): string | undefined {
  const missing = names.find((name) => !Object.hasOwn(fields, name));
  if (missing !== undefined) return `${missing} is missing`;
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  return unknown === undefined ? undefined : `${unknown} is unknown`;
}

/** Checks the records of a file against the tables of this store. */
export class ShapeCheck implements RecordCheck {
  readonly #shapes: readonly TableShape[];
  #head: UserHead | undefined;
  #memories = new MemoryCheck();
  #references = new ReferenceCheck();
  /** Index in `shapes` of the current table; rows come in the order of `shapes`. */
  #place = 0;

  constructor(shapes: readonly TableShape[]) {
    this.#shapes = shapes;
    // Before the first row, so that a column without a rule
    // throws even if no row of the file has a text in it.
    for (const { table, columns } of shapes)
      for (const { name, type } of columns) if (type === 'text') textRule(table, name);
  }

  end(): string[] {
    return [...this.#memories.end(), ...this.#references.end()];
  }

  check(record: unknown): string | undefined {
    if (!isJsonObject(record)) return 'it is no object';
    const wrong = wrongNames(record, 'user' in record ? ['user'] : ['table', 'row']);
    if (wrong !== undefined) return wrong;
    return 'user' in record ? this.#checkHead(record.user) : this.#checkRow(record.table, record.row);
  }

  #checkHead(user: unknown): string | undefined {
    if (!isJsonObject(user)) return 'user is no object';
    const names = Object.keys(headFields) as (keyof UserHead)[];
    const wrong = wrongNames(user, names) ?? names.find((name) => !headFields[name](user[name]));
    if (wrong !== undefined) return `user: ${wrong}`;
    const head = user as unknown as UserHead;
    const wrongNumbers = wrongHeadNumbers(head);
    if (wrongNumbers !== undefined) return `user: ${wrongNumbers}`;
    // Faults that show only at the end of a user are those of the user before this head.
    const [left] = this.end();
    this.#head = head;
    this.#place = 0;
    this.#memories = new MemoryCheck();
    this.#references = new ReferenceCheck();
    return left;
  }

  #checkRow(table: unknown, row: unknown): string | undefined {
    if (!this.#head) return 'a row before its user';
    const place = this.#shapes.findIndex((shape) => shape.table === table);
    if (place < 0) return `there is no table ${String(table)}`;
    if (place < this.#place) return `rows of ${String(table)} must come earlier`;
    this.#place = place;
    if (!isJsonObject(row)) return 'row is no object';
    const shape = this.#shapes[place];
    const wrong =
      wrongNames(
        row,
        shape.columns.map(({ name }) => name),
      ) ?? this.#wrongRow(shape, row);
    return wrong === undefined ? undefined : `${rowName(shape.table, shape.key, row)}: ${wrong}`;
  }

  #wrongRow({ table, key, columns }: TableShape, row: Fields): string | undefined {
    for (const column of columns) {
      const wrong = this.#wrongCell(column, row[column.name]);
      if (wrong !== undefined) return `${column.name} ${wrong}`;
    }
    // A row with a wrong text is still recorded, since other rows refer to it.
    const asOne = [this.#memories.checkRow(table, row), this.#references.checkRow(table, key, row)];
    return wrongText(table, row) ?? wrongTimes(row) ?? asOne.find((wrong) => wrong !== undefined);
  }

  #wrongCell({ name, type, nullable }: Column, value: unknown): string | undefined {
    const head = this.#head as UserHead;
    if (value === null ? !nullable : !fits[type](value)) return `is not ${type}`;
    const rule = numberRule(name);
    if (typeof value === 'number' && !rule.allows(value, head)) return `must be ${rule.says}`;
    if (name === 'doc' && (Number(value) < head.firstDoc || Number(value) > head.lastDoc))
      return 'is beyond those that the user states';
    if (name === 'evidence' && value !== null && !exportedEvidence(value, head))
      return 'must name places in versions of the user';
    return undefined;
  }
}

function wrongText(table: UserTable, row: Fields): string | undefined {
  for (const [name, text] of Object.entries(row)) {
    const wrong = typeof text === 'string' ? textRule(table, name)(text, row) : undefined;
    if (wrong !== undefined) return `${name} ${wrong}`;
  }
  return undefined;
}

function wrongTimes({ valid_from: validFrom, valid_to: validTo }: Fields): string | undefined {
  if (typeof validFrom !== 'number' || typeof validTo !== 'number' || validFrom < validTo) return undefined;
  return 'valid_to must be later than valid_from';
}

interface OpenMemory {
  readonly doc: number;
  readonly isTrashed: boolean;
}

interface ChainedMemory {
  readonly seq: number;
  readonly version: number;
}

/** Checks the numbers by which the memories and versions of one user refer to each other. */
class MemoryCheck {
  readonly #memories = new Map<number, OpenMemory>();
  readonly #docs = new Set<number>();
  /** Memories whose `doc` was not seen among their versions yet. */
  readonly #unmatched = new Set<number>();
  readonly #chains = new Map<string, ChainedMemory[]>();

  /** @returns the fault of the next row of the file, if any */
  checkRow(table: unknown, row: Fields): string | undefined {
    if (table === 'memories') return this.#checkMemory(row);
    const { doc } = row;
    if (typeof doc !== 'number') return undefined;
    if (this.#docs.has(doc)) return `doc ${doc} is used twice`;
    this.#docs.add(doc);
    return table === 'memory_versions' ? this.#checkVersion(row, doc) : undefined;
  }

  /** @returns the faults that show only after the last row of the user */
  end(): string[] {
    const wrong = [...this.#unmatched].map(
      (seq) => `memories: the doc of seq ${seq} is of no open version of it`,
    );
    for (const chain of this.#chains.values()) {
      chain.sort((a, b) => a.seq - b.seq);
      const outOfOrder = chain.find(({ version }, i) => i > 0 && version <= chain[i - 1].version);
      // `chain_version` is the order of supersession.
      if (outOfOrder)
        wrong.push(`memories: chain_version of seq ${outOfOrder.seq} must be above those written before it`);
    }
    return wrong;
  }

  #checkMemory({ seq, doc, trashed_at, chain_id, chain_version }: Fields): string | undefined {
    if (this.#memories.has(Number(seq))) return `seq ${Number(seq)} is used twice`;
    const memory = { doc: Number(doc), isTrashed: trashed_at !== null };
    this.#memories.set(Number(seq), memory);
    // A memory that is being erased may have lost versions already.
    if (!memory.isTrashed) this.#unmatched.add(Number(seq));
    if (typeof chain_id !== 'string') return undefined;
    if (chain_version === null) return 'chain_version must be there where chain_id is';
    const chain = this.#chains.get(chain_id) ?? [];
    chain.push({ seq: Number(seq), version: Number(chain_version) });
    this.#chains.set(chain_id, chain);
    return undefined;
  }

  #checkVersion({ memory_seq, trashed, closed_at: closedAt }: Fields, doc: number): string | undefined {
    const memory = this.#memories.get(Number(memory_seq));
    if (!memory) return `memory_seq ${Number(memory_seq)} is of no memory`;
    if (memory.isTrashed !== (trashed === 1))
      return 'trashed must be 1 for versions of a memory in the trash alone';
    const isOpen = memory.doc === doc;
    if (isOpen !== (closedAt === null))
      return 'closed_at must be null for the version that its memory has as doc';
    if (isOpen) this.#unmatched.delete(Number(memory_seq));
    return undefined;
  }
}

/**
 * The evidence of an edge in an export; undefined if it is
 * malformed or refers to documents outside the user's range.
 */
function exportedEvidence(text: unknown, head: UserHead): RelationshipEvidence | undefined {
  const { earlier, later, also, keepsState } = parsed(text) ?? {};
  if (!isPlace(earlier, head) || !isPlace(later, head)) return undefined;
  const others: readonly unknown[] = Array.isArray(also) ? also : [];
  if (also !== undefined && !Array.isArray(also)) return undefined;
  if (!others.every((place): place is TextPlace => isPlace(place, head))) return undefined;
  return {
    earlier,
    later,
    ...(others.length > 0 && { also: others }),
    ...(keepsState === true && { keepsState }),
  };
}

/** @returns undefined if the text is not a JSON object */
function parsed(text: unknown): Partial<Record<keyof RelationshipEvidence, unknown>> | undefined {
  try {
    const value = parseJson(String(text));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // The caller reports it, with the line of the file.
    return undefined;
  }
}

function isPlace(place: unknown, { firstDoc, lastDoc }: UserHead): place is TextPlace {
  if (!Array.isArray(place) || place.length !== 3 || !place.every(isCount)) return false;
  const [doc, start, end] = place as [number, number, number];
  return doc >= firstDoc && doc <= lastDoc && start <= end;
}

/** The same evidence with document numbers shifted by `docShift`. */
export function movedEvidence(
  { earlier, later, also, keepsState }: RelationshipEvidence,
  docShift: number,
): string {
  const move = ([doc, start, end]: TextPlace): TextPlace => [doc + docShift, start, end];
  return JSON.stringify({ earlier: move(earlier), later: move(later), also: also?.map(move), keepsState });
}
