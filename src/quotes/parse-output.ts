import type { Chain, ChainKind } from '../chains/chain';
import type { FieldReader } from './field-reader';
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
  readonly accountId: string | undefined;
}

/** What the transaction is wanted as, and for which custody account. */
export function parseOutput(reader: FieldReader, { origin }: { readonly origin: Chain | undefined }): OutputChoice {
  const output = reader.oneOf('output', OUTPUTS) ?? 'bytecode';
  const accountId = reader.text('accountId', MAX_ACCOUNT_ID_LENGTH);
  if (output === 'custody' && !reader.has('accountId')) {
    reader.problem('accountId', 'is required when output is custody');
  }
  if (origin !== undefined && !OUTPUTS_OF[origin.kind].includes(output)) {
    reader.problem('output', `${output} is not for origins on ${origin.slug}`);
  }
  return { output, accountId };
}

/** This deployment builds plain transactions. A null in place of what was asked for would hide that. */
export function refuseUnservedOutput(reader: FieldReader, output: Output): void {
  if (output !== 'bytecode') reader.problem('output', `${output} is not served here; supported: bytecode`);
}
