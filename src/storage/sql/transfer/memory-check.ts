type Fields = Readonly<Record<string, unknown>>;

interface OpenMemory {
  readonly doc: number;
  readonly isTrashed: boolean;
}

/** The numbers by which the memories of one user and their versions refer to each other. */
export class MemoryCheck {
  readonly #memories = new Map<number, OpenMemory>();
  readonly #docs = new Set<number>();
  /** Memories whose document was not found among their versions yet. */
  readonly #unmatched = new Set<number>();

  /** @returns what is wrong with the next row of the file */
  checkRow(table: unknown, row: Fields): string | undefined {
    if (table === 'memories') return this.#checkMemory(row);
    const { doc } = row;
    if (typeof doc !== 'number') return undefined;
    if (this.#docs.has(doc)) return `doc ${doc} is used twice`;
    this.#docs.add(doc);
    return table === 'memory_versions' ? this.#checkVersion(row, doc) : undefined;
  }

  /** @returns what is wrong once all rows of the user were seen */
  end(): string | undefined {
    const [seq] = this.#unmatched;
    return seq === undefined ? undefined : `memories: the doc of seq ${seq} is of no version of it`;
  }

  #checkMemory({ seq, doc, trashed_at }: Fields): string | undefined {
    if (this.#memories.has(Number(seq))) return `seq ${Number(seq)} is used twice`;
    const memory = { doc: Number(doc), isTrashed: trashed_at !== null };
    this.#memories.set(Number(seq), memory);
    // Of one that is being erased, versions may be gone already.
    if (!memory.isTrashed) this.#unmatched.add(Number(seq));
    return undefined;
  }

  #checkVersion({ memory_seq, trashed }: Fields, doc: number): string | undefined {
    const memory = this.#memories.get(Number(memory_seq));
    if (!memory) return `memory_seq ${Number(memory_seq)} is of no memory`;
    if (memory.isTrashed !== (trashed === 1))
      return 'trashed must be 1 for versions of a memory in the trash alone';
    if (memory.doc === doc) this.#unmatched.delete(Number(memory_seq));
    return undefined;
  }
}
