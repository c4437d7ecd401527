export const previewLengthMax = 200;
/** UTF-16 units in front of the match. */
export const previewLead = 60;
const ellipsis = '…';

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/**
 * At most 200 UTF-16 units of `content` around the character at `start` (the
 * first match), with an ellipsis for each cut; never cuts a surrogate pair.
 */
export function previewOf(content: string, start = 0): string {
  if (content.length <= previewLengthMax) return content;
  let from = start <= previewLengthMax - previewLead ? 0 : start - previewLead;
  from = Math.min(from, content.length - previewLengthMax + 1);
  if (from > 0 && isLowSurrogate(content, from)) from++;
  const head = from > 0 ? ellipsis : '';
  let to = Math.min(content.length, from + previewLengthMax - head.length - 1);
  if (to < content.length && isLowSurrogate(content, to)) to--;
  return head + content.slice(from, to) + (to < content.length ? ellipsis : '');
}
