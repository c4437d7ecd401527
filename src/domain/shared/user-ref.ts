/** How a request came in; `import`: as one of the records of an import. */
export const doors = ['http', 'mcp', 'import'] as const;

/** The key of a request and the door it came through. The label is that of the key, which never changes. */
export interface Author {
  readonly keyId: string;
  readonly label: string;
  readonly via: (typeof doors)[number];
}

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
