import { EventEmitter } from 'node:events';
import type { ChangeSignals } from '../../../domain/changes/change-feed.ts';
import type { ChangeNotices, SqlDriver } from '../sql-driver.ts';

/** Wakes the readers of a user's changes after each commit of the user, by this process or another. */
export class CommitSignals implements ChangeSignals {
  readonly #events = new EventEmitter().setMaxListeners(0);
  readonly #notices: ChangeNotices | undefined;
  #isListening = false;

  constructor(notices: ChangeNotices | undefined) {
    this.#notices = notices;
  }

  subscribe(userId: number, wake: () => void): () => void {
    if (!this.#isListening) this.#notices?.listen((id) => this.#events.emit(`${id}`));
    this.#isListening = true;
    this.#events.on(`${userId}`, wake);
    return () => this.#events.off(`${userId}`, wake);
  }

  wake(userId: number): void {
    this.#events.emit(`${userId}`);
    this.#notices?.send(userId);
  }

  over(writeOf: SqlDriver['writeOf']): SqlDriver['writeOf'] {
    return async (userId, body) => {
      const result = await writeOf(userId, body);
      this.wake(userId);
      return result;
    };
  }
}
