import { hash } from 'node:crypto';

/** Graphemes of a title in a file name; with its number the name stays below 255 bytes, the limit of file systems. */
const wordsMax = 50;
const bytesMax = 180;

/**
 * Characters that a file system refuses (Windows the most), that end a wiki link (`[ ] | # ^`), that cannot be seen,
 * or that change the direction of what follows.
 */
const unsafe = /[\p{C}\p{Zl}\p{Zp}\\/:*?"<>|#^[\]`%]/gu;

/** UTF-16 units of a text that its file name can be made of. */
export const namedByMax = 1000;

const graphemes = new Intl.Segmenter();

/** The first words of a text as a part of a file name: NFC, without characters that some file system refuses; may be empty. */
export function safeWords(text: string): string {
  const line =
    text
      .split(/[\r\n]+/, 20)
      .map((each) => each.normalize('NFC').replace(unsafe, ' ').replace(/\s+/g, ' ').trim())
      .find((each) => /[\p{L}\p{N}]/u.test(each)) ?? '';
  let words = '';
  let count = 0;
  for (const { segment } of graphemes.segment(line)) {
    if (++count > wordsMax || Buffer.byteLength(words + segment) > bytesMax) break;
    words += segment;
  }
  // A name that begins with a dot is hidden; Windows drops dots and spaces at the end.
  return words.replace(/^[\s.\-+=@~]+|[\s.]+$/g, '');
}

/** Name without `.md` of the file of a memory: its number in the order of writing makes it unique, and sorts it. */
export function memoryFileName({ seq, content }: { readonly seq: number; readonly content: string }): string {
  return `${seq} ${safeWords(content.slice(0, namedByMax))}`.trim();
}

/** Name of the file of a conversation, and of the folder of its memories: the same however many have this title. */
export const conversationFileName = (id: string, title: string) => named(title, 'Conversation', id);

export const artifactFileName = (id: string, title: string) => named(title, 'Artifact', id);

const named = (title: string, kind: string, id: string) =>
  `${safeWords(title) || kind} ${hash('sha256', id, 'hex').slice(0, 12)}`;
