/** One item of the file: the body of a memory to create, or the reason why it has none. */
export interface Item {
  /** Its place in the file, from 1. */
  readonly number: number;
  /** Its name in messages, such as "line 17". */
  readonly label: string;
  /** Its share of `Source.size`. */
  readonly size: number;
  /** Digest of number and text: shows later whether the item is unchanged. */
  readonly digest: number;
  readonly content: Statement | { readonly refusal: string };
}

export interface Statement {
  /** Title of the conversation to make or append to; absent: the body says, or the server decides. */
  readonly conversation: string | undefined;
  /** Items of one group are sent one after another; undefined: in no order. */
  readonly group: string | undefined;
  /** Body of `POST /api/memories`, without the conversation that `conversation` names. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Source {
  /** Sum of the sizes of all items, about. */
  readonly size: number;
  /** From the beginning, each time it is called. */
  items(): AsyncIterable<Item> | Iterable<Item>;
}
