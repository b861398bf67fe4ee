import type { Chain } from '../../chains/chain';
import { type ValidationIssue, validationError } from '../../errors/validation';
import type { ContractKind, FindContractKind } from '../../rpc/contract-kind';
import { knownContractProblem } from '../../venues/known-contracts';

export interface RecipientCheckDeps {
  readonly findContractKind: FindContractKind;
}

interface RecipientOnChain {
  readonly chain: Chain;
  readonly address: string;
}

/** An address that receives tokens, and the parameter that names it. */
export interface Recipient extends RecipientOnChain {
  readonly path: string;
}

const KIND_PROBLEM: Readonly<Record<ContractKind, string>> = {
  token: 'is a token contract, where tokens are lost',
  pool: 'is a liquidity pool, where tokens are lost',
};

/** Refuses recipients that could not return the tokens. @throws VALIDATION_ERROR with the reason for each of them */
export async function assertRecipients(
  deps: RecipientCheckDeps,
  recipients: readonly Recipient[],
  signal?: AbortSignal,
): Promise<void> {
  const issueOf = async ({ path, ...recipient }: Recipient): Promise<readonly ValidationIssue[]> => {
    const message = await findRecipientProblem(deps, recipient, signal);
    return message === undefined ? [] : [{ path, message }];
  };
  const issues = (await Promise.all(recipients.map(issueOf))).flat();
  if (issues.length > 0) throw validationError(issues);
}

/** Why tokens that are sent to an address are lost: it is a contract of the chain table, a token or a pool. */
export async function findRecipientProblem(
  { findContractKind }: RecipientCheckDeps,
  { chain, address }: RecipientOnChain,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const problem = knownContractProblem(chain, address);
  if (problem !== undefined || chain.kind !== 'evm') return problem;
  const kind = await findContractKind(chain.chainId, address, signal);
  return kind === undefined ? undefined : KIND_PROBLEM[kind];
}
