export type Fields = Readonly<Record<string, unknown>>;

/** Texts that every version of YAML reads as a text without quotes. */
const plain = /^[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*$/;
const reserved = /^(?:true|false|null|yes|no|on|off|y|n|nan)$/i;
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Characters that some reader of YAML takes for the end of a line, refuses, or shows as something else. */
const escaped = /[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]/g;

/** JSON on one line, which is YAML as well. */
const jsonOf = (value: unknown) =>
  JSON.stringify(value).replace(
    escaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

function yamlOf(value: unknown): string {
  if (typeof value === 'string' && ((plain.test(value) && !reserved.test(value)) || isoTime.test(value)))
    return value;
  return jsonOf(value);
}

/**
 * The head of a Markdown file: a line a field, whatever its value says. Fields that are undefined or null are left out.
 */
export function toFrontMatter(fields: Fields): string {
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}: ${yamlOf(value)}\n`);
  return `---\n${lines.join('')}---\n`;
}
