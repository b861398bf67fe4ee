import fc from 'fast-check';
import { encodeAbiParameters, encodeEventTopics, erc20Abi, type Hex, HttpRequestError } from 'viem';
import { receiptResponse } from '../../../test/ramps/receipt-response';
import { ALICE, BOB, DAI, rejection, units, USDC } from '../../../test/swaps/swap-world';
import { serviceError } from '../../errors/service-error';
import type { Rpc } from '../../rpc/rpc';
import { readReceivedAmount, attributeAmount, readSettledAmount } from './received-amount';

const HASH: Hex = `0x${'ab'.repeat(32)}`;
const chain = { chainId: 31_337, confirmations: 3 };
const question = { txHash: HASH, token: USDC.address, owner: ALICE };

interface Move {
  readonly token: string;
  readonly to: string;
  readonly amount: bigint;
}

const logOf = ({ token, to, amount }: Move) => ({
  address: token.toLowerCase(),
  topics: encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from: BOB, to: to as Hex } }),
  data: encodeAbiParameters([{ type: 'uint256' }], [amount]),
});

interface ChainState {
  readonly moves?: readonly Move[];
  readonly status?: 'success' | 'reverted';
  /** Number of the newest block; the transaction is in the tenth. */
  readonly head?: bigint;
  readonly isMined?: boolean;
  readonly failure?: Error;
}

function rpcOf({
  moves = [],
  status = 'success',
  head = 10n,
  isMined = true,
  failure,
}: ChainState): Pick<Rpc, 'request'> {
  const receipt = isMined ? receiptResponse({ hash: HASH, status, blockNumber: 10n, logs: moves.map(logOf) }) : null;
  const client = {
    request: () => (failure === undefined ? Promise.resolve(receipt) : Promise.reject(failure)),
    getBlockNumber: () => Promise.resolve(head),
  };
  const reason = 'down';
  return {
    request: (_, call) =>
      call(client as never).catch(() => {
        throw serviceError('PROVIDER_UNAVAILABLE', { provider: 'devnet RPC', reason });
      }),
  };
}

const arrived = (state: ChainState) => readReceivedAmount(rpcOf(state), { ...question, chainId: chain.chainId });
const settled = (state: ChainState) => readSettledAmount(rpcOf(state), { ...question, chain });

describe('the received amount of a transaction', () => {
  it('is the sum of all transfers of the token to the account', async () => {
    const move = fc.record({
      token: fc.constantFrom(USDC.address, DAI.address),
      to: fc.constantFrom(ALICE, BOB),
      amount: fc.bigInt({ min: 0n, max: 2n ** 200n }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 8 }), async (moves) => {
        const own = moves.filter(({ token, to }) => token === USDC.address && to === ALICE);
        const sum = own.reduce((total, { amount }) => total + amount, 0n);
        expect(await arrived({ moves })).toBe(sum);
        expect(await settled({ moves, head: 13n })).toBe(sum);
      }),
    );
  });

  const moves = [{ token: USDC.address, to: ALICE, amount: 7n }];

  it('is zero when the transaction reverted', async () => {
    expect(await arrived({ moves, status: 'reverted' })).toBe(0n);
    expect(await settled({ moves, status: 'reverted', head: 13n })).toBe(0n);
  });

  it('is settled after the confirmations of its chain', async () => {
    expect(await settled({ moves, head: 12n })).toBeUndefined();
    expect(await settled({ moves, status: 'reverted', head: 12n })).toBeUndefined();
    expect(await settled({ moves, head: 13n })).toBe(7n);
  });

  it('is undefined while the transaction is not mined, and fails while the node does not respond', async () => {
    const isMined = false;
    expect([await arrived({ isMined }), await settled({ isMined })]).toEqual([undefined, undefined]);
    const down = new HttpRequestError({ url: 'http://chain' });
    expect(await rejection(arrived({ failure: down }))).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    expect(await rejection(settled({ failure: down }))).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
  });
});

describe('the share of an action', () => {
  const [expected, minimum] = [units(100n), units(98n)];
  const own = (...parts: bigint[]) => attributeAmount(parts.map(units), { expected, minimum });

  it('is the whole sum when it is about the expected amount, in any number of transfers', () => {
    expect([own(100n), own(60n, 39n), own(60n, 42n), own(3n), own()]).toEqual([100n, 99n, 102n, 3n, 0n]);
  });

  it('is the whole sum when there is a single transfer', () => {
    expect(own(250n)).toBe(250n);
  });

  it('is the amounts closest to the expected one among those of other actions', () => {
    expect([own(100n, 5n), own(5n, 100n), own(99n, 99n), own(700n, 60n, 41n)]).toEqual([100n, 100n, 99n, 101n]);
  });

  it('adds up to the whole sum over all actions of a transaction', () => {
    const amount = fc.bigInt({ min: 1_000n, max: 10n ** 30n }).map(units);
    fc.assert(
      fc.property(fc.array(amount, { minLength: 1, maxLength: 6 }), (parts) => {
        const all = parts.reduce((sum, part) => sum + part, 0n);
        const shares = parts.map((part) => attributeAmount(parts, { expected: part, minimum: part }));
        expect(shares).toEqual(parts);
        expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(all);
      }),
    );
  });
});
