const slotName = Symbol('slot');

/** Stands in a compiled statement for a value that is known only when it runs. It can be passed on, nothing else. */
interface Placeholder {
  readonly [slotName]: string;
}

/** A builder did with an argument what cannot be compiled once for all values. */
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

/** The argument that a parameter of a statement stands for; undefined for a value of the statement itself. */
export function slotOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !(slotName in value)) return undefined;
  return (value as Placeholder)[slotName];
}

/** Arguments by whatever name the builder asks for; which there are is not known, so they cannot be listed. */
export function argumentsOf<A>(given: (name: string) => unknown): A {
  const refuse = () => {
    throw new PlaceholderMisuseError('The arguments were listed or spread');
  };
  return new Proxy({}, { get: (_, name) => given(String(name)), has: refuse, ownKeys: refuse }) as A;
}

/**
 * Values with which a builder must make the same statement as with placeholders: JavaScript tells nobody that a value
 * is tested for truth or compared with another, but a builder that does makes another statement for one of these.
 */
export const probeValues: readonly unknown[] = [0, 1, '', true, null];
