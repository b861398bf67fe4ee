import type { Command } from './command';
import { renderTable } from './render-table';

const EVERYWHERE = { json: 'print the result as JSON', help: 'show this help' };

const INTRODUCTION = `Administers a deployment: the one of DATABASE_URL and API_KEY_PEPPER, in the environment or in the file .env of this
folder, or else the embedded one that runs here.`;
const EXPLANATION = `<customer> is an id or a name. <key> is the id of a key, or its prefix sk_live_<id>. <subject> is the claim "sub" of a
user's access tokens.
--help after a command shows its options; --json prints the result as JSON.
Exit codes: 0 success, 1 the command failed, 2 the command line is wrong.`;

/** Returns the help text: all options of a single command, or the list of several commands. */
export function helpFor(commands: readonly Command[]): string {
  const [command, ...others] = commands;
  if (command !== undefined && others.length === 0) return helpForOne(command);
  const rows = commands.map((one) => [`  ${usageOf(one)}`, one.summary]);
  return [INTRODUCTION, renderTable(rows), EXPLANATION].join('\n\n');
}

function helpForOne(command: Command): string {
  const options = Object.entries({ ...command.options, ...EVERYWHERE });
  const rows = options.map(([name, meaning]) => [`  --${name}`, meaning]);
  return [`admin ${usageOf(command)}`, '', command.summary, '', renderTable(rows)].join('\n');
}

const usageOf = ({ name, positionals }: Command): string =>
  [name, ...positionals.map((positional) => `<${positional}>`)].join(' ');
