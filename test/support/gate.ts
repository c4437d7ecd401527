/** Something that tests hold closed until they open it. */
export interface Gate {
  readonly opened: Promise<void>;
  /** Resolves when somebody waits at it. */
  readonly reached: Promise<void>;
  open(): void;
  /** Runs `work` once the gate is open. */
  pass<T>(work: () => Promise<T>): Promise<T>;
}

export function newGate(): Gate {
  let open = () => {};
  let reach = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return {
    opened,
    reached,
    open,
    pass: async (work) => {
      reach();
      await opened;
      return work();
    },
  };
}
