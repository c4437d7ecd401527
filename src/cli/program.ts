import { Command } from 'commander';
import { describeConfig, loadConfig } from '../config/load.ts';
import { version } from '../lib/version.ts';
import { backupCommand, restoreCommand } from './backup-command.ts';
import { checkCommand } from './check-command.ts';
import { embeddingsCommand } from './embeddings-command.ts';
import { exportCommand } from './export-command.ts';
import { importCommand } from './import/import-command.ts';
import { keysCommand } from './keys-command.ts';
import { mcpCommand } from './mcp/mcp-command.ts';
import { serve } from './serve.ts';
import { usersCommand } from './users-command.ts';

const print = (line: string) => void process.stdout.write(`${line}\n`);

function configCommand(): Command {
  return new Command('config')
    .description('show every setting as it is in force, secrets masked')
    .action(() => {
      for (const { variable, value, description } of describeConfig(loadConfig())) {
        print(`# ${description}\n${variable}=${value}\n`);
      }
    });
}

/** The command line `memoryd`. */
export function program(): Command {
  const serveCommand = new Command('serve')
    .description('run the service')
    .action(() => serve(loadConfig(), print));
  return new Command('memoryd')
    .description('a self-hosted memory service for AI agents')
    .version(version)
    .addCommand(serveCommand)
    .addCommand(usersCommand(print))
    .addCommand(keysCommand(print))
    .addCommand(checkCommand(print))
    .addCommand(embeddingsCommand(print))
    .addCommand(importCommand(print))
    .addCommand(exportCommand(print))
    .addCommand(backupCommand(print))
    .addCommand(restoreCommand(print))
    .addCommand(mcpCommand())
    .addCommand(configCommand());
}
