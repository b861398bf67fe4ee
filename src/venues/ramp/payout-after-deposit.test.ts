import { encodeAbiParameters, encodeEventTopics, erc20Abi, type Hex } from 'viem';
import { receiptResponse } from '../../../test/ramps/receipt-response';
import { orderOf, OFF_RAMP, ON_RAMP } from '../../../test/ramps/scripted-money';
import { ALICE, BOB, ROUTER, USDC } from '../../../test/swaps/swap-world';
import type { RampRoute, Ticket } from '../../ramps/ramp-provider';
import type { StoredTicket } from '../../ramps/ticket-store';
import type { DeliveryState, BridgeTransfer } from '../delivery-source';
import { payoutAfterDeposit } from './payout-after-deposit';

const HASH: Hex = `0x${'11'.repeat(32)}`;
const AMOUNT = 100_000_000n;
const PAYING: DeliveryState = { status: 'inFlight', waitingFor: 'PAYOUT' };
const WAITING: DeliveryState = { status: 'inFlight', waitingFor: 'CONFIRMATIONS' };

interface Move {
  readonly token?: string;
  readonly to?: string;
  readonly amount?: bigint;
}

const logOf = ({ token = USDC.address, to = BOB, amount = AMOUNT }: Move) => ({
  address: token,
  topics: encodeEventTopics({
    abi: erc20Abi,
    eventName: 'Transfer',
    args: { from: ALICE as Hex, to: to as Hex },
  }),
  data: encodeAbiParameters([{ type: 'uint256' }], [amount]),
});

/** Polls a payout against a chain with this receipt. */
async function poll(
  receipt: { readonly status: 'success' | 'reverted'; readonly moves: readonly Move[] } | undefined,
  { route = OFF_RAMP, txHash }: { readonly route?: RampRoute; readonly txHash: string | undefined } = { txHash: HASH },
): Promise<DeliveryState> {
  const { quoteRequest, ticket: ticketRequest } = orderOf({ route });
  const ticket: Ticket = { kind: 'payOut', ticketId: 'a', depositAddress: BOB, amount: quoteRequest.amount };
  const quote = {
    amountIn: quoteRequest.amount,
    amountOut: quoteRequest.amount,
    fees: [],
    expiresAt: new Date(),
    execution: {},
  };
  const stored = { ticket, request: { ...ticketRequest, route, quote } } as unknown as StoredTicket;
  const client = {
    request: ({ params: [hash] }: { readonly params: readonly [Hex] }) =>
      Promise.resolve(
        receipt === undefined
          ? null
          : receiptResponse({ hash, status: receipt.status, logs: receipt.moves.map(logOf) }),
      ),
  };
  const source = payoutAfterDeposit(
    {
      tickets: { find: () => Promise.resolve(stored) },
      rpc: { request: (_, ticketRequest) => ticketRequest(client as never) },
      solana: { transactions: () => Promise.reject(new Error('nothing of it is on Solana')) },
    },
    { follow: () => Promise.resolve(PAYING) },
  );
  const [fiat, chain] = [{ kind: 'fiat', chainId: 0 }, route.chain];
  const request = { origin: route.direction === 'onRamp' ? fiat : chain, tokenIn: USDC };
  const transfer = { actionId: ticketRequest.externalId, originTxHash: txHash, request } as unknown as BridgeTransfer;
  return source.follow(transfer, AbortSignal.timeout(1000));
}

it('polls a payout once the transaction of its action has deposited the token', async () => {
  expect(await poll({ status: 'success', moves: [{}] })).toEqual(PAYING);
  expect(await poll({ status: 'success', moves: [{ amount: AMOUNT + 1n }] })).toEqual(PAYING);
});

it('does not poll a payout whose transaction reverted, whatever the balance of the account', async () => {
  expect(await poll({ status: 'reverted', moves: [] })).toEqual(WAITING);
});

it('does not poll a payout whose transaction is not mined or not sent', async () => {
  expect(await poll(undefined)).toEqual(WAITING);
  expect(await poll({ status: 'success', moves: [{}] }, { txHash: undefined })).toEqual(WAITING);
});

it('does not poll a payout after a deposit of too little, of another token or to another account', async () => {
  for (const move of [{ amount: AMOUNT - 1n }, { token: ROUTER }, { to: ALICE }]) {
    expect(await poll({ status: 'success', moves: [move] })).toEqual(WAITING);
  }
});

it('does not delay on-ramps', async () => {
  expect(await poll(undefined, { route: ON_RAMP, txHash: undefined })).toEqual(PAYING);
});
