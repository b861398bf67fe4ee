import type { z } from 'zod';
import type { PrismaClient } from '../persistence/client/client';
import type { PersonalDataVault, Sealer } from '../persistence/personal-data';

export interface AdminDeps {
  readonly db: PrismaClient;
  /** `API_KEY_PEPPER` of the deployment. */
  readonly pepper: string;
  /** Opens personal data; absent in deployments that keep none. */
  readonly vault?: PersonalDataVault | undefined;
  /** Opens what calls with an `Idempotency-Key` were answered. */
  readonly answers: Sealer;
}

/** What a command has to say: for programs and for people. */
export interface Report {
  readonly data: unknown;
  readonly text: string;
}

/** Names what the command line gave to a command. */
export type CommandInput = Readonly<Record<string, string | undefined>>;

interface Description {
  /** As typed, e.g. `customer create`. */
  readonly name: string;
  readonly summary: string;
  /** Names of the arguments that stand without a `--`, in order. */
  readonly positionals: readonly string[];
  /** What each `--option` means, by its name. */
  readonly options: Readonly<Record<string, string>>;
}

export interface Command extends Description {
  /** Everything that is wrong with the input, one line each. */
  problemsOf(input: CommandInput): readonly string[];
  /** Carries out the command; to be called with input that has no problems. @throws AdminProblem, ServiceError */
  run(deps: AdminDeps, input: CommandInput): Promise<Report>;
}

/** A command whose input is read with a schema that is keyed by the names of positionals and options. */
export function defineCommand<Schema extends z.ZodType>(
  definition: Description & { readonly input: Schema; run(deps: AdminDeps, input: z.output<Schema>): Promise<Report> },
): Command {
  const { name, summary, positionals, options, input: schema } = definition;
  const nameOf = (part: string): string => (positionals.includes(part) ? `<${part}>` : `--${part}`);
  return {
    name,
    summary,
    positionals,
    options,
    problemsOf(input) {
      const issues = schema.safeParse(input).error?.issues ?? [];
      return issues.map(({ path: [part = ''], message }) => `${nameOf(String(part))} ${message}`);
    },
    run: (deps, input) => definition.run(deps, schema.parse(input)),
  };
}
