import { AppError } from './errors.ts';

/** Throws 412 where a change was asked for on the condition that the record is as the caller saw it, and it is not. */
export type Precondition<R> = (record: R) => void;

export const editConflict = () =>
  new AppError('EDIT_CONFLICT', 'If-Match names a version that is no longer the current one.');
