import { signal } from '@preact/signals';
import { english } from './english.ts';

/** Every text of the page that is not from a memory. A language is an object of this type. */
type Words = typeof english;

const language = signal<Words>(english);
export const words = () => language.value;

const locale = () => navigator.language;
const dayFormat = new Intl.DateTimeFormat(locale(), {
  weekday: 'short',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});
const timeFormat = new Intl.DateTimeFormat(locale(), { hour: '2-digit', minute: '2-digit' });
const numberFormat = new Intl.NumberFormat(locale());
const shareFormat = new Intl.NumberFormat(locale(), { style: 'percent' });

const shortFormat = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' });
export const shortDay = (iso: string) => shortFormat.format(new Date(iso));
export const day = (iso: string) => dayFormat.format(new Date(iso));
export const time = (iso: string) => timeFormat.format(new Date(iso));
export const moment = (iso: string) => `${day(iso)}, ${time(iso)}`;
export const count = (value: number) => numberFormat.format(value);
export const share = (value: number) => shareFormat.format(value);
