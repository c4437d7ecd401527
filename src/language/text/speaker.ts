/** Who speaks, where a text begins with a name and a colon. */
export interface Speaker {
  readonly name: string;
  /** Where the name ends. */
  readonly nameEnd: number;
  /** Where what is said begins. */
  readonly bodyStart: number;
  /** Whether the name is that of a role (`User:`), not of a person. */
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

/** The speaker of `Name: text`; labels such as `Decision:` and types of commits are none. */
export function speakerOf(text: string): Speaker | undefined {
  const found = prefix.exec(text);
  if (!found) return undefined;
  const [whole, name] = found;
  const words = name.split(' ');
  if (words.length > wordsMax || label.test(name)) return undefined;
  if (words.some((word) => lower.test(word) && !particle.test(word))) return undefined;
  return { name, nameEnd: name.length, bodyStart: whole.length, isRole: role.test(name) };
}
