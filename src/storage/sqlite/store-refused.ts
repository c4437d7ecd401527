/** The store cannot be opened; the message says what to do and is for the operator. */
export class StoreRefusedError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StoreRefusedError';
  }
}
