const slotName = Symbol('slot');

/** Stands in a compiled statement for a value that is known only at the run. It can only be passed on. */
interface Placeholder {
  readonly [slotName]: string;
}

/** A builder used an argument in a way that cannot be compiled once for all values. */
export class PlaceholderMisuseError extends TypeError {
  constructor(what: string) {
    super(
      `${what}: the builder of a UserQuery runs once, before the values are known. Pass its arguments to the statement as they are, and compute or decide outside.`,
    );
    this.name = 'PlaceholderMisuseError';
  }
}

/** Stands for the argument `name`; reading a property of it, calling it or computing with it throws. */
export function placeholder(name: string): unknown {
  return new Proxy(Object.freeze({ [slotName]: name }), {
    get(target, property) {
      if (property === slotName) return target[slotName];
      // Kysely asks every value whether it is an expression.
      if (property === 'toOperationNode') return undefined;
      if (property === Symbol.toPrimitive) {
        return () => {
          throw new PlaceholderMisuseError(`The argument ${name} was computed with or made a text`);
        };
      }
      throw new PlaceholderMisuseError(`${String(property)} of the argument ${name} was read`);
    },
  });
}

/** The name of the argument behind a parameter; undefined for a value of the statement itself. */
export function slotOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !(slotName in value)) return undefined;
  return (value as Placeholder)[slotName];
}

/** Arguments by any name that the builder reads. Their names are unknown, so they cannot be listed. */
export function argumentsOf<A>(given: (name: string) => unknown): A {
  const refuse = () => {
    throw new PlaceholderMisuseError('The arguments were listed or spread');
  };
  return new Proxy({}, { get: (_, name) => given(String(name)), has: refuse, ownKeys: refuse }) as A;
}

/**
 * Values with which a builder must make the same statement as with placeholders.
 * JavaScript cannot detect that a value is tested for truth or compared, but a
 * builder that does so makes another statement for at least one of these.
 */
export const probeValues: readonly unknown[] = [0, 1, '', true, null];
