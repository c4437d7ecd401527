export { ANALYZER_VERSION, analyze, analyzeQuery, analyzeWithOffsets, type PlacedTerm } from './analyze.ts';
export { dateWords } from './date-words.ts';
