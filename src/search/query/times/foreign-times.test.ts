import { describe, expect, it } from 'vitest';
import { readTimes } from './time-phrases.ts';

/** A Saturday. */
const now = Date.parse('2026-11-21T12:00:00Z');
const day = (time: number) => new Date(time).toISOString().slice(0, 10);
const read = (query: string) => readTimes(query, now).periods.map(({ from, to }) => [day(from), day(to)]);

describe('times in German, French and Spanish', () => {
  it.each([
    ['was ist gestern passiert', '2026-11-20', '2026-11-21'],
    ['Was war vorgestern?', '2026-11-19', '2026-11-20'],
    ['was haben wir letzte Woche entschieden', '2026-11-09', '2026-11-16'],
    ['letztes Jahr', '2025-01-01', '2026-01-01'],
    ['diesen Monat', '2026-11-01', '2026-12-01'],
    ['am letzten Wochenende', '2026-11-14', '2026-11-16'],
    ['was habe ich am 3. Mai gemacht', '2026-05-03', '2026-05-04'],
    ['am 3. Dezember 2024', '2024-12-03', '2024-12-04'],
    ['vor zwei Wochen', '2026-11-03', '2026-11-12'],
    ['in den letzten drei Tagen', '2026-11-18', '2026-11-22'],
    ['am Montag', '2026-11-16', '2026-11-17'],
    ['im März 2025', '2025-03-01', '2025-04-01'],
    ["qu'est-ce qui s'est passé hier", '2026-11-20', '2026-11-21'],
    ['avant-hier', '2026-11-19', '2026-11-20'],
    ["aujourd'hui", '2026-11-21', '2026-11-22'],
    ['la semaine dernière', '2026-11-09', '2026-11-16'],
    ["l'année dernière", '2025-01-01', '2026-01-01'],
    ['ce mois', '2026-11-01', '2026-12-01'],
    ['le 3 mai 2025', '2025-05-03', '2025-05-04'],
    ['le 1er décembre', '2025-12-01', '2025-12-02'],
    ['il y a deux semaines', '2026-11-03', '2026-11-12'],
    ['ces 3 derniers jours', '2026-11-18', '2026-11-22'],
    ['lundi dernier', '2026-11-16', '2026-11-17'],
    ['en août 2025', '2025-08-01', '2025-09-01'],
    ['qué pasó ayer', '2026-11-20', '2026-11-21'],
    ['anteayer', '2026-11-19', '2026-11-20'],
    ['la semana pasada', '2026-11-09', '2026-11-16'],
    ['el mes pasado', '2026-10-01', '2026-11-01'],
    ['este año', '2026-01-01', '2027-01-01'],
    ['el 3 de mayo de 2025', '2025-05-03', '2025-05-04'],
    ['hace dos semanas', '2026-11-03', '2026-11-12'],
    ['los últimos tres días', '2026-11-18', '2026-11-22'],
    ['el lunes pasado', '2026-11-16', '2026-11-17'],
    ['en mayo de 2025', '2025-05-01', '2025-06-01'],
  ])('times in German, French and Spanish are read in "%s"', (query, from, to) => {
    expect(read(query)).toEqual([[from, to]]);
  });

  it.each([
    'what did Ayer say about logic',
    'wer ist hier zuständig',
    'the hier archy of classes',
    '5 mars bars',
    'Sam said do it so we can dim the lights',
    'el nino and la nina',
    'mi casa, die hard, mar and sol',
    '3. April is on holiday',
    'an AI model from Mars',
    'was he there, am I late',
  ])('times in German, French and Spanish are not found in "%s"', (query) => {
    expect(read(query)).toEqual([]);
  });

  it('times in English are read as before where a text has a word that another language has too', () => {
    expect(read('die hard 2 in May 2025')).toEqual([['2025-05-01', '2025-06-01']]);
    expect(read('la la land last week')).toEqual([['2026-11-09', '2026-11-16']]);
  });
});
