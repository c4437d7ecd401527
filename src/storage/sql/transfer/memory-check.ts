type Fields = Readonly<Record<string, unknown>>;

interface OpenMemory {
  readonly doc: number;
  readonly isTrashed: boolean;
}

interface ChainedMemory {
  readonly seq: number;
  readonly version: number;
}

/** Checks the numbers by which the memories and versions of one user refer to each other. */
export class MemoryCheck {
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
