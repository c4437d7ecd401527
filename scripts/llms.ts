import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const leftOut: ReadonlySet<string> = new Set(['api-coverage.md']);

/** Heading and first sentence of a page. @throws Error if it has no heading, or no text below it */
function headOf(page: string, text: string): string {
  const title = text.match(/^# (.+)$/m)?.[1];
  const paragraph = text
    .split(/\n\s*\n/)
    .find((block) => /^(?!```)[A-Za-z`*[]/.test(block) && !block.startsWith('Every example'))
    ?.replaceAll('\n', ' ');
  const sentence = paragraph?.match(/^.+?[.:](?= |$)/)?.[0].replace(/:$/, '.');
  if (!title || !sentence) throw new Error(`docs/${page} has no heading, or no sentence below it`);
  // Links of a page are from its own folder.
  return `- [${title}](docs/${page}): ${sentence.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')}`;
}

/** `llms.txt` (llmstxt.org): every page of docs/ with its first sentence, for a model that is to work with memoryd. */
export function llmsText(root: string): string {
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && !leftOut.has(name));
  const heads = pages.map((page) => headOf(page, readFileSync(join(root, 'docs', page), 'utf8')));
  return [
    '# memoryd',
    '',
    '> A self-hosted memory service for AI agents: one HTTP API and MCP server over memories and what connects them, on SQLite',
    '> or PostgreSQL, without an LLM and without a network.',
    '',
    'Start with README.md. An agent is connected as docs/connect.md says; every operation is in docs/openapi.json.',
    '',
    '## Pages',
    '',
    ...heads,
    '',
    '## Optional',
    '',
    '- [Architecture](ARCHITECTURE.md): the parts of the source and the path of a write and of a search.',
    '- [OpenAPI document](docs/openapi.json): every operation with its schema and an example.',
    '- [Decisions](docs/adr): what was decided, and why.',
    '',
  ].join('\n');
}
