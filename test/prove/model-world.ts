/** What the service has to show of one memory. */
export interface ModelMemory {
  id: string;
  content: string;
  topics: string[];
  memoryType: string;
  context: string | undefined;
  metadata: Record<string, unknown> | undefined;
  conversationId: string;
  name: string | undefined;
  /** The named chain it is a version of, and its number there as far as it was told. */
  chain: string | undefined;
  version: number;
  /** The memory that this one supersedes. */
  supersedes: string | undefined;
}

/** Everything one user has, as simple as it can be said. Named chains and states follow ADR 4. */
export class World {
  readonly memories = new Map<string, ModelMemory>();
  readonly conversations = new Set<string>();
  /** Those with a title of their own: the others are listed only while a memory is in them. */
  readonly titled = new Set<string>();
  readonly deletedIds: string[] = [];
  /** Conversations by the agent session that they were made for. */
  readonly sessions = new Map<string, string>();
  /** Chains that ever had more than one version. */
  readonly grownChains = new Set<string>();

  list(): ModelMemory[] {
    return [...this.memories.values()];
  }

  /** Whatever was deleted in between, a version is superseded while a later one of its chain is there. */
  stateOf(id: string): 'current' | 'superseded' {
    const memory = this.memories.get(id);
    const isOutdated = this.list().some(
      ({ supersedes, chain, version }) =>
        supersedes === id ||
        (chain !== undefined && chain === memory?.chain && version > (memory?.version ?? 0)),
    );
    return isOutdated ? 'superseded' : 'current';
  }

  /** Versions of the chains that have more than one. */
  versions(): ModelMemory[] {
    return this.list().filter(({ chain }) => chain !== undefined && this.grownChains.has(chain));
  }

  named(name: string): ModelMemory | undefined {
    return this.list().find((memory) => memory.name === name);
  }

  names(): string[] {
    return this.list().flatMap((memory) => memory.name ?? []);
  }

  countIn(conversationId: string): number {
    return this.list().filter((memory) => memory.conversationId === conversationId).length;
  }

  topicCounts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const memory of this.memories.values())
      for (const topic of memory.topics) counts.set(topic, (counts.get(topic) ?? 0) + 1);
    return counts;
  }

  /** A deleted head gives its name back to the newest version that is left. */
  remove(id: string): void {
    const memory = this.memories.get(id);
    if (!memory) return;
    this.memories.delete(id);
    this.deletedIds.push(id);
    if (memory.name === undefined || memory.chain === undefined) return;
    const left = this.list().filter((other) => other.chain === memory.chain);
    const heir = left.toSorted((a, b) => b.version - a.version)[0];
    if (heir) heir.name = memory.name;
  }

  removeConversation(id: string): void {
    for (const memory of this.list()) if (memory.conversationId === id) this.remove(memory.id);
    this.conversations.delete(id);
    for (const [session, conversation] of this.sessions)
      if (conversation === id) this.sessions.delete(session);
  }
}
