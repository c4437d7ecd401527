/**
 * State of an encoder that runs in the process: `unknown` before its first text, `failing` where its model cannot be run,
 * `missing` where what runs models cannot be loaded, so that the static model serves in its place.
 */
export const encoderStates = ['unknown', 'ok', 'failing', 'missing'] as const;

export interface EncoderHealth {
  readonly state: (typeof encoderStates)[number];
  /** Why it is `failing` or `missing`, for users: no text, no path. */
  readonly reason: string | undefined;
}

/** For people: what a missing encoder means and how to get it; undefined where it is there or none is configured. */
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
  /** Calls `changed` with each change of state from now on, for the log with what more is known of a failure: paths, but no text of a user. */
  watch(changed: (health: EncoderHealth, detail: string | undefined) => void): void;
  /** Loads the model before the first text asks for it. Does not fail: what is amiss shows in `health`. */
  warm(): Promise<void>;
  /** Ends its thread after the text that it works at; the others are given up. */
  close(): Promise<void>;
}
