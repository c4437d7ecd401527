import { developmentHalf } from '../../bench/locomo/data-set.ts';
import { readLabelled } from '../derive/labelled.ts';
import { readChat } from '../derive/measure-chat.ts';

/** Turns of real chat if LoCoMo's file exists, otherwise our own notes and statements; none twice. */
export function benchTexts(chatPath = developmentHalf): string[] {
  const chats = readChat(chatPath);
  const sets = ['given', 'own', 'locked'].map((name) => readLabelled(`lab/data/language/${name}`));
  const own = sets.flatMap((set) =>
    set ? [...set.notes.map(({ text }) => text), ...set.statements.map(({ text }) => text)] : [],
  );
  return [...new Set([...(chats?.flat() ?? []), ...own])];
}

/** Text number `i`; after the last text they repeat with a different ending. */
export function textOf(texts: readonly string[], i: number): string {
  const text = texts[i % texts.length];
  return i < texts.length ? text : `${text} (${Math.floor(i / texts.length)})`;
}
