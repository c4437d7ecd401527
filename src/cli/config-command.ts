import { Command } from 'commander';
import { describeConfig, loadConfig } from '../config/load.ts';

/** `memoryd config` */
export function configCommand(print: (line: string) => void): Command {
  return new Command('config').action(() => {
    for (const { variable, value, description } of describeConfig(loadConfig())) {
      print(`# ${description}\n${variable}=${value}\n`);
    }
  });
}
