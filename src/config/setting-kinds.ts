/** One setting: its parser, its default and its purpose. */
export interface Setting<T> {
  readonly defaultText: string;
  /** For the documents, if the default depends on other things. */
  readonly defaultNote?: string;
  readonly description: string;
  readonly kind: string;
  /** Whether the value is a secret and must not be shown. */
  readonly secret?: boolean;
  /** Reads the text; the thrown message completes the sentence "NAME …". */
  read(text: string): T;
}

export function whole(defaultValue: number, min: number, max: number, description: string): Setting<number> {
  return {
    defaultText: String(defaultValue),
    kind: `whole number, ${min} to ${max}`,
    description,
    read(text) {
      const value = Number(text);
      if (/^\d+$/.test(text) && value >= min && value <= max) return value;
      throw new Error(`must be a whole number from ${min} to ${max}`);
    },
  };
}

export function share(defaultValue: number, description: string): Setting<number> {
  return {
    defaultText: String(defaultValue),
    kind: 'number, 0 to 1',
    description,
    read(text) {
      const value = Number(text);
      if (/^[\d.]+$/.test(text) && value >= 0 && value <= 1) return value;
      throw new Error('must be a number from 0 to 1');
    },
  };
}

export function choice<const C extends readonly string[]>(
  values: C,
  description: string,
): Setting<C[number]> {
  return {
    defaultText: values[0],
    kind: values.join(', '),
    description,
    read(text) {
      const value = values.find((known) => known === text);
      if (value !== undefined) return value;
      throw new Error(`must be one of ${values.join(', ')}`);
    },
  };
}

export function flag(defaultValue: boolean, description: string): Setting<boolean> {
  const base = choice(defaultValue ? ['true', 'false'] : ['false', 'true'], description);
  return { ...base, kind: 'true, false', read: (text) => base.read(text) === 'true' };
}

const lengthMax = 500;

/** A short text; empty if not given. */
export function text(description: string): Setting<string> {
  return {
    defaultText: '',
    kind: 'text',
    description,
    read(value) {
      if (value.length <= lengthMax) return value;
      throw new Error(`must have at most ${lengthMax} characters`);
    },
  };
}

/** Empty counts as not given. */
export function optional<T>(
  setting: Pick<Setting<T>, 'kind' | 'description' | 'secret' | 'read'>,
): Setting<T | undefined> {
  return { ...setting, defaultText: '', read: (value) => (value === '' ? undefined : setting.read(value)) };
}

/** An origin that clients reach from elsewhere: https, or http on this machine for trials. */
export const publicOrigin = (description: string): Setting<string | undefined> =>
  optional({
    kind: 'origin such as https://memory.example.com',
    description,
    read(value) {
      const parsed = URL.canParse(value) ? new URL(value) : undefined;
      const isLocal = parsed && /^(?:localhost|127\.0\.0\.1)$/.test(parsed.hostname);
      const isSafe = parsed?.protocol === 'https:' || (isLocal && parsed.protocol === 'http:');
      if (parsed && isSafe && value.replace(/\/$/, '').toLowerCase() === parsed.origin) return parsed.origin;
      throw new Error('must be an https origin without path, such as https://memory.example.com');
    },
  });

export const serverUrl = (description: string): Setting<string | undefined> =>
  optional({
    kind: 'URL',
    description,
    read(value) {
      const parsed = URL.canParse(value) ? new URL(value) : undefined;
      const isPlain = parsed && /^https?:$/.test(parsed.protocol) && !/[?#@]/.test(value);
      if (isPlain) return value;
      throw new Error('must be an http or https URL without user, password and query');
    },
  });

export const serverKey = (description: string): Setting<string | undefined> =>
  optional({
    kind: 'text',
    description,
    secret: true,
    read(value) {
      if (/^[\x21-\x7e]{1,500}$/.test(value)) return value;
      throw new Error('must consist of at most 500 visible ASCII characters');
    },
  });
