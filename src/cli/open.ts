import { Command } from 'commander';
import { addServiceOptions, findService, Service } from './client/service.ts';
import { print } from './output/print.ts';

interface OpenOptions {
  readonly url?: string;
  readonly key?: string;
}

/** Label and lifetime of the key in a link. The page takes a key of its own at once and ends this one. */
export const linkKey = { label: 'explorer link', hours: 12 } as const;

/** A fragment: browsers send it to no server, so no log has the key. */
export const explorerLink = (url: string, apiKey: string) => `${url}/ui/#key=${apiKey}`;

/** `memoryd open` */
export function openCommand(): Command {
  return addServiceOptions(new Command('open')).action(async (options: OpenOptions) => {
    const { body } = await new Service(options).ask({
      path: '/api/apikeys',
      body: { label: linkKey.label, expiresAt: `${linkKey.hours}h` },
    });
    const { apiKey } = (body as { data: { apiKey: string } }).data;
    print(explorerLink(findService(options).url, apiKey));
  });
}
