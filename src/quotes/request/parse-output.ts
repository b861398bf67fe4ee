import type { Chain, ChainKind } from '../../chains/chain';
import type { FieldReader } from '../../errors/field-reader';
import { type Output, OUTPUTS } from './swap-intent';

const MAX_ACCOUNT_ID_LENGTH = 64;
const OUTPUTS_OF: Readonly<Record<ChainKind, readonly Output[]>> = {
  evm: ['bytecode', 'userOperation', 'custody'],
  solana: ['bytecode', 'instructions'],
  bitcoin: ['bytecode'],
  fiat: OUTPUTS,
};

export interface OutputChoice {
  readonly output: Output;
  /** Only with the output `custody`. */
  readonly accountId: string | undefined;
}

/** Reads the requested form of the executable and its custody account. */
export function parseOutput(reader: FieldReader, { origin }: { readonly origin: Chain | undefined }): OutputChoice {
  const output = reader.oneOf('output', OUTPUTS) ?? 'bytecode';
  const accountId = reader.text('accountId', MAX_ACCOUNT_ID_LENGTH);
  if (output === 'custody' && !reader.has('accountId')) {
    reader.addIssue('accountId', 'is required when output is custody');
  }
  const problem = origin === undefined ? undefined : outputProblem(origin, output);
  if (problem !== undefined) reader.addIssue('output', problem);
  return { output, accountId: output === 'custody' ? accountId : undefined };
}

/** Why a chain does not support an output; `undefined` when it does. */
export const outputProblem = ({ kind, slug }: Chain, output: Output): string | undefined =>
  OUTPUTS_OF[kind].includes(output) ? undefined : `${output} is not supported for origin chain ${slug}`;
