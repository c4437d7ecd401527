import { speakerLabelOf } from '../../lib/speakers/speaker-label.ts';

/** The speaker named at the start of a text, as in `Ana: ...`. */
export interface Speaker {
  readonly name: string;
  /** End of the name. */
  readonly nameEnd: number;
  /** Start of the spoken text. */
  readonly bodyStart: number;
  /** Whether the name is a role (`User:`), not a person. */
  readonly isRole: boolean;
  /** Whether it is a common given name; any other is a person only if it speaks more than once. */
  readonly isKnownName: boolean;
}

const role =
  /^(agent|customer|user|assistant|support|system|bot|me|you|human|ai|client|admin|caller|operator|host|guest|everyone|all|team):\s+(?=\S)/i;
const capital = /^\p{Lu}/u;

/** The speaker of `Name: text`. Labels such as `Decision:` and commit types such as `fix:` are no speakers. */
export function speakerOf(text: string): Speaker | undefined {
  if (!capital.test(text)) return undefined;
  const found = role.exec(text);
  if (found) {
    const [{ length: bodyStart }, name] = found;
    return { name, nameEnd: name.length, bodyStart, isRole: true, isKnownName: false };
  }
  const speaker = speakerLabelOf(text);
  if (!speaker || speaker.bodyStart >= text.length) return undefined;
  const { name, bodyStart, isKnownName } = speaker;
  return { name, nameEnd: name.length, bodyStart, isRole: false, isKnownName };
}
