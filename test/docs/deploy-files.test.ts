import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { parseConfig } from '../../src/config/load.ts';
import { newDatabase } from '../support/database.ts';
import { type EmbeddingServer, newEmbeddingServer } from '../support/embedding-server.ts';
import { client } from '../support/http-client.ts';
import { pagePaths, readPage, repository } from '../support/pages.ts';
import { type Server, startServer } from '../support/server.ts';

const read = (path: string) => readFileSync(join(repository, path), 'utf8');
const version: string = JSON.parse(read('package.json')).version;
const dockerfile = read('deploy/Dockerfile');
