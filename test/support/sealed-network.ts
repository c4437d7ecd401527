import { execFile, execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The system's resolver reads these two; a mount hides them from what runs in the namespace, and from it alone. */
const hidden: Readonly<Record<string, string>> = {
  'resolv.conf': 'nameserver 127.0.0.1\noptions attempts:1 timeout:1\n',
  // No resolver that is asked by another way than the network.
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/**
 * A command line that runs another one in a network namespace of its own, with a loopback interface, no route and a name
 * server at 127.0.0.1; or why this machine has none. Root, or a user who may make user namespaces.
 */
export function sealedNetwork(folder: string): readonly string[] | { readonly refusal: string } {
  const mounts = Object.entries(hidden)
    .filter(([name]) => existsSync(join('/etc', name)))
    .map(([name, text]) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return `mount --bind '${path}' '/etc/${name}' &&`;
    });
  const script = `ip link set lo up && ${mounts.join(' ')} exec "$@"`;
  const user = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  const command = ['unshare', ...user, '--net', '--mount', 'sh', '-c', script, 'sealed'];
  try {
    execFileSync(command[0], [...command.slice(1), 'true'], { stdio: 'pipe' });
    return command;
  } catch (error) {
    return { refusal: (error as Error).message.trim().replaceAll('\n', ' ') };
  }
}

/** The part of a DNS query that is its name: labels with their lengths, after a header of 12 bytes. */
function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; query[at] > 0; at += query[at] + 1)
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]));
  return labels.join('.');
}

/** Packets for which there was no route, of either version of IP: connections tried are among them. */
function packetsWithoutRoute(): number {
  const [names, values] = readFileSync('/proc/net/snmp', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('Ip:'))
    .map((line) => line.split(' '));
  const sixth = /Ip6OutNoRoutes\s+(\d+)/.exec(readFileSync('/proc/net/snmp6', 'utf8'))?.[1];
  return Number(values[names.indexOf('OutNoRoutes')]) + Number(sixth ?? 0);
}

/** For a program in `sealedNetwork`: gives what was asked for by name and tried by address while `run` ran. */
export async function recordNetwork(run: () => Promise<void>): Promise<{ names: string[]; tried: number }> {
  const names: string[] = [];
  const resolver = createSocket('udp4', (query, { port, address }) => {
    names.push(nameIn(query));
    const response = Buffer.from(query);
    response.writeUInt16BE(0x8183, 2); // There is no such name.
    resolver.send(response, port, address);
  });
  await new Promise<void>((resolve) => resolver.bind(53, '127.0.0.1', resolve));
  await proveRecording(names);
  const before = packetsWithoutRoute();
  names.length = 0;
  await run();
  resolver.close();
  return { names: [...new Set(names)], tried: packetsWithoutRoute() - before };
}

/** Another program than Node asks for a name, and an address is tried: both must be seen. */
async function proveRecording(names: readonly string[]): Promise<void> {
  const before = packetsWithoutRoute();
  await promisify(execFile)('getent', ['ahosts', 'name.example']).catch(() => undefined);
  await new Promise<void>((resolve) => {
    createConnection(9, '192.0.2.1').once('error', () => resolve());
  });
  if (!names.includes('name.example') || packetsWithoutRoute() === before)
    throw new Error('what is asked for and tried in the network namespace is not recorded');
}
