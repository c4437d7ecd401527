/** A statement about the note: `- [category] text`, or `- word [[Target]]`. */
interface Observation {
  readonly category: string;
  readonly text: string;
}

export interface NoteLink {
  /** As it is written, without heading and alias. */
  readonly target: string;
  /** A wiki link names a note, a Markdown link its path. */
  readonly isPath: boolean;
  /** The word of a relation; undefined: a link in the text. */
  readonly word: string | undefined;
}

export interface NoteBody {
  /** Without comments. */
  readonly text: string;
  readonly tags: readonly string[];
  readonly observations: readonly Observation[];
  readonly links: readonly NoteLink[];
}

/** Reads the text of a note, that without front matter. */
export function readNoteBody(body: string): NoteBody {
  const text = withoutComments(body);
  const prose = withoutCode(text);
  const lines = prose.split('\n');
  const observations: Observation[] = [];
  const links: NoteLink[] = [];
  for (const line of lines) {
    const item = isQuotation.test(line) ? undefined : listItem.exec(line)?.[1];
    const observation = item && observationOf(item);
    const word = observation ? undefined : item && relationOf(item);
    if (observation) observations.push(observation);
    links.push(...linksOf(line, word || undefined));
  }
  // A relation says more than another link to the same note.
  const inOrder = [
    ...links.filter(({ word }) => word !== undefined),
    ...links.filter(({ word }) => word === undefined),
  ];
  return { text, tags: tagsOf(prose), observations, links: inOrder };
}

const comment = /%%[\s\S]*?%%/g;
const fence = /^[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(`{3,}|~{3,})/;

interface Part {
  readonly isCode: boolean;
  readonly text: string;
}

/** The text in parts: fenced code, and the text between. A fence that is not closed goes on to the end. */
export function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let lines: string[] = [];
  let open: string | undefined;
  const end = (isCode: boolean) => {
    if (lines.length > 0) parts.push({ isCode, text: lines.join('') });
    lines = [];
  };
  for (const line of text.split(/(?<=\n)/)) {
    const mark = fence.exec(line)?.[1];
    if (open === undefined && mark !== undefined) {
      end(false);
      open = mark;
      lines.push(line);
    } else if (open !== undefined && mark?.startsWith(open) && line.trim().endsWith(mark)) {
      lines.push(line);
      end(true);
      open = undefined;
    } else lines.push(line);
  }
  end(open !== undefined);
  return parts;
}

/** Replaces code between backticks: as many at its end as at its beginning, in the same paragraph. */
function replaceInlineCode(text: string, replace: (code: string) => string): string {
  return text
    .split(/(\n[ \t\r]*\n)/)
    .map((paragraph) => (paragraph.includes('`') ? replaceInParagraph(paragraph, replace) : paragraph))
    .join('');
}

function replaceInParagraph(text: string, replace: (code: string) => string): string {
  const runs = [...text.matchAll(/`+/g)];
  const unclosed = new Set<number>();
  let replaced = '';
  let done = 0;
  for (let i = 0; i < runs.length; i++) {
    const { length } = runs[i][0];
    let end = unclosed.has(length) ? runs.length : i + 1;
    while (end < runs.length && runs[end][0].length !== length) end++;
    if (end === runs.length) {
      unclosed.add(length);
      continue;
    }
    const after = runs[end].index + length;
    replaced += text.slice(done, runs[i].index) + replace(text.slice(runs[i].index, after));
    done = after;
    i = end;
  }
  return replaced + text.slice(done);
}

/** Hidden text of the author, `%%…%%`, is not a part of the note; marks without an end are text. */
function withoutComments(text: string): string {
  if (!text.includes('%%')) return text;
  // A comment may reach over code, and code may have its marks: code is put aside, and back.
  const asides: string[] = [];
  const aside = (code: string) => `\ufdd0${asides.push(code) - 1}\ufdd1`;
  const marked = partsOf(text.replace(/[\ufdd0\ufdd1]/g, '\ufffd'))
    .map((part) => (part.isCode ? aside(part.text) : replaceInlineCode(part.text, aside)))
    .join('');
  return marked
    .replace(comment, '')
    .replace(/\ufdd0(\d+)\ufdd1/g, (_, number: string) => asides[Number(number)]);
}

/** Code is replaced by blanks, so that lines keep their form. */
function withoutCode(text: string): string {
  return partsOf(text)
    .map((part) => (part.isCode ? part.text.replace(/[^\n]/g, '') : replaceInlineCode(part.text, blank)))
    .join('');
}

const blank = (code: string) => code.replace(/[^\n]/g, '\u00a0');

const listItem = /^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(.*?)[ \t\r]*$/;
const isQuotation = /^[ \t]*>/;
const category = /^\[([^[\]()\n]{2,100})\][ \t]+(\S.*)$/;
const timecode = /^\d+(:\d\d)+([.,]\d+)?$/;
const context = /[ \t]*\([^()]*\)$/;

function observationOf(item: string): Observation | undefined {
  const [, name, rest] = category.exec(item) ?? [];
  if (name === undefined || name.trim() === '' || /^[!^]/.test(name) || timecode.test(name)) return undefined;
  const text = rest
    .replace(tag, '')
    .trim()
    .replace(context, '')
    .replace(/[ \t]+/g, ' ')
    .trim();
  return text === '' ? undefined : { category: name.trim(), text };
}

/** One word, or several in quotation marks, then a link, then nothing, tags or a remark in parentheses. */
const relation = /^(?:"([^"[\]]+)"|'([^'[\]]+)'|“([^”[\]]+)”|([^\s[\]"'“]+))[ \t]+\[\[[^[\]]+\]\](.*)$/;

function relationOf(item: string): string | undefined {
  const parts = relation.exec(item);
  if (parts === null) return undefined;
  const after = (parts[5] ?? '').replace(tag, '').trim();
  if (after !== '' && !/^\([^()]*\)$/.test(after)) return undefined;
  const word = (parts[1] ?? parts[2] ?? parts[3] ?? parts[4]).replace(/^[*_\s]+|[*_:\s]+$/g, '');
  return /\p{L}/u.test(word) ? word : undefined;
}

const wikiLink = /\[\[([^[\]|#^\n]*)(?:[#^][^[\]|\n]*)?(?:\\?\|[^[\]\n]*)?\]\]/g;
const markdownLink = /\]\(<?([^()<>\n]*?\.(?:md|markdown))(?:#[^()<>\s]*)?>?(?:[ \t]+"[^"\n]*")?\)/gi;

function* linksOf(line: string, word: string | undefined): Generator<NoteLink> {
  let first = word;
  for (const [, name] of line.matchAll(wikiLink)) {
    const target = name.replace(/\\$/, '').trim();
    if (target !== '') yield { target, isPath: false, word: first };
    first = undefined;
  }
  for (const [, path] of line.matchAll(markdownLink)) {
    if (!/^[a-z][a-z0-9+.-]*:/i.test(path)) yield { target: decoded(path), isPath: true, word: undefined };
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // A `%` that encodes nothing is a part of the name.
    return path;
  }
}

/** Letters, digits, `_`, `-`, `/`, with one that is no digit; emoji too. Not after a letter, as in `C#a`, or in an address. */
const tag =
  /(?<![^\s({"'*_,;:])#(?!\d+(?![\p{L}\p{N}\p{M}\p{Extended_Pictographic}_/-]))((?:[\p{L}\p{N}\p{M}\p{Extended_Pictographic}_/-]|\u200d|\ufe0f)+)/gu;
const linkOrAddress = /\[\[[^[\]\n]*\]\]|\]\([^()\n]*\)|<?\bhttps?:\/\/\S+/g;

function tagsOf(prose: string): string[] {
  const text = prose.replace(linkOrAddress, ' ');
  const found = [...text.matchAll(tag)].map(([, name]) => name.replace(/^\/+|\/+$/g, ''));
  return [...new Set(found)].filter((name) => /\D/.test(name));
}
