/** Most items of a list that are looked at. */
const itemsMax = 100;

/** Items of a list of the response that are objects; what else it has is dropped. */
export function itemsOf(value: unknown, name: string): Record<string, unknown>[] {
  const list = (value as Record<string, unknown> | null)?.[name];
  if (!Array.isArray(list)) return [];
  return list
    .slice(0, itemsMax)
    .filter((item): item is Record<string, unknown> => typeof item === 'object' && item !== null);
}

/** A text that is neither blank nor longer than `max`. */
export function textField(value: unknown, max: number): string | undefined {
  return typeof value === 'string' && value.trim() !== '' && value.length <= max ? value : undefined;
}

/** What an LLM says of its own certainty, never above `max`; half of that where it says nothing of use. */
export function cappedConfidence(value: unknown, max: number): number {
  const isShare = typeof value === 'number' && value >= 0 && value <= 1;
  return isShare ? Math.min(value, max) : max / 2;
}
