import type { FastifyLoggerOptions } from 'fastify';
import type { LineOutput } from '../lib/buffered-output.ts';

/** Loggable fields of a failure. The message is left out: a driver's may quote stored text. */
export function toLoggedFailure(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return {};
  const { name: type, code, stack = '' } = error as Error & { code?: string };
  const places = stack.split('\n').filter((line) => line.trimStart().startsWith('at '));
  return { type, code, stack: places.join('\n') };
}

function failureIn(first: unknown): unknown {
  if (first instanceof Error) return first;
  return (first as { err?: unknown } | null | undefined)?.err;
}

type LogArguments = Parameters<(first: unknown, message?: string, ...rest: unknown[]) => void>;

/**
 * JSON lines. Errors that Fastify itself logs lose their
 * messages too: some quote the URL with its search text.
 */
export function logOptions(level: string, stream: LineOutput): FastifyLoggerOptions & { stream: LineOutput } {
  const hooks = {
    logMethod(this: unknown, args: LogArguments, method: (...args: LogArguments) => void) {
      const failure = failureIn(args[0]);
      if (failure === undefined) method.apply(this, args);
      else method.apply(this, [{ failure: toLoggedFailure(failure) }, 'failure reported by the framework']);
    },
  };
  return { level, base: undefined, stream, hooks } as FastifyLoggerOptions & { stream: LineOutput };
}
