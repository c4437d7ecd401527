export { ANALYZER_VERSION, analyze, analyzeQuery, analyzeWithOffsets } from './analyze.ts';
export { dateWords } from './date-terms.ts';
