import type { Command } from './command';
import { renderTable } from './render-table';

const EVERYWHERE = { json: 'answer as JSON', help: 'show this' };

const INTRODUCTION =
  'Administers a deployment: the one of DATABASE_URL and API_KEY_PEPPER, else the embedded one that runs here.';
const EXPLANATION = `<customer> is an id or a name, <key> the id of a key or its beginning. --help after a command explains it;
with --json it answers as JSON. Ends with 0, with 1 when it failed, with 2 when the command line is wrong.`;

/** How to use the commands given: all options when it is one, else the list of them. */
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
