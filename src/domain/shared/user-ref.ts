/** How a request came in; `import`: as one of the records of an import; `hook`: by `memoryd hook`, without an agent's doing. */
export const doors = ['http', 'mcp', 'import', 'hook'] as const;

/** The program that `memoryd hook` says it is, by which its requests are known. */
export const hookAgent = 'memoryd-hook';
/** Characters of the name of a program. */
export const agentLengthMax = 64;

/** The key of a request and the door it came through. The label is that of the key, which never changes. */
export interface Author {
  readonly keyId: string;
  readonly label: string;
  readonly via: (typeof doors)[number];
  /** The program, as it calls itself; absent if it does not say. */
  readonly agent?: string;
  /** The MCP tool that was called. */
  readonly tool?: string;
}

/** The door, the program and the tool, for people and agents to read. */
export const waysOf = ({ via, agent, tool }: Omit<Author, 'keyId' | 'label'>): readonly string[] =>
  [via, agent, tool].filter((way) => way !== undefined);

/**
 * The user whose data a call works on. `id` is internal and never
 * leaves the process; `publicId` is the UUID that clients see.
 */
export interface UserRef {
  readonly id: number;
  readonly publicId: string;
  readonly name: string;
  /** Who asks; absent in background work. */
  readonly by?: Author;
}
