import { speakerOf } from '../../language/text/speaker.ts';
import { stopWords } from '../../search-index/analysis/stop-words.ts';

/** Lines that only tools read: trailers of commits, rulers of tables, fences of code, lone links. */
const toolLine =
  /^[ \t]*(?:(?:signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|change-id|cherry picked from)\b.*|updated-dependencies:|(?:- )?(?:dependency-[a-z]+|update-type):.*|\.{3}|[-=*_]{3,}|[|+][ \t|:+-]*[-:][ \t|:+-]*|`{3}.*|~{3}.*|<[^<>\n]{1,200}@[^<>\n]{1,200}>|(?:(?:- |\* )?https?:\/\/\S+[ \t]*)+)[ \t]*$/i;

/** Runs of lines that people read, in order. A text without other lines is one block. */
export function readableBlocks(content: string): string[] {
  const blocks: string[] = [];
  let lines: string[] = [];
  const close = () => {
    const block = lines.join('\n');
    if (block.trim() !== '') blocks.push(block);
    lines = [];
  };
  for (const line of content.split('\n'))
    if (toolLine.test(line)) close();
    else lines.push(line);
  close();
  return blocks;
}

/** A text without the lines that only tools read. */
export const readableText = (content: string): string => readableBlocks(content).join('\n').trim();

const filler = new Set(
  (
    'um umm uh uhm hm hmm mm mmm mhm mmhmm yeah yep yup yes nah no ok okay right sure well oh ah eh huh cool great ' +
    'nice thanks thank exactly alright hi hello hey bye lol haha wow good fine absolutely totally definitely really ' +
    'actually guess think mean know like true indeed sounds perfect awesome agreed noted lgtm congrats welcome sorry please'
  ).split(' '),
);
const word = /[\p{L}\p{M}\p{N}]+/gu;

/** Whether a text says nothing but that somebody speaks or agrees: "Um", "Ana: Yeah, right.", or is for tools only. */
export function isFiller(content: string): boolean {
  const text = readableText(content);
  const body = text.slice(speakerOf(text)?.bodyStart ?? 0).toLowerCase();
  return (body.match(word) ?? []).every((one) => stopWords.has(one) || filler.has(one));
}
