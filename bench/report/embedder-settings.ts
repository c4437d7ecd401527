/**
 * Settings of a service whose results are judged, not timed: no
 * search goes without its encoder on a busy machine.
 */
export function embedderSettings(embedder: string): Record<string, string> {
  return { MEMORYD_EMBEDDER: embedder, MEMORYD_ENCODER_TIMEOUT_MS: '30000' };
}
