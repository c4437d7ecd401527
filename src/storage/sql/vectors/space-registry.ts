import type { Kysely } from 'kysely';
import type { SpacesToEmbed, SpaceToEmbed } from '../../../domain/embedding/embed-step.ts';
import type { TextVectors } from '../../../domain/shared/text-indexer.ts';
import type { DocumentEncoder, Encoders } from '../../../search-index/ports.ts';
import type { Database } from '../core/schema.ts';
import { readSpaces, type SpaceRow, type SpaceTargets } from './space-table.ts';

interface ImmediateSpace {
  readonly id: number;
  readonly encodeNow: NonNullable<DocumentEncoder['encodeNow']>;
}

/** The spaces as this process last read them, with its encoders for them. */
export class SpaceRegistry implements SpacesToEmbed {
  readonly #encoders: Encoders;
  #rows: readonly SpaceRow[] = [];
  #written: readonly number[] = [];
  #immediate: readonly ImmediateSpace[] = [];
  #revision = -1;

  constructor(encoders: Encoders = { target: undefined, of: () => undefined }) {
    this.#encoders = encoders;
  }

  get rows(): readonly SpaceRow[] {
    return this.#rows;
  }

  /** The encoders that the configuration asks for. */
  get targets(): SpaceTargets {
    return { main: this.#encoders.target, second: this.#encoders.second };
  }

  /** Ids of the spaces that serve or are being built. */
  get written(): readonly number[] {
    return this.#written;
  }

  /** Whether the model of any space is too slow to run inside a write. */
  get hasSlow(): boolean {
    return this.#immediate.length < this.#written.length;
  }

  /** Vectors of a text in the spaces with a model fast enough to run inside a write. */
  vectorsOf(content: string): TextVectors[] {
    return this.#immediate.map(({ id, encodeNow }) => ({ space: id, vectors: encodeNow(content) }));
  }

  /** Revision of the spaces as last read, counted by `lockSpaces`. */
  get revision(): number {
    return this.#revision;
  }

  get newestId(): number {
    return this.#rows.at(-1)?.id ?? 0;
  }

  encoderOf({ space, source }: Pick<SpaceRow, 'space' | 'source'>): DocumentEncoder | undefined {
    return this.#encoders.of(space, source);
  }

  toEmbed(): readonly SpaceToEmbed[] {
    const rows = this.#rows.filter(({ state }) => state !== 'dropping');
    return rows.flatMap((row) => {
      const encoder = this.encoderOf(row);
      return encoder ? [{ id: row.id, encode: (contents) => encoder.encode(contents) }] : [];
    });
  }

  /** Ends the requests to models of former spaces, at the end of the process's work. */
  close(): void {
    this.#encoders.retain?.([]);
  }

  /** The space with this id, read again if it is not known. */
  async find(db: Kysely<Database>, id: number): Promise<SpaceRow | undefined> {
    if (id > this.newestId) await this.refresh(db);
    return this.#rows.find((row) => row.id === id);
  }

  async refresh(db: Kysely<Database>): Promise<void> {
    const counter = await db
      .selectFrom('store_counters')
      .select('value')
      .where('name', '=', 'spaces')
      .executeTakeFirst();
    this.#rows = await readSpaces(db);
    this.#encoders.retain?.(this.#rows);
    this.#revision = counter?.value ?? 0;
    const written = this.#rows.filter(({ state }) => state !== 'dropping');
    this.#written = written.map(({ id }) => id);
    this.#immediate = written.flatMap((row) => {
      const encodeNow = this.encoderOf(row)?.encodeNow;
      return encodeNow ? [{ id: row.id, encodeNow }] : [];
    });
  }
}
