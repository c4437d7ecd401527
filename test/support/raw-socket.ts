import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection on which bytes are written as they are. */
export interface RawSocket {
  readonly socket: Socket;
  write(text: string): void;
  /** Everything that came until the other side closed. */
  readonly received: Promise<string>;
}

export async function openSocket(url: string): Promise<RawSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.on('error', () => undefined);
  const received = once(socket, 'close').then(() => text);
  await once(socket, 'connect');
  return { socket, received, write: (bytes) => void socket.write(bytes) };
}
