import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Tokens {
  readonly identifiers: readonly string[];
  readonly comments: readonly string[];
}

const comment = String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`;
const quoted = String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"`;
/** Only where an operator or a bracket stands before it: elsewhere a slash divides. */
const regex = String.raw`(?<=[=(,:[!&|?{};>]\s*|\breturn\s+)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*`;
const name = String.raw`[A-Za-z_$][\w$]*`;
const token = new RegExp(`(?<comment>${comment})|${quoted}|${regex}|(?<name>${name})|[\`{}]`, 'g');
const ofTemplate = /\\[\s\S]|\$\{|`/g;

/** The identifiers and comments of a TypeScript text; strings, text of templates and regular expressions are neither. */
export function tokensOf(text: string): Tokens {
  const identifiers: string[] = [];
  const comments: string[] = [];
  /** For each `${` that is open, how many braces are open within it. */
  const braces: number[] = [];
  let at = 0;
  const skipTemplate = () => {
    ofTemplate.lastIndex = at;
    for (let part = ofTemplate.exec(text); part; part = ofTemplate.exec(text)) {
      if (part[0].startsWith('\\')) continue;
      if (part[0] === '${') braces.push(0);
      at = ofTemplate.lastIndex;
      return;
    }
    at = text.length;
  };
  for (;;) {
    token.lastIndex = at;
    const found = token.exec(text);
    if (!found) return { identifiers, comments };
    at = token.lastIndex;
    if (found.groups?.comment) comments.push(found.groups.comment);
    else if (found.groups?.name) identifiers.push(found.groups.name);
    else if (found[0] === '`') skipTemplate();
    else if (braces.length > 0 && found[0] === '{') braces[braces.length - 1]++;
    else if (braces.length > 0 && found[0] === '}' && braces[braces.length - 1]-- === 0) {
      braces.pop();
      skipTemplate();
    }
  }
}

/** The words of an identifier in lower case: `toHTTPName` has three. */
export function wordsOf(identifier: string): string[] {
  const apart = identifier.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return apart.toLowerCase().split(/[ _$]+/);
}

export interface TextFile {
  /** From the root of the project, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Every TypeScript file of the program, its tests, benchmarks and studies. */
export function typescriptFiles(): TextFile[] {
  return ['src', 'test', 'bench', 'lab'].flatMap((top) =>
    readdirSync(`${root}${top}`, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => `${top}/${path.replaceAll('\\', '/')}`)
      .map((path) => ({ path, text: readFileSync(`${root}${path}`, 'utf8') })),
  );
}
