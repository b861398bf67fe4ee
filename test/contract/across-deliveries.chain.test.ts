import { setTimeout as wait } from 'node:timers/promises';
import { type Address, type Hash, parseAbiItem, toHex } from 'viem';
import { createJsonRpc } from '../../devnet/json-rpc';
import type { Shipment } from '../../src/quotes/delivery-source';
import { type TestUniverse, tokenNamed, universeOfTests } from '../setup/universe-of-tests';
import { balanceOf, followUntil, type LocalAcross, look, readerOf, ship, startLocalAcross } from './across-transfers';
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
  let strangers = 0;
  /** An account that nothing has ever happened to. */
  const stranger = (): Address => {
    strangers += 1;
    return toHex(0xac80_0000_0000n + BigInt(Date.now() % 1e6) * 1000n + BigInt(strangers), { size: 20 });
  };
  const transfer = (pair: readonly [string, string], amount: bigint, refundAddress?: string) => {
    const { here, there } = across;
    const account = universe.accounts[5]!;
    const [sender, recipient] = [account.address, stranger()];
    const request = localRequest({ chain: here, destination: there, pair, amount, sender, recipient });
    return { account, request: { ...request, refundAddress } };
  };
  const received = ({ request, recipient }: Shipment) => balanceOf(across.there, request.tokenOut.address, recipient);

  describe('that expired', () => {
    const amounts = { USDC: 7_000_000n, USDT: 9_000_000n, ETH: 2n * 10n ** 16n };
    type Sold = keyof typeof amounts;
    let shipments: Readonly<Record<Sold, Shipment>>;
    beforeAll(async () => {
      await across.steer('expire', 2);
      const shipped: (readonly [string, Shipment])[] = [];
      for (const [symbol, amount] of Object.entries(amounts)) {
        shipped.push([symbol, await ship(across, transfer([symbol, symbol], amount, stranger()))]);
      }
      shipments = Object.fromEntries(shipped) as Record<Sold, Shipment>;
    });

    it.each([
      { how: 'by the hint of the API', which: 'provider', sold: 'USDC', paidBackIn: 'USDC' },
      {
        how: 'by the events of the chain, when the API is down',
        which: 'withoutApi',
        sold: 'USDT',
        paidBackIn: 'USDT',
      },
      { how: 'as the wrapped coin, when coin was sent', which: 'provider', sold: 'ETH', paidBackIn: 'WETH' },
    ] as const)('are told to be paid back to the refund address, $how', async ({ which, sold, paidBackIn }) => {
      const shipment = shipments[sold];
      const refunded = await followUntil(across[which], { shipment, status: 'refunded' });
      expect(refunded).toMatchObject({ chainId: across.here.chainId, amount: amounts[sold] });
      const { address } = tokenNamed(across.here, paidBackIn);
      expect(await balanceOf(across.here, address, shipment.request.refundAddress!)).toBe(amounts[sold]);
      expect(await received(shipment)).toBe(0n);
      const { status, to } = await readerOf(across.here).getTransactionReceipt({ hash: refunded.txHash as Hash });
      expect({ status, to }).toEqual({ status: 'success', to: across.here.across?.spokePool.toLowerCase() });
    });

    it('are not taken for paid back by the refund of an equal one, while the API knows of none', async () => {
      const shipment = shipments.USDC;
      expect(await look(across.withOldApi, shipment)).toMatchObject({ status: 'refunding' });
    });
  });

  describe('that are filled or wait for it', () => {
    beforeEach(() => across.steer('normal'));

    it.each([
      ['by the hint of the API', 'provider'],
      ['by the events of the chain, when the API is down', 'withoutApi'],
    ] as const)('tells the fill, its transaction and what arrived, %s', async (_, which) => {
      await across.steer('stall');
      const shipment = await ship(across, transfer(['USDC', 'USDC'], 5_000_000n));
      expect(await look(across[which], shipment)).toMatchObject({ status: 'inFlight', waitingFor: 'DESTINATION' });
      await across.steer('normal');
      const delivered = await followUntil(across[which], { shipment, status: 'delivered' });
      expect(delivered).toMatchObject({ amount: shipment.quote.expectedAmountOut, partial: false });
      expect(await received(shipment)).toBe(delivered.amount);
      const { status, to } = await readerOf(across.there).getTransactionReceipt({ hash: delivered.txHash as Hash });
      expect({ status, to }).toEqual({ status: 'success', to: across.there.across?.spokePool.toLowerCase() });
    });

    it('tells that coin arrived as coin, and the wrapped coin wrapped', async () => {
      for (const pair of [['ETH', 'ETH'] as const, ['WETH', 'WETH'] as const]) {
        const shipment = await ship(across, transfer(pair, 10n ** 17n));
        const delivered = await followUntil(across.provider, { shipment, status: 'delivered' });
        expect(delivered).toMatchObject({ amount: shipment.quote.expectedAmountOut, partial: false });
        expect(await received(shipment)).toBe(delivered.amount);
      }
    });

    it('calls it partial when the recipient has become a contract, which gets the wrapped coin', async () => {
      await across.steer('stall');
      const shipment = await ship(across, transfer(['ETH', 'ETH'], 10n ** 17n));
      await createJsonRpc(across.there.rpcUrl).call('anvil_setCode', [shipment.recipient, '0x00']);
      await across.steer('normal');
      const delivered = await followUntil(across.provider, { shipment, status: 'delivered' });
      expect(delivered).toMatchObject({ partial: true });
      expect(await received(shipment)).toBe(0n);
    });

    it('calls it partial, with what really arrived, when less was paid out than the minimum', async () => {
      await across.steer('underpay');
      const shipment = await ship(across, transfer(['USDT', 'USDT'], 40_000_000n));
      const delivered = await followUntil(across.provider, { shipment, status: 'delivered' });
      expect(delivered).toMatchObject({ amount: (shipment.quote.expectedAmountOut * 9n) / 10n, partial: true });
      expect(await received(shipment)).toBe(delivered.amount);
    });

    it('believes the chain when the API calls filled what is not', async () => {
      await across.steer('lie');
      const shipment = await ship(across, transfer(['USDC', 'USDC'], 5_000_000n));
      for (let count = 0; count < 5; count += 1) {
        expect(await look(across.provider, shipment)).toMatchObject({ status: 'inFlight', waitingFor: 'DESTINATION' });
      }
      expect(await received(shipment)).toBe(0n);
    });

    it('knows a transfer that was not sent, one that is not mined, and a transaction that deposits nothing', async () => {
      const shipment = await ship(across, transfer(['USDC', 'USDC'], 5_000_000n));
      const { transactions } = await readerOf(across.here).getBlock({ blockNumber: 1n });
      const states = [undefined, toHex(1n, { size: 32 }), transactions[0]].map((originTxHash) =>
        look(across.provider, { ...shipment, originTxHash }),
      );
      expect(await Promise.all(states)).toMatchObject([
        { status: 'inFlight', waitingFor: 'DEPOSIT' },
        { status: 'inFlight', waitingFor: 'CONFIRMATIONS' },
        { status: 'failed' },
      ]);
    });

    it('fills each deposit once, though the relayer is started again in the middle', async () => {
      await across.steer('stall');
      const shipments: Shipment[] = [];
      for (let count = 0; count < 6; count += 1) {
        shipments.push(await ship(across, transfer(['USDC', 'USDC'], 5_000_000n + BigInt(count))));
      }
      const before = await readerOf(across.there).getBlockNumber();
      await across.restart();
      while ((await received(shipments[0]!)) === 0n) await wait(10);
      await across.restart();
      for (const shipment of shipments) await followUntil(across.provider, { shipment, status: 'delivered' });
      await across.restart();
      await followUntil(across.provider, {
        shipment: await ship(across, transfer(['USDC', 'USDC'], 4_000_000n)),
        status: 'delivered',
      });
      for (const shipment of shipments) expect(await received(shipment)).toBe(shipment.quote.expectedAmountOut);
      const fills = await readerOf(across.there).getLogs({
        address: across.there.across!.spokePool,
        event: filledRelay,
        fromBlock: before,
      });
      const ids = fills.map(({ topics }) => topics[2]);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBeGreaterThanOrEqual(shipments.length + 1);
    });
  });
});
