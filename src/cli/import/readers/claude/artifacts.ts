import { fieldsOf, idText, listOf, storableText } from '../shared/fields.ts';

/** A document that Claude wrote in a conversation, in its last state. */
export interface ClaudeArtifact {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly content: string;
  /** `externalId` of the memory of the message that made it. */
  readonly memory: string | undefined;
}

const artifactsMax = 10_000;

/** Follows the artifacts of one conversation, message by message. */
export class ClaudeArtifacts {
  readonly #artifacts = new Map<string, ClaudeArtifact>();
  /** Changes that could not be made, since the text to replace is not in the artifact. */
  unmatched = 0;

  /** @param content blocks of a message @param memory of this message */
  add(content: unknown, memory: string | undefined): void {
    for (const block of listOf(content)) {
      const { type, name, input } = fieldsOf(block) ?? {};
      const given = type === 'tool_use' ? fieldsOf(input) : undefined;
      if (given) this.#use(String(name), given, memory);
    }
  }

  /** Gives those that were made before any memory this one. */
  ownedBy(memory: string): void {
    for (const [id, artifact] of this.#artifacts)
      if (artifact.memory === undefined) this.#artifacts.set(id, { ...artifact, memory });
  }

  all(): readonly ClaudeArtifact[] {
    return [...this.#artifacts.values()];
  }

  #use(tool: string, input: Readonly<Record<string, unknown>>, memory: string | undefined): void {
    const isArtifact = tool === 'artifacts';
    if (!isArtifact && tool !== 'create_file' && tool !== 'str_replace') return;
    const id = idText(isArtifact ? input.id : input.path);
    if (id === undefined) return;
    const whole = storableText(isArtifact ? input.content : input.file_text);
    const isChange = isArtifact ? input.command === 'update' : tool === 'str_replace';
    if (isChange) this.#replace(id, input);
    else if (whole !== undefined) {
      const before = this.#artifacts.get(id);
      if (!before && this.#artifacts.size >= artifactsMax) return;
      const name = storableText(input.title)?.trim() ?? before?.name ?? id.slice(id.lastIndexOf('/') + 1);
      const type = storableText(input.type) ?? before?.type ?? 'document';
      this.#artifacts.set(id, { id, name, type, content: whole, memory: before ? before.memory : memory });
    }
  }

  #replace(id: string, { old_str, new_str }: Readonly<Record<string, unknown>>): void {
    const before = this.#artifacts.get(id);
    const place =
      before && typeof old_str === 'string' && old_str !== '' ? before.content.indexOf(old_str) : -1;
    if (!before || place === -1) this.unmatched++;
    else {
      const end = place + String(old_str).length;
      const content = `${before.content.slice(0, place)}${typeof new_str === 'string' ? new_str : ''}${before.content.slice(end)}`;
      this.#artifacts.set(id, { ...before, content });
    }
  }
}
