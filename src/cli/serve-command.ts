import { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { serve } from './serve.ts';

/** `memoryd serve` */
export function serveCommand(print: (line: string) => void): Command {
  return new Command('serve').action(() => serve(loadConfig(), print));
}
