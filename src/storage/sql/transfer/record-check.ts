import { userNamePattern } from '../../../domain/users/user.ts';
import type { RecordCheck, UserHead } from '../../transfer.ts';
import { MemoryCheck } from './memory-check.ts';
import { exportedEvidence } from './moved-evidence.ts';
import { numberRule, wrongHeadNumbers } from './number-rules.ts';
import type { CellType, Column, TableShape } from './table-shapes.ts';

type Fields = Readonly<Record<string, unknown>>;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
/** PostgreSQL has no such character in texts. */
const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');

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

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrongNames(fields: Fields, names: readonly string[]): string | undefined {
  const missing = names.find((name) => !Object.hasOwn(fields, name));
  if (missing !== undefined) return `${missing} is missing`;
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  return unknown === undefined ? undefined : `${unknown} is unknown`;
}

/** Records of a file against the tables of this store. */
export class ShapeCheck implements RecordCheck {
  readonly #shapes: readonly TableShape[];
  #head: UserHead | undefined;
  #memories = new MemoryCheck();
  /** Place of the table that rows are of; they come in the order of `shapes`. */
  #place = 0;

  constructor(shapes: readonly TableShape[]) {
    this.#shapes = shapes;
  }

  end(): string | undefined {
    return this.#memories.end();
  }

  check(record: unknown): string | undefined {
    if (!isFields(record)) return 'it is no object';
    const wrong = wrongNames(record, 'user' in record ? ['user'] : ['table', 'row']);
    if (wrong !== undefined) return wrong;
    return 'user' in record ? this.#checkHead(record.user) : this.#checkRow(record.table, record.row);
  }

  #checkHead(user: unknown): string | undefined {
    if (!isFields(user)) return 'user is no object';
    const names = Object.keys(headFields) as (keyof UserHead)[];
    const wrong = wrongNames(user, names) ?? names.find((name) => !headFields[name](user[name]));
    if (wrong !== undefined) return `user: ${wrong}`;
    const head = user as unknown as UserHead;
    const wrongNumbers = wrongHeadNumbers(head);
    if (wrongNumbers !== undefined) return `user: ${wrongNumbers}`;
    // A fault of the user before shows where that user ends.
    const left = this.end();
    this.#head = head;
    this.#place = 0;
    this.#memories = new MemoryCheck();
    return left;
  }

  #checkRow(table: unknown, row: unknown): string | undefined {
    if (!this.#head) return 'a row before its user';
    const place = this.#shapes.findIndex((shape) => shape.table === table);
    if (place < 0) return `there is no table ${String(table)}`;
    if (place < this.#place) return `rows of ${String(table)} must come earlier`;
    this.#place = place;
    const { columns } = this.#shapes[place];
    if (!isFields(row)) return 'row is no object';
    const names = columns.map(({ name }) => name);
    const wrong =
      wrongNames(row, names) ?? this.#wrongCell(columns, row) ?? this.#memories.checkRow(table, row);
    return wrong === undefined ? undefined : `${String(table)}: ${wrong}`;
  }

  #wrongCell(columns: readonly Column[], row: Fields): string | undefined {
    const head = this.#head as UserHead;
    const { firstDoc, lastDoc } = head;
    for (const { name, type, nullable } of columns) {
      const value = row[name];
      if (value === null ? !nullable : !fits[type](value)) return `${name} is not ${type}`;
      const rule = numberRule(name);
      if (typeof value === 'number' && !rule.allows(value, head)) return `${name} must be ${rule.says}`;
      if (name === 'doc' && (Number(value) < firstDoc || Number(value) > lastDoc))
        return 'doc is beyond those that the user states';
      if (name === 'evidence' && value !== null && !exportedEvidence(value, head))
        return 'evidence must name places in versions of the user';
    }
    return undefined;
  }
}
