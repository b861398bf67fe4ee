import { protocolProblemError } from './lending-failure';
import type { OperationDeps } from './operation-deps';
import { protocolPart } from './protocol-part';
import { readProtocol } from './read-protocol';
import { receiptAmount, toleranceOf } from './receipt-amount';
import type { BuiltOperation, DepositClaim } from './resolved-operation';
import { simulateStrategyOperation } from './simulate-strategy-operation';

/**
 * Builds and simulates the claim of a deposit that the vault has fulfilled. The entry fee was paid with the request. A strategy that is
 * paused still gives what was requested before.
 *
 * @throws LENDING_BAD_REQUEST, LENDING_SERVICE_UNAVAILABLE
 */
export async function buildDepositClaim(deps: OperationDeps, claim: DepositClaim): Promise<BuiltOperation> {
  const { strategy, protocol, request, actionId, signal } = claim;
  const { chain, row, underlying, receipt } = strategy;
  const { wallet, recipient } = request;
  const lend = { wallet, receiver: recipient, assets: await claimedAssets(deps, claim) };
  const preview = await readProtocol(deps.rpc, { strategy, read: protocol.lendPreview(strategy, lend) }, signal);
  if (preview.problem !== undefined) throw protocolProblemError(strategy, preview.problem);
  const call = protocol.lend(strategy, lend);
  const part = await protocolPart(deps.rpc, { kind: 'DEPOSIT', call, strategy, wallet, actionId, signal });
  const amount = receiptAmount(row, preview);
  const minimum = amount - toleranceOf(amount, row);
  const simulated = await simulateStrategyOperation(deps.rpc, {
    chainId: chain.chainId,
    sender: wallet,
    parts: [part],
    expected: [
      { token: underlying, owner: wallet, atLeast: 0n },
      { token: receipt, owner: recipient, atLeast: minimum },
    ],
    stateOverrides: undefined,
    explainRevert: protocol.explainRevert,
    signal,
  });
  return {
    ...simulated,
    paid: { token: underlying, amount: 0n },
    received: { token: receipt, amount, minimum },
    assets: lend.assets,
    statedAssets: undefined,
    fees: [],
    waiver: undefined,
    isRouted: false,
    swap: undefined,
  };
}

async function claimedAssets(
  deps: OperationDeps,
  { strategy, protocol, request, signal }: DepositClaim,
): Promise<bigint> {
  if (request.amount !== 'max') return request.amount;
  const read = protocol.holding(strategy, request.wallet);
  const { requests } = await readProtocol(deps.rpc, { strategy, read }, signal);
  return requests?.claimableLend.assets ?? 0n;
}
