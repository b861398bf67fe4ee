import { protocolProblemError } from './lending-failure';
import type { OperationDeps } from './operation-deps';
import { protocolPart } from './protocol-part';
import { readProtocol } from './read-protocol';
import { type BuiltOperation, requestsOf, type WithdrawalRequest } from './resolved-operation';
import { simulateStrategyOperation } from './simulate-strategy-operation';

/**
 * Builds and simulates the request of a withdrawal, which hands in shares. Its assets are claimed later, with the fees on their
 * profit.
 *
 * @throws LENDING_BAD_REQUEST, LENDING_SERVICE_UNAVAILABLE
 */
export async function buildWithdrawRequest(
  deps: OperationDeps,
  requesting: WithdrawalRequest,
): Promise<BuiltOperation> {
  const { strategy, protocol, request, actionId, signal } = requesting;
  const { chain, receipt } = strategy;
  const { wallet, amount } = request;
  const requests = requestsOf(protocol);
  const withdrawal = { wallet, amount };
  const read = requests.withdrawPreview(strategy, withdrawal);
  const preview = await readProtocol(deps.rpc, { strategy, read }, signal);
  if (preview.problem !== undefined) throw protocolProblemError(strategy, preview.problem);
  const { assets, shares } = preview;
  const call = requests.withdraw(strategy, withdrawal, preview);
  const part = await protocolPart(deps.rpc, { kind: 'REQUEST', call, strategy, wallet, actionId, signal });
  const records = requests.recorded(strategy, { side: 'withdraw', wallet });
  const simulated = await simulateStrategyOperation(deps.rpc, {
    chainId: chain.chainId,
    sender: wallet,
    parts: [part],
    expected: [
      { token: receipt, owner: wallet, atLeast: -shares },
      { token: receipt, owner: wallet, atLeast: shares, records },
    ],
    stateOverrides: undefined,
    explainRevert: protocol.explainRevert,
    signal,
  });
  return {
    ...simulated,
    paid: { token: receipt, amount: shares },
    received: { token: receipt, amount: shares, minimum: shares },
    assets,
    statedAssets: undefined,
    fees: [],
    waiver: undefined,
    isRouted: false,
    swap: undefined,
  };
}
