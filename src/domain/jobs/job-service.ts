import { notFound } from '../shared/errors.ts';
import type { Page } from '../shared/page.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Write, type WriteDeps, writeAs } from '../shared/write.ts';
import type { Job, JobQuery } from './job.ts';

/** Reads the work that is left for the memories of a user, and has it tried again. */
export class JobService {
  readonly #deps: WriteDeps;

  constructor(deps: WriteDeps) {
    this.#deps = deps;
  }

  /**
   * The newest version first. A job that is done is not listed.
   * @throws 422 for a position that the list cannot have returned
   */
  list(user: UserRef, query: JobQuery): Promise<Page<Job>> {
    return this.#deps.stores.forUser(user).jobs.list(query);
  }

  /** A running service takes the job up within a second. @throws 404, also for a job that is done */
  retry(user: UserRef, id: string, act?: KeyedAct<Job>): Promise<Job> {
    const body = async ({ tx }: Write) => {
      await tx.jobs.release(id);
      const job = await tx.jobs.find(id);
      if (!job) throw notFound('job');
      return job;
    };
    return writeAs(this.#deps, user, body, act);
  }
}
