/** One question to an LLM. */
export interface ChatRequest {
  readonly instructions: string;
  /** What the question is about, as JSON: data, never part of the instructions. */
  readonly data: unknown;
  /** JSON schema of the response. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface ChatResponse {
  /** Parsed and otherwise unchecked. */
  readonly value: unknown;
  /** Input and output together, as the server counts them; undefined where it does not say. */
  readonly tokens: number | undefined;
}

/** An LLM that answers in JSON. It is given no tools. */
export interface Chat {
  /** @throws LlmError */
  ask(request: ChatRequest, closing: AbortSignal): Promise<ChatResponse>;
}
