import { ConfigError } from '../config/config';
import { isServiceError } from '../errors/service-error';
import { AdminProblem } from './admin-problem';
import type { AdminDeps, Command, CommandInput, CommandOutput } from './command';
import { CUSTOMER_COMMANDS } from './customer-commands';
import { GAS_COMMANDS } from './gas-commands';
import { helpFor } from './help';
import { INDEX_COMMANDS } from './index-commands';
import { KEY_COMMANDS } from './key-commands';
import { MEMBER_COMMANDS } from './member-commands';
import { parseCommandLine } from './parse-command-line';
import { PERSONAL_DATA_COMMANDS } from './personal-data-commands';
import { QUARANTINE_COMMANDS } from './quarantine-commands';
import { RAMP_COMMANDS } from './ramp-commands';
import { RETENTION_COMMANDS } from './retention-commands';
import { SECRET_COMMANDS } from './secret-commands';
import { WEBHOOK_COMMANDS } from './webhook-commands';

const COMMANDS: readonly Command[] = [
  ...CUSTOMER_COMMANDS,
  ...PERSONAL_DATA_COMMANDS,
  ...KEY_COMMANDS,
  ...MEMBER_COMMANDS,
  ...RAMP_COMMANDS,
  ...RETENTION_COMMANDS,
  ...SECRET_COMMANDS,
  ...QUARANTINE_COMMANDS,
  ...INDEX_COMMANDS,
  ...GAS_COMMANDS,
  ...WEBHOOK_COMMANDS,
];

export interface AdminOutcome {
  /** Exit code: 0, or 1 when the command failed, or 2 when the command line is wrong. */
  readonly exitCode: 0 | 1 | 2;
  readonly output: string;
  /** Problems, and warnings of a command that succeeded. */
  readonly errors: string;
}

/**
 * Opens the database of the deployment for the duration of one command. @throws AdminProblem when it cannot be opened
 */
export type WithDeployment = <Result>(work: (deps: AdminDeps) => Promise<Result>) => Promise<Result>;

/** Runs the command of the command line. Never throws. */
export async function runAdmin(args: readonly string[], withDeployment: WithDeployment): Promise<AdminOutcome> {
  try {
    const { group, rest } = select(args);
    if (group.length === 0) throw new AdminProblem(unknownCommand(args), 'usage');
    if (rest.includes('--help') || rest.includes('-h')) return success(helpFor(group));
    const [command, ...others] = group;
    if (command === undefined || others.length > 0) throw new AdminProblem(unknownCommand(args), 'usage');
    const { input, json } = parseCommandLine(command, rest);
    const { data, text, warnings = [] } = await withDeployment((deps) => runCommand(command, deps, input));
    return { ...success(json ? JSON.stringify(data, undefined, 2) : text), errors: warnings.join('\n') };
  } catch (error) {
    return failure(error, args.includes('--json'));
  }
}

/** A key created under a wrong secret would not work, and personal data could not be read. */
async function runCommand(command: Command, deps: AdminDeps, input: CommandInput): Promise<CommandOutput> {
  const problems = command.ignoresSecrets === true ? [] : await deps.secretProblems();
  if (problems.length > 0) throw new AdminProblem(problems, 'failure');
  return command.run(deps, input);
}

/** Returns the commands that the first arguments can mean, with the remaining arguments. */
function select(args: readonly string[]): { group: readonly Command[]; rest: readonly string[] } {
  const words = args.slice(0, 2).filter((word) => !word.startsWith('-'));
  const isMeant = ({ name }: Command): boolean => words.every((word, index) => name.split(' ')[index] === word);
  return { group: COMMANDS.filter(isMeant), rest: args.slice(words.length) };
}

function unknownCommand(args: readonly string[]): readonly string[] {
  const given = args.length === 0 ? 'A command is required' : `Unknown command "${args.slice(0, 2).join(' ')}"`;
  return [`${given}. Commands: ${COMMANDS.map(({ name }) => name).join(', ')}. Use --help for an explanation.`];
}

const success = (output: string): AdminOutcome => ({ exitCode: 0, output, errors: '' });

function failure(error: unknown, json: boolean): AdminOutcome {
  const problems = problemsOf(error);
  const exitCode = error instanceof AdminProblem && error.kind === 'usage' ? 2 : 1;
  return { exitCode, output: json ? JSON.stringify({ problems }) : '', errors: json ? '' : problems.join('\n') };
}

function problemsOf(error: unknown): readonly string[] {
  if (error instanceof AdminProblem || error instanceof ConfigError) return error.problems;
  if (isServiceError(error)) return [error.message];
  return [`The command failed: ${error instanceof Error ? error.message : String(error)}`];
}
