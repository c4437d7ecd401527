import { Command, Option } from 'commander';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/settings.ts';
import { addServiceOptions, findService, findUrl, ownUrl } from '../client/service.ts';

interface Options {
  readonly url?: string;
  readonly key?: string;
  readonly user: string;
  readonly tools: 'own' | 'all';
}

const probeTimeoutMs = 2000;

/** The URL of the configured service on this machine, if it runs. */
async function runningHere(config: Config): Promise<string | undefined> {
  const url = ownUrl(config);
  try {
    const response = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(probeTimeoutMs) });
    const { status } = (await response.json()) as { status?: unknown };
    return status === 'alive' ? url : undefined;
  } catch {
    // No memoryd service listens there: this process may open the store.
    return undefined;
  }
}

async function serveMcp({ url: given, key, user, tools }: Options): Promise<void> {
  const config = loadConfig();
  const showsKnownNames = tools === 'all';
  const url = findUrl(given) ?? (await runningHere(config));
  // Loaded for this command only: others start without it.
  const { bridgeStdio, serveAlone } = await import('./serve-stdio.ts');
  if (url === undefined) return serveAlone(config, { userName: user, showsKnownNames });
  return bridgeStdio({ ...findService({ url, key }), showsKnownNames });
}

/** `memoryd mcp` */
export function mcpCommand(): Command {
  const urlDefault = 'MEMORYD_URL, else one that runs on this machine, else none: the store itself';
  return addServiceOptions(new Command('mcp'), urlDefault)
    .option('--user <name>', 'whose memories, without a service; made where there is none', 'default')
    .addOption(
      new Option(
        '--tools <which>',
        'all: list the tools by the names that other clients of this API use, too',
      )
        .choices(['own', 'all'])
        .default('own'),
    )
    .action(serveMcp);
}
