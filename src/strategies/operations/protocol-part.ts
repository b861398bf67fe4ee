import { readHoldings } from '../../rpc/erc20';
import type { Rpc } from '../../rpc/rpc';
import { approveCall, approveCallsWithReset } from '../../transactions/execution/calls/approvals';
import { tagCall } from '../../transactions/execution/calls/tag-call';
import type { ProtocolCall } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import { readingChain } from './lending-failure';
import type { OperationPart } from './operation-part';

interface ProtocolPartRequest {
  readonly kind: 'DEPOSIT' | 'WITHDRAW' | 'REQUEST' | 'CLAIM';
  readonly call: ProtocolCall;
  readonly strategy: Strategy;
  readonly wallet: string;
  readonly actionId: string;
  readonly signal: AbortSignal;
}

/**
 * The call of a protocol as a part of an operation, with the approval that the wallet lacks.
 *
 * @throws LENDING_SERVICE_UNAVAILABLE when the chain does not respond
 */
export async function protocolPart(
  rpc: Pick<Rpc, 'multicall'>,
  { kind, call, strategy, wallet, actionId, signal }: ProtocolPartRequest,
): Promise<OperationPart> {
  const { chain, row, underlying, receipt } = strategy;
  const { chainId } = chain;
  const { to, data, value, allowance } = call;
  const part = {
    kind,
    protocol: row.protocol,
    call: tagCall({ chainId, from: wallet, to, data, value }, actionId),
    access: {
      token: allowance?.token ?? (kind === 'DEPOSIT' ? underlying : receipt).address,
      spender: allowance?.spender,
    },
  };
  if (allowance === undefined) return { ...part, approvals: [] };
  const { token, spender, amount } = allowance;
  const reading = readHoldings({ rpc, chainId }, [{ token, owner: wallet, spender }], { signal });
  const [held] = await readingChain(reading);
  const granted = held?.allowance ?? 0n;
  if (granted >= amount) return { ...part, approvals: [] };
  const approval = { chainId, owner: wallet, token, spender, amount };
  const approvalsWithReset = granted > 0n ? approveCallsWithReset(approval) : undefined;
  return { ...part, approvals: [approveCall(approval)], approvalsWithReset };
}
