/**
 * The user whose data a call works on. `id` is internal and never
 * leaves the process; `publicId` is the UUID that clients see.
 */
export interface UserRef {
  readonly id: number;
  readonly publicId: string;
  readonly name: string;
}
