import fc from 'fast-check';
import { encodeAbiParameters, type Hex, pad, toEventSelector } from 'viem';
import {
  ALICE,
  BOB,
  DAI,
  devnet,
  devnetL2,
  ETH,
  L2_USDC,
  ROUTER,
  units,
  USDC,
} from '../../../../test/swaps/swap-world';
import { NATIVE_TOKEN } from '../../../chains/addresses';
import type { SimulatedLog } from '../../../rpc/simulate';
import type { CallEffects } from './simulate-effects';
import { type SwapBounds, swapEffectProblem, watchedBalances } from './swap-effects';

const MAX_IN = 5_000n;
const MIN_OUT = 900n;
const call = { kind: 'call', chainId: devnet.chainId, from: ALICE, to: ROUTER, data: '0xdeadbeef', value: 0n } as const;
const bounds = (changes: Partial<SwapBounds> = {}): SwapBounds => ({
  call: { ...call, spender: ROUTER },
  request: { origin: devnet, destination: devnet, tokenIn: USDC, tokenOut: DAI },
  offer: { maxAmountIn: units(MAX_IN), minAmountOut: units(MIN_OUT) },
  recipient: BOB,
  ...changes,
});
const acrossChains = bounds({ request: { origin: devnet, destination: devnetL2, tokenIn: USDC, tokenOut: L2_USDC } });

const effects = (gains: CallEffects['gains'], logs: readonly SimulatedLog[] = []): CallEffects => ({
  calls: [{ ok: true, gasUsed: 1n, returnData: '0x', logs, revertReason: undefined }],
  gains,
});

const uint = (value: bigint): Hex => encodeAbiParameters([{ type: 'uint256' }], [value]);
const event = (signature: string, parties: readonly string[], amount = 1n): SimulatedLog => ({
  address: DAI.address as Hex,
  topics: [toEventSelector(signature), ...parties.map((party) => pad(party.toLowerCase() as Hex))],
  data: uint(amount),
});
const TRANSFER = 'Transfer(address,address,uint256)';
const APPROVAL = 'Approval(address,address,uint256)';
const of = (token: { address: string }, log: SimulatedLog): SimulatedLog => ({ ...log, address: token.address as Hex });

describe('a simulated swap', () => {
  it('keeps its quote when the sender loses at most, and the recipient gains at least, the quoted amount', () => {
    const around = (bound: bigint) => fc.bigInt({ min: bound - 3n, max: bound + 3n });
    fc.assert(
      fc.property(around(MAX_IN), around(MIN_OUT), (taken, received) => {
        const problem = swapEffectProblem(effects([-taken, received]), bounds());
        expect(problem === undefined).toBe(taken <= MAX_IN && received >= MIN_OUT);
      }),
    );
  });

  it.each<[string, CallEffects, SwapBounds, RegExp]>([
    ['takes too much', effects([-5001n, 900n]), bounds(), /takes 0\.005001 USDC .* 0\.005 USDC/],
    ['brings too little', effects([-5000n, 899n]), bounds(), /brings the recipient .*899 DAI of .*9 DAI at least/],
    ['takes nothing', effects([0n, 900n]), bounds(), /takes no USDC/],
    ['pays the sender', effects([5n, 900n]), bounds(), /takes no USDC/],
    ['sells what has no balance', effects([undefined, 900n]), bounds(), /balance cannot be read/],
    ['buys what has no balance', effects([-1n, undefined]), bounds(), /balance cannot be read/],
    ['takes too much for another chain', effects([-5001n]), acrossChains, /takes/],
    ['takes nothing for another chain', effects([0n]), acrossChains, /takes no USDC/],
  ])('breaks its quote when it %s', (...[, tried, quoted, problem]) =>
    expect(swapEffectProblem(tried, quoted)).toMatch(problem),
  );

  it('to another chain is checked by its input: the output is not visible', () => {
    expect(watchedBalances(acrossChains)).toEqual([{ token: USDC.address, owner: ALICE }]);
    expect(swapEffectProblem(effects([-MAX_IN]), acrossChains)).toBeUndefined();
  });

  it('that sells the native coin also pays its fee in it', () => {
    const request = { ...bounds().request, tokenIn: ETH };
    const offer = { ...bounds().offer, nativeFee: 7n };
    expect(swapEffectProblem(effects([-5007n, 900n]), bounds({ request, offer }))).toBeUndefined();
    expect(swapEffectProblem(effects([-5008n, 900n]), bounds({ request, offer }))).toMatch(/takes/);
    expect(swapEffectProblem(effects([-5001n, 900n]), bounds({ offer }))).toMatch(/takes/);
  });

  it('that sells a token takes no more of the coin of its sender than the quoted fee', () => {
    const offer = { ...bounds().offer, nativeFee: 7n };
    const [within, across] = [bounds({ offer }), { ...acrossChains, offer }];
    const coin = { token: NATIVE_TOKEN, owner: ALICE };
    expect(watchedBalances(within)).toEqual([...watchedBalances(bounds()), coin]);
    expect(watchedBalances(across)).toEqual([...watchedBalances(acrossChains), coin]);
    for (const taken of [0n, 6n, 7n]) {
      expect(swapEffectProblem(effects([-1n, MIN_OUT, -taken]), within)).toBeUndefined();
      expect(swapEffectProblem(effects([-1n, -taken]), across)).toBeUndefined();
    }
    const excess = /takes a fee of 0\.0{17}8 ETH from the sender where 0\.0{17}7 ETH were quoted/;
    expect(swapEffectProblem(effects([-1n, MIN_OUT, -8n]), within)).toMatch(excess);
    expect(swapEffectProblem(effects([-1n, -8n]), across)).toMatch(excess);
    expect(swapEffectProblem(effects([-1n, undefined]), across)).toMatch(/fee in ETH, whose balance cannot be read/);
    expect(watchedBalances(bounds({ offer, request: { ...bounds().request, tokenIn: ETH } }))).toHaveLength(2);
  });

  it('that buys the native coin for its sender returns more than the sent value', () => {
    const quoted = bounds({
      call: { ...call, spender: ROUTER, value: 7n },
      recipient: ALICE,
      request: { ...bounds().request, tokenOut: ETH },
    });
    expect(swapEffectProblem(effects([-1n, 893n]), quoted)).toBeUndefined();
    expect(swapEffectProblem(effects([-1n, 892n]), quoted)).toMatch(/brings/);
    expect(swapEffectProblem(effects([-1n, 893n]), { ...quoted, recipient: BOB })).toMatch(/brings/);
  });

  it.each<[string, SimulatedLog]>([
    ['takes another token', event(TRANSFER, [ALICE, BOB])],
    ['takes an NFT', { ...event(TRANSFER, [ALICE, BOB, '0x7']), data: '0x' }],
    ['lets others spend another token', event(APPROVAL, [ALICE, BOB])],
    ['lets others spend what is sold', of(USDC, event(APPROVAL, [ALICE, BOB]))],
    ['lets its own spender spend another token', event(APPROVAL, [ALICE, ROUTER])],
    ['lets others spend all NFTs', event('ApprovalForAll(address,address,bool)', [ALICE, BOB])],
  ])('breaks its quote when on the side it %s of the sender', (_, log) => {
    expect(swapEffectProblem(effects([-1n, MIN_OUT], [log]), bounds())).toMatch(/of the sender|from the sender/);
    expect(swapEffectProblem(effects([-1n], [log]), acrossChains)).toBeDefined();
  });

  it.each<[string, SimulatedLog]>([
    ['what is sold leaves the sender', of(USDC, event(TRANSFER, [ALICE, ROUTER]))],
    ['the allowance of the spender shrinks', of(USDC, event(APPROVAL, [ALICE, ROUTER]))],
    ['an allowance ends', event(APPROVAL, [ALICE, BOB], 0n)],
    ['nothing is transferred', event(TRANSFER, [ALICE, BOB], 0n)],
    ['others trade', event(TRANSFER, [BOB, ROUTER])],
    ['something else happens', event('Swap(address,address,uint256)', [ALICE, BOB])],
  ])('keeps its quote when %s', (_, log) => {
    expect(swapEffectProblem(effects([-1n, MIN_OUT], [log]), bounds())).toBeUndefined();
  });
});
