import type { ToolContext } from './tool.ts';

/** ok: done; error: the domain refused; refused: the call itself was wrong; failed: a fault of the service. */
export type CallOutcome = 'ok' | 'error' | 'refused' | 'failed';

export interface ToolCall {
  /** A name of ours, or `unknown`. */
  readonly tool: string;
  readonly outcome: CallOutcome;
  readonly ms: number;
}

export interface McpServerDeps extends ToolContext {
  /** Lists the tools by the names that agents of this API know, too. */
  readonly showsKnownNames: boolean;
  /** Runs one call in its turn: calls that arrive together run one after another. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Counts a call. */
  onCall(call: ToolCall): void;
}
