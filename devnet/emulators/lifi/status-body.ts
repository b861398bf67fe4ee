import type { Address } from 'viem';
import type { EmulatorResponse } from '../http-emulator';
import type { BridgedChain } from './bridged-chain';
import type { CompletedSwap, Ledger, Payout, Transfer } from './ledger';
import { type Chains, invalid } from './parameters';
import type { Relayer } from './relayer';
import { tokenBody } from './step-body';

export interface StatusDeps {
  readonly chains: Chains;
  readonly ledger: Ledger;
  readonly relayer: Pick<Relayer, 'failureOf'>;
}

interface Progress {
  readonly status: 'PENDING' | 'DONE' | 'FAILED';
  readonly substatus: string;
  readonly substatusMessage: string;
  readonly receiving?: Payout | undefined;
}

/** The response of `GET /v1/status`. @throws ApiError */
export async function transferStatus(deps: StatusDeps, query: URLSearchParams): Promise<EmulatorResponse> {
  const txHash = query.get('txHash')?.toLowerCase();
  if (txHash === undefined || !/^0x[0-9a-f]{64}$/.test(txHash)) throw invalid('/txHash is not a transaction hash');
  await deps.ledger.update();
  const swap = deps.ledger.swaps().find((each) => each.txHash === txHash);
  if (swap !== undefined) return { body: swapBody(deps.chains, swap) };
  const transfer = deps.ledger.transfers().find((each) => each.txHash === txHash);
  if (transfer === undefined) return { body: { status: 'NOT_FOUND', sending: { txHash }, receiving: {} } };
  if (query.has('bridge') && query.get('bridge') !== toolOf(deps.chains, transfer)) {
    return { body: { status: 'INVALID', sending: { txHash }, receiving: {} } };
  }
  return { body: transferBody(deps, transfer) };
}

function transferBody({ chains, ledger, relayer }: StatusDeps, transfer: Transfer): object {
  const { originChainId, destinationChainId, txHash, bridgedToken, bridgedAmount } = transfer;
  const { receiving, ...progress } = progressOf(transfer, ledger.payoutOf(transfer), relayer.failureOf(transfer));
  return {
    transactionId: transfer.transactionId,
    fromAddress: transfer.sender,
    toAddress: transfer.receiver,
    sending: sideOf(chains, { chainId: originChainId, txHash, token: bridgedToken, amount: bridgedAmount }),
    receiving: receiving === undefined ? { chainId: destinationChainId } : sideOf(chains, receiving),
    tool: toolOf(chains, transfer),
    metadata: { integrator: 'lifi-api' },
    ...progress,
  };
}

function progressOf(transfer: Transfer, paid: Payout | undefined, failure: ReturnType<Relayer['failureOf']>): Progress {
  if (paid !== undefined) return { status: 'DONE', ...endOf(transfer, paid), receiving: paid };
  if (failure === 'failed') {
    const substatusMessage = 'The transfer failed for an unknown reason.';
    return { status: 'FAILED', substatus: 'UNKNOWN_FAILED_ERROR', substatusMessage };
  }
  if (failure === 'refunding') {
    const substatusMessage = 'The transfer could not be completed, a refund is in progress.';
    return { status: 'PENDING', substatus: 'REFUND_IN_PROGRESS', substatusMessage };
  }
  const substatusMessage = 'The bridge off-chain logic is being executed.';
  return { status: 'PENDING', substatus: 'WAIT_DESTINATION_TRANSACTION', substatusMessage };
}

function endOf({ originChainId, tokenOut }: Transfer, { chainId, token }: Payout) {
  if (chainId === originChainId) return { substatus: 'REFUNDED', substatusMessage: 'The tokens were refunded.' };
  if (token === tokenOut) return { substatus: 'COMPLETED', substatusMessage: 'The transfer is complete.' };
  return { substatus: 'PARTIAL', substatusMessage: 'The transfer was completed with another token.' };
}

function swapBody(chains: Chains, { transactionId, receiver, chainId, txHash, tokenOut, amountOut }: CompletedSwap) {
  const side = sideOf(chains, { chainId, txHash, token: tokenOut, amount: amountOut });
  return {
    transactionId,
    toAddress: receiver,
    sending: side,
    receiving: side,
    tool: 'lifidexaggregator',
    status: 'DONE',
    substatus: 'COMPLETED',
    substatusMessage: 'The transfer is complete.',
  };
}

interface Side {
  readonly chainId: number;
  readonly txHash: string;
  readonly token: Address;
  readonly amount: bigint;
}

function sideOf(chains: Chains, { chainId, txHash, token, amount }: Side): object {
  const chain = chains.get(chainId);
  const body = chain === undefined ? undefined : tokenOf(chain, token);
  return { chainId, txHash, txLink: `https://localhost/tx/${txHash}`, amount: amount.toString(), token: body };
}

function tokenOf(chain: BridgedChain, address: Address) {
  const token = chain.tokenAt(address);
  return token === undefined ? undefined : tokenBody(chain, token);
}

function toolOf(chains: Chains, { destinationChainId, tokenOut }: Transfer): string {
  const token = chains.get(destinationChainId)?.tokenAt(tokenOut);
  return token?.symbol === 'USDT' ? 'stargateV2' : 'relay';
}
