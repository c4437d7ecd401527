/**
 * State of an encoder that runs in the process: `unknown` before its first text, `failing` if its model
 * cannot run, `missing` if the runtime cannot be loaded, so that the static model serves in its place.
 */
export const encoderStates = ['unknown', 'ok', 'failing', 'missing'] as const;

export interface EncoderHealth {
  readonly state: (typeof encoderStates)[number];
  /** Reason for `failing` or `missing`, for users: no text, no path. */
  readonly reason: string | undefined;
}

/** Explains to people how to get a missing encoder; undefined if it is present or none is configured. */
export function missingEncoderNote(encoder: LocalEncoder | undefined): string | undefined {
  if (encoder?.health.state !== 'missing') return undefined;
  return (
    `The encoder cannot be used (${encoder.health.reason}): the static model embeds alone, and searches find less. ` +
    'Install again with ONNXRUNTIME_NODE_INSTALL=skip, or set MEMORYD_EMBEDDER=static to do without.'
  );
}

/** An encoder that runs in the process, as operators see it. */
export interface LocalEncoder {
  readonly model: string;
  readonly health: EncoderHealth;
  /**
   * Calls `changed` for each later change of state. `detail` is
   * for the log: it can contain paths, but no text of a user.
   */
  watch(changed: (health: EncoderHealth, detail: string | undefined) => void): void;
  /** Loads the model before the first text. Never rejects: `health` shows a failure. */
  warm(): Promise<void>;
  /** Ends its thread after the current text; queued ones are rejected. */
  close(): Promise<void>;
}
