import { parseArgs } from 'node:util';
import { AdminProblem } from './admin-problem';
import type { Command, CommandInput } from './command';
import { MISSING } from './option-values';

export interface CommandLine {
  readonly command: Command;
  readonly input: CommandInput;
  readonly json: boolean;
}

const REQUIRES_A_VALUE = 'requires a value';

/** @throws AdminProblem with all problems of the command line. */
export function parseCommandLine(command: Command, args: readonly string[]): CommandLine {
  const strings = Object.keys(command.options).map((name) => [name, { type: 'string' }] as const);
  const { tokens } = parseArgs({
    args: [...args],
    options: { json: { type: 'boolean' }, ...Object.fromEntries(strings) },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const problems: string[] = [];
  const input: Record<string, string> = {};
  const positionals: string[] = [];
  let json = false;
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    else if (token.kind === 'option' && token.name === 'json') json = true;
    else if (token.kind === 'option') parseOption(token, { command, input, problems });
  }
  parsePositionals(positionals, { command, input, problems });
  const isDuplicate = (problem: string): boolean =>
    problems.some((reported) => problem === reported.replace(REQUIRES_A_VALUE, MISSING));
  problems.push(...command.problemsOf(input).filter((problem) => !isDuplicate(problem)));
  if (problems.length > 0) throw new AdminProblem(problems, 'usage');
  return { command, input, json };
}

interface ParseState {
  readonly command: Command;
  readonly input: Record<string, string>;
  readonly problems: string[];
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function parseOption(
  { name, rawName, value, inlineValue }: OptionToken,
  { command, input, problems }: ParseState,
): void {
  if (!Object.hasOwn(command.options, name)) problems.push(`${rawName} is not an option of ${command.name}`);
  else if (Object.hasOwn(input, name)) problems.push(`${rawName} is given twice`);
  else if (value === undefined || (value.startsWith('--') && inlineValue !== true))
    problems.push(`${rawName} ${REQUIRES_A_VALUE}`);
  else input[name] = value;
}

function parsePositionals(given: readonly string[], { command, input, problems }: ParseState): void {
  for (const [index, value] of given.entries()) {
    const name = command.positionals[index];
    if (name === undefined) problems.push(`"${value}" is an unexpected argument`);
    else input[name] = value;
  }
}
