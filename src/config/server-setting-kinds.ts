import type { Setting } from './setting-kinds.ts';

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
