import { existsSync, readFileSync } from 'node:fs';

/** Resident memory of a process in MB; undefined where the system does not tell, or the process is gone. */
export function residentMb(pid: number): number | undefined {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return undefined;
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(path, 'utf8'))?.[1];
  return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
}
