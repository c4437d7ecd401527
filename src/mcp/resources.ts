import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { fenced, quoted, toJson } from '../briefing/text/fence.ts';
import { AppError } from '../domain/shared/errors.ts';
import { cutText } from './budget.ts';
import type { ToolContext } from './tool.ts';
import { conversationsTool } from './tools/conversations.ts';
import { getTool } from './tools/get.ts';

/** Tokens of a resource at most: the protocol has no place to ask for fewer. */
const resourceTokens = 10_000;
const listedMax = 20;
const titleTokens = 30;
const mimeType = 'application/json';

export const resourceTemplates: ResourceTemplateType[] = [
  {
    name: 'memory',
    title: 'A memory',
    uriTemplate: 'memoryd://memories/{id}',
    description: 'A memory with its facts and links, by id.',
    mimeType,
  },
  {
    name: 'named-memory',
    title: 'A named memory',
    uriTemplate: 'memoryd://named/{name}',
    description: 'The newest version of a named memory.',
    mimeType,
  },
  {
    name: 'conversation',
    title: 'A conversation',
    uriTemplate: 'memoryd://conversations/{id}',
    description: 'The memories of a conversation in their order, from the first.',
    mimeType,
  },
];

/** The named memories first, then the conversations with the newest activity. */
export async function listResources({ services, user }: ToolContext): Promise<Resource[]> {
  const page = { limit: listedMax, offset: 0 };
  const named = await services.stores.forUser(user).memories.listNamed(page);
  const active = await services.conversations.list(user, {
    ...page,
    sortBy: 'lastActivityAt',
    order: 'desc',
  });
  return [
    ...named.items.map(({ name, content }) => ({
      uri: `memoryd://named/${name}`,
      name: name ?? '',
      description: quoted(cutText(content, titleTokens)),
      mimeType,
    })),
    ...active.items.map(({ id, title }) => ({
      uri: `memoryd://conversations/${id}`,
      name: id,
      title: quoted(cutText(title, titleTokens)),
      mimeType,
    })),
  ];
}

const resourceUri = /^memoryd:\/\/(memories|named|conversations)\/([^/?#]{1,600})$/;

async function contentOf(context: ToolContext, kind: string, id: string) {
  const maxTokens = resourceTokens;
  if (kind === 'conversations')
    return conversationsTool.run(context, { conversationId: id, limit: 100, offset: 0, maxTokens });
  return getTool.run(context, { [kind === 'named' ? 'name' : 'id']: id, from: 0, maxTokens });
}

function decoded(part: string): string | undefined {
  try {
    const text = decodeURIComponent(part);
    return text.isWellFormed() && !text.includes('\0') ? text : undefined;
  } catch {
    // A broken escape: there is no resource of that name.
    return undefined;
  }
}

/** @throws ProtocolError for an address without a resource */
export async function readResource(context: ToolContext, uri: string): Promise<ReadResourceResult> {
  const [, kind, part] = resourceUri.exec(uri) ?? [];
  const id = part === undefined ? undefined : decoded(part);
  if (kind === undefined || id === undefined) {
    const forms = resourceTemplates.map(({ uriTemplate }) => uriTemplate).join(', ');
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no such resource; addresses are ${forms}.`,
    );
  }
  try {
    const content = await contentOf(context, kind, id);
    return { contents: [{ uri, mimeType, text: toJson(fenced(content)) }] };
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    throw new ResourceNotFoundError(uri, error.message);
  }
}
