// Prints what CHANGELOG.md says of a tag, `v1.2.3`: the notes of its release.
import { readFileSync } from 'node:fs';
import { sectionOf } from './changelog.mjs';

const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
process.stdout.write(`${sectionOf(changelog, (process.argv[2] ?? '').replace(/^v/, ''))}\n`);
