export interface ServerSentEvent {
  readonly event: string;
  readonly data: unknown;
}

/** The events of a stream that ended, without its comments. */
export function eventsOf(text: string): ServerSentEvent[] {
  return text.split('\n\n').flatMap((block) => {
    const match = /^event: (\w+)\ndata: (.*)$/.exec(block);
    return match ? [{ event: match[1], data: JSON.parse(match[2]) as unknown }] : [];
  });
}
