import type { Pool } from 'pg';
import type { z } from 'zod';
import type { PrismaClient } from '../persistence/client/client';
import type { PersonalDataVault, Sealer } from '../persistence/personal-data';
import type { RetentionSettings } from '../persistence/retention/retention-rules';

export interface AdminDeps {
  readonly database: PrismaClient;
  readonly pool: Pick<Pool, 'query'>;
  /** How long the deployment keeps rows. */
  readonly retention: RetentionSettings;
  /** `API_KEY_PEPPER` of the deployment. */
  readonly pepper: string;
  /** Opens personal data. Absent in deployments that store none. */
  readonly vault?: PersonalDataVault | undefined;
  /** Opens the stored responses of requests with an `Idempotency-Key`. */
  readonly responseSealer: Sealer;
  /** Opens and seals the secrets that sign webhooks. */
  readonly webhookSealer: Sealer;
  /** A sentence for each secret that is not the one which the stored data was written with. */
  secretProblems(): Promise<readonly string[]>;
}

/** The output of a command, as JSON for programs and as text for people. */
export interface CommandOutput {
  readonly data: unknown;
  readonly text: string;
  /** Sentences for the operator, beside the output. */
  readonly warnings?: readonly string[];
}

/** Names of the inputs that a command takes from the command line. */
export type CommandInput = Readonly<Record<string, string | undefined>>;

interface Description {
  /** As typed, such as `customer create`. */
  readonly name: string;
  readonly summary: string;
  /** Names of the positional arguments, in order. */
  readonly positionals: readonly string[];
  /** Description of each `--option`, by its name. */
  readonly options: Readonly<Record<string, string>>;
  /** True for a command that neither reads nor writes with the secrets, and runs with wrong ones. */
  readonly ignoresSecrets?: boolean;
}

export interface Command extends Description {
  /** All problems of the input, one line each. */
  problemsOf(input: CommandInput): readonly string[];
  /** Runs the command. Its input must have no problems. @throws AdminProblem, ServiceError */
  run(deps: AdminDeps, input: CommandInput): Promise<CommandOutput>;
}

/** A command whose input is parsed with a schema that is keyed by the names of positionals and options. */
export function defineCommand<Schema extends z.ZodType>(
  definition: Description & {
    readonly input: Schema;
    run(deps: AdminDeps, input: z.output<Schema>): Promise<CommandOutput>;
  },
): Command {
  const { name, summary, positionals, options, ignoresSecrets = false, input: schema } = definition;
  const nameOf = (part: string): string => (positionals.includes(part) ? `<${part}>` : `--${part}`);
  return {
    name,
    summary,
    positionals,
    options,
    ignoresSecrets,
    problemsOf(input) {
      const issues = schema.safeParse(input).error?.issues ?? [];
      return issues.map(({ path: [part = ''], message }) => `${nameOf(String(part))} ${message}`);
    },
    run: (deps, input) => definition.run(deps, schema.parse(input)),
  };
}
