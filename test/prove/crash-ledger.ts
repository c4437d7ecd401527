/** What one writer asked for on one memory, and how much of it was acknowledged before the crash. */
export interface Entry {
  /** The create, as it is sent again with its `Idempotency-Key` where the crash came before its answer. */
  request: { key: string; body: object };
  /** Known once the create was acknowledged. */
  id?: string;
  /** Contents it may show: the acknowledged one, then one asked for and not acknowledged. */
  texts: string[];
  /** A created memory must be there; one that was only asked for may be absent. */
  created: boolean;
  deletion: 'none' | 'asked' | 'done';
}

/** The same for a named memory: the contents of its versions, oldest first. */
export interface Chain {
  name: string;
  acknowledged: string[];
  asked?: string;
}

/** Everything one writer did between two crashes. */
export interface WriterLog {
  entries: Entry[];
  chain: Chain;
}

/** A memory that was found whole after a crash and has to stay as it is. */
export interface Quiesced {
  id: string;
  content: string;
}
