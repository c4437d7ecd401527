/** The speaker named at the start of a text, as in `Ana: ...`. */
export interface Speaker {
  readonly name: string;
  /** End of the name. */
  readonly nameEnd: number;
  /** Start of the spoken text. */
  readonly bodyStart: number;
  /** Whether the name is a role (`User:`), not a person. */
  readonly isRole: boolean;
}

const prefix = /^([\p{L}][\p{L}\p{M} .'’-]{0,39}?):\s+(?=\S)/u;
const wordsMax = 3;
const lower = /^\p{Ll}/u;
const particle = /^(?:de|da|van|von|del|la|bin|al)$/;
const label =
  /^(?:note|notes|todo|fix|fixed|decision|action|question|update|summary|warning|error|example|status|result|answer|reminder|idea|meeting|http|https|re|fyi|tip|goal|plan|cause|root cause|problem|solution|step|chore|feat|docs|perf|refactor|test|revert|build|style|bug|resolved|solved|done|important|attention|info|draft|agenda|outcome|conclusion|lesson|deadline|address|location|date|time|from|to|subject|cc|context|background|reason|result|open question)\b/i;
const role =
  /^(?:agent|customer|user|assistant|support|support chat|system|bot|me|you|human|ai|client|admin|caller|operator|host|guest|everyone|all|team)$/i;

/**
 * The speaker of `Name: text`. Labels such as `Decision:` and commit types such as `fix:` are no speakers.
 */
export function speakerOf(text: string): Speaker | undefined {
  const found = prefix.exec(text);
  if (!found) return undefined;
  const [whole, name] = found;
  const words = name.split(' ');
  if (words.length > wordsMax || label.test(name)) return undefined;
  if (words.some((word) => lower.test(word) && !particle.test(word))) return undefined;
  return { name, nameEnd: name.length, bodyStart: whole.length, isRole: role.test(name) };
}
