import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';

/** `failed`: given up after three tries, until it is tried again. */
export const jobStates = ['waiting', 'running', 'failed'] as const;
export type JobState = (typeof jobStates)[number];

/** A step that is to be done for one version of a memory. */
export interface Job {
  /** Unique for the user: the step, its version and the number of the memory's version. */
  readonly id: string;
  readonly step: string;
  readonly state: JobState;
  readonly memoryId: string;
  readonly conversationId: string;
  /** Failed tries. */
  readonly attempts: number;
  /** Code or kind of the last error, never its text. */
  readonly lastError: string | undefined;
  readonly failedAt: EpochMs | undefined;
  /** When the version was written. */
  readonly since: EpochMs;
}

export interface JobQuery extends PageRequest {
  readonly state?: JobState;
  readonly step?: string;
}

export interface JobReader {
  /** The newest version first. */
  list(query: JobQuery): Promise<Page<Job>>;
  find(id: string): Promise<Job | undefined>;
}

export interface JobWriter extends JobReader {
  /** Makes a job due now, with all its tries; a running one stays as it is. */
  release(id: string): Promise<void>;
}
