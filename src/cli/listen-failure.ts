import { createServer } from 'node:net';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** A message for the operator if the service cannot listen, with a remedy; other failures unchanged. */
export function toListenFailure(error: unknown, { host, port }: Address): unknown {
  const shown: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} of ${host} is taken. Set MEMORYD_PORT to another, or stop what listens there.`,
    EACCES: `Port ${port} may not be opened by this user. Set MEMORYD_PORT to one above 1023.`,
    EADDRNOTAVAIL: `${host} is no address of this machine. Set MEMORYD_HOST to one that is, or to 0.0.0.0 for all.`,
    ENOTFOUND: `${host} is no address of this machine. Set MEMORYD_HOST to one that is, or to 0.0.0.0 for all.`,
  };
  const sentence = shown[(error as NodeJS.ErrnoException).code ?? ''];
  return sentence === undefined ? error : new Error(sentence, { cause: error });
}

/** Listens briefly. @throws if the service could not listen */
export function assertPortFree(address: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => reject(toListenFailure(error, address)));
    probe.listen(address.port, address.host, () => probe.close(() => resolve()));
  });
}
