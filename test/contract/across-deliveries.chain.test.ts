import { setTimeout as wait } from 'node:timers/promises';
import { type Address, type Hash, parseAbiItem, toHex } from 'viem';
import { createJsonRpc } from '../../devnet/json-rpc';
import type { BridgeTransfer } from '../../src/venues/delivery-source';
import { type TestUniverse, tokenNamed, universeOfTests } from '../setup/universe-of-tests';
import {
  balanceOf,
  followUntil,
  type LocalAcross,
  poll,
  readerOf,
  sendTransfer,
  startLocalAcross,
} from './across-transfers';
import { localRequest } from './local-swaps';

const filledRelay = parseAbiItem(
  'event FilledRelay(bytes32, bytes32, uint256, uint256, uint256, uint256 indexed originChainId, uint256 indexed depositId, uint32, uint32, bytes32, bytes32 indexed relayer, bytes32, bytes32, bytes32, (bytes32, bytes32, uint256, uint8))',
);

describe('deliveries of Across', () => {
  let universe: TestUniverse;
  let across: LocalAcross;
  beforeAll(async () => {
    universe = await universeOfTests();
    across = await startLocalAcross(universe, 100);
  });
  afterAll(() => across.stop());
  let unusedCount = 0;
  /** An unused account. */
  const unusedAccount = (): Address => {
    unusedCount += 1;
    return toHex(0xac80_0000_0000n + BigInt(Date.now() % 1e6) * 1000n + BigInt(unusedCount), { size: 20 });
  };
  const transferRequest = (pair: readonly [string, string], amount: bigint, refundAddress?: string) => {
    const { here, there } = across;
    const account = universe.accounts[5]!;
    const [sender, recipient] = [account.address, unusedAccount()];
    const request = localRequest({ chain: here, destination: there, pair, amount, sender, recipient });
    return { account, request: { ...request, refundAddress } };
  };
  const received = ({ request, recipient }: BridgeTransfer) =>
    balanceOf(across.there, request.tokenOut.address, recipient);

  describe('that expired', () => {
    const amounts = { USDC: 7_000_000n, USDT: 9_000_000n, ETH: 2n * 10n ** 16n };
    type SoldToken = keyof typeof amounts;
    let transfers: Readonly<Record<SoldToken, BridgeTransfer>>;
    beforeAll(async () => {
      await across.steer('expire');
      const sent: (readonly [string, BridgeTransfer])[] = [];
      for (const [symbol, amount] of Object.entries(amounts)) {
        sent.push([symbol, await sendTransfer(across, transferRequest([symbol, symbol], amount, unusedAccount()))]);
      }
      transfers = Object.fromEntries(sent) as Record<SoldToken, BridgeTransfer>;
      await across.expire();
    });

    it.each([
      { how: 'by the hint of the API', which: 'provider', sold: 'USDC', refundedIn: 'USDC' },
      {
        how: 'by the events of the chain, when the API is down',
        which: 'withoutApi',
        sold: 'USDT',
        refundedIn: 'USDT',
      },
      { how: 'in the wrapped coin, when the native coin was sent', which: 'provider', sold: 'ETH', refundedIn: 'WETH' },
    ] as const)('are refunded to the refund address, $how', async ({ which, sold, refundedIn }) => {
      const transfer = transfers[sold];
      const refunded = await followUntil(across[which], { transfer, status: 'refunded' });
      expect(refunded).toMatchObject({ chainId: across.here.chainId, amount: amounts[sold] });
      const { address } = tokenNamed(across.here, refundedIn);
      expect(await balanceOf(across.here, address, transfer.request.refundAddress!)).toBe(amounts[sold]);
      expect(await received(transfer)).toBe(0n);
      const { status, to } = await readerOf(across.here).getTransactionReceipt({ hash: refunded.txHash as Hash });
      expect({ status, to }).toEqual({ status: 'success', to: across.here.across?.spokePool.toLowerCase() });
    });

    it('are not matched with the refund of an equal deposit while the API reports none', async () => {
      const transfer = transfers.USDC;
      expect(await poll(across.withOldApi, transfer)).toMatchObject({ status: 'refunding' });
    });
  });

  describe('that are filled or pending', () => {
    beforeEach(() => across.steer('normal'));

    it.each([
      ['by the hint of the API', 'provider'],
      ['by the events of the chain, when the API is down', 'withoutApi'],
    ] as const)('report the transaction and the amount of the fill, %s', async (_, which) => {
      await across.steer('stall');
      const transfer = await sendTransfer(across, transferRequest(['USDC', 'USDC'], 5_000_000n));
      expect(await poll(across[which], transfer)).toMatchObject({ status: 'inFlight', waitingFor: 'DESTINATION' });
      await across.steer('normal');
      const delivered = await followUntil(across[which], { transfer, status: 'delivered' });
      expect(delivered).toMatchObject({ amount: transfer.quote.expectedAmountOut, partial: false });
      expect(await received(transfer)).toBe(delivered.amount);
      const { status, to } = await readerOf(across.there).getTransactionReceipt({ hash: delivered.txHash as Hash });
      expect({ status, to }).toEqual({ status: 'success', to: across.there.across?.spokePool.toLowerCase() });
    });

    it('report the native coin and the wrapped coin as delivered', async () => {
      for (const pair of [['ETH', 'ETH'] as const, ['WETH', 'WETH'] as const]) {
        const transfer = await sendTransfer(across, transferRequest(pair, 10n ** 17n));
        const delivered = await followUntil(across.provider, { transfer, status: 'delivered' });
        expect(delivered).toMatchObject({ amount: transfer.quote.expectedAmountOut, partial: false });
        expect(await received(transfer)).toBe(delivered.amount);
      }
    });

    it('are partial when the recipient has become a contract, which receives the wrapped coin', async () => {
      await across.steer('stall');
      const transfer = await sendTransfer(across, transferRequest(['ETH', 'ETH'], 10n ** 17n));
      await createJsonRpc(across.there.rpcUrl).call('anvil_setCode', [transfer.recipient, '0x00']);
      await across.steer('normal');
      const delivered = await followUntil(across.provider, { transfer, status: 'delivered' });
      expect(delivered).toMatchObject({ partial: true });
      expect(await received(transfer)).toBe(0n);
    });

    it('are partial, with the received amount, when less than the minimum was paid out', async () => {
      await across.steer('underpay');
      const transfer = await sendTransfer(across, transferRequest(['USDT', 'USDT'], 40_000_000n));
      const delivered = await followUntil(across.provider, { transfer, status: 'delivered' });
      expect(delivered).toMatchObject({ amount: (transfer.quote.expectedAmountOut * 9n) / 10n, partial: true });
      expect(await received(transfer)).toBe(delivered.amount);
    });

    it('follow the chain when the API reports a fill that does not exist', async () => {
      await across.steer('lie');
      const transfer = await sendTransfer(across, transferRequest(['USDC', 'USDC'], 5_000_000n));
      for (let count = 0; count < 5; count += 1) {
        expect(await poll(across.provider, transfer)).toMatchObject({ status: 'inFlight', waitingFor: 'DESTINATION' });
      }
      expect(await received(transfer)).toBe(0n);
    });

    it('distinguish a transfer that is not sent, one that is not mined, and a transaction without a deposit', async () => {
      const transfer = await sendTransfer(across, transferRequest(['USDC', 'USDC'], 5_000_000n));
      const { transactions } = await readerOf(across.here).getBlock({ blockNumber: 1n });
      const states = [undefined, toHex(1n, { size: 32 }), transactions[0]].map((originTxHash) =>
        poll(across.provider, { ...transfer, originTxHash }),
      );
      expect(await Promise.all(states)).toMatchObject([
        { status: 'inFlight', waitingFor: 'DEPOSIT' },
        { status: 'inFlight', waitingFor: 'CONFIRMATIONS' },
        { status: 'failed' },
      ]);
    });

    it('fill each deposit once, even when the relayer restarts', async () => {
      await across.steer('stall');
      const transfers: BridgeTransfer[] = [];
      for (let count = 0; count < 6; count += 1) {
        transfers.push(await sendTransfer(across, transferRequest(['USDC', 'USDC'], 5_000_000n + BigInt(count))));
      }
      const before = await readerOf(across.there).getBlockNumber();
      await across.restart();
      while ((await received(transfers[0]!)) === 0n) await wait(10);
      await across.restart();
      for (const transfer of transfers) await followUntil(across.provider, { transfer, status: 'delivered' });
      await across.restart();
      await followUntil(across.provider, {
        transfer: await sendTransfer(across, transferRequest(['USDC', 'USDC'], 4_000_000n)),
        status: 'delivered',
      });
      for (const transfer of transfers) expect(await received(transfer)).toBe(transfer.quote.expectedAmountOut);
      const fills = await readerOf(across.there).getLogs({
        address: across.there.across!.spokePool,
        event: filledRelay,
        fromBlock: before,
      });
      const ids = fills.map(({ topics }) => topics[2]);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBeGreaterThanOrEqual(transfers.length + 1);
    });
  });
});
