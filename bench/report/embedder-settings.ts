/** Settings of a service whose answers are judged, not timed: on a busy machine none is made without its encoder. */
export function embedderSettings(embedder: string): Record<string, string> {
  return { MEMORYD_EMBEDDER: embedder, MEMORYD_ENCODER_TIMEOUT_MS: '30000' };
}
