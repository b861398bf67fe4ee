import fc from 'fast-check';
import {
  type AbiFunction,
  type AbiParameter,
  type Address,
  encodeAbiParameters,
  erc20Abi,
  getAddress,
  numberToHex,
  pad,
  toFunctionSelector,
} from 'viem';
import type { ContractRead } from '../../rpc/contract-read';
import type { Strategy } from '../strategy';
import { PROTOCOL_NAMES, type ProtocolName } from '../strategy-row';
import { A_TOKEN_ABI, ADDRESSES_PROVIDER_ABI, POOL_ABI, REWARDS_CONTROLLER_ABI } from './aave-v3/aave-v3-abi';
import { COMET_ABI, COMET_REWARDS_ABI } from './compound-v3/comet-abi';
import { LOSS_BOUND_ABI, VAULT_ABI } from './erc4626/erc4626-abi';
import { REQUEST_VAULT_ABI } from './erc7540/erc7540-abi';
import type { ProtocolRead, WithdrawAmount } from './protocol';
import { PROTOCOL_READERS, PROTOCOLS } from './protocols';
import { FEED_ABI } from './tokenized-stock/tokenized-stock';

const FUNCTIONS = new Map(
  [
    ...A_TOKEN_ABI,
    ...ADDRESSES_PROVIDER_ABI,
    ...POOL_ABI,
    ...REWARDS_CONTROLLER_ABI,
    ...COMET_ABI,
    ...COMET_REWARDS_ABI,
    ...LOSS_BOUND_ABI,
    ...VAULT_ABI,
    ...REQUEST_VAULT_ABI,
    ...FEED_ABI,
    ...erc20Abi,
  ]
    .filter((item): item is Extract<typeof item, { type: 'function' }> => item.type === 'function')
    .map((item) => [toFunctionSelector(item), item satisfies AbiFunction]),
);

const addressOf = (value: bigint): Address => getAddress(pad(numberToHex(value % 2n ** 160n), { size: 20 }));

/** Any value of an ABI type, with the extreme ones often. */
function valueOf(parameter: AbiParameter): fc.Arbitrary<unknown> {
  const { type } = parameter;
  if (type === 'bool') return fc.boolean();
  if (type === 'address') return fc.bigInt({ min: 0n, max: 2n ** 160n - 1n }).map(addressOf);
  if ('components' in parameter)
    return fc
      .tuple(...parameter.components.map((part) => valueOf(part)))
      .map((parts) => Object.fromEntries(parameter.components.map(({ name }, index) => [name, parts[index]])));
  const bits = BigInt(/\d+/.exec(type)![0]);
  const [min, max] = type.startsWith('int') ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [0n, 2n ** bits - 1n];
  const some = fc.oneof(fc.constantFrom(0n, 1n, max, min), fc.bigInt({ min, max }));
  return bits <= 48n ? some.map((value) => Number.parseInt(value.toString(), 10)) : some;
}

/** A result as the read decodes it, or none. */
function resultOf(read: ContractRead<unknown>): fc.Arbitrary<unknown> {
  const { outputs } = FUNCTIONS.get(read.data.slice(0, 10) as `0x${string}`)!;
  const returned = fc
    .tuple(...outputs.map((output) => valueOf(output)))
    .map((values) => read.decode(encodeAbiParameters(outputs, values as never)));
  return fc.oneof({ weight: 9, arbitrary: returned }, { weight: 1, arbitrary: fc.constant(undefined) });
}

const WALLET = addressOf(7n);
const strategyOf = (protocol: ProtocolName, decimals: number): Strategy => {
  const token = { chainId: 1, address: addressOf(3n), symbol: 'TKN', name: 'Token', decimals, logoURI: undefined };
  const partial: unknown = {
    row: {
      protocol,
      market: addressOf(1n),
      underlying: addressOf(2n),
      trustMax: true,
      knownFeeBps: 10,
      priceFeed: addressOf(5n),
    },
    underlying: token,
    receipt: token,
    contracts: {
      pool: addressOf(4n),
      virtualBalances: addressOf(4n),
      rewards: addressOf(6n),
      ...(protocol === 'erc7540' ? { depositRequests: addressOf(1n), redeemRequests: addressOf(1n) } : {}),
    },
    rewardTokens: [token],
  };
  return partial as Strategy;
};

const amounts: readonly WithdrawAmount[] = [
  { kind: 'all' },
  { kind: 'assets', assets: 10n ** 6n },
  { kind: 'shares', shares: 2n ** 200n },
];

function readsOf(name: ProtocolName, strategy: Strategy): readonly ProtocolRead<unknown>[] {
  const { resolution, market, holding } = PROTOCOL_READERS[name];
  const first = resolution(strategy.row);
  const both = [...(first.kind === 'next' ? [first.read] : []), market(strategy), holding(strategy, WALLET)];
  if (name === 'tokenized-stock') return both;
  const { lendPreview, withdrawPreview, requests } = PROTOCOLS[name];
  const sides = { wallet: WALLET, receiver: WALLET };
  const requested =
    requests === undefined
      ? []
      : [
          requests.lendPreview(strategy, { wallet: WALLET, assets: 10n ** 6n }),
          ...amounts.map((amount) => requests.withdrawPreview(strategy, { wallet: WALLET, amount })),
        ];
  return [
    ...both,
    ...requested,
    lendPreview(strategy, { ...sides, assets: 10n ** 6n }),
    ...amounts.map((amount) => withdrawPreview(strategy, { ...sides, amount })),
  ];
}

describe.each(PROTOCOL_NAMES)('the adapter %s', (name) => {
  it.each([0, 6, 36])('decodes whatever contracts may return without an error (%d decimals)', (decimals) => {
    const block = { number: 1n, timestamp: 1_700_000_000n };
    for (const read of readsOf(name, strategyOf(name, decimals))) {
      const results = fc.tuple(...read.reads.map((each) => resultOf(each)));
      fc.assert(
        fc.property(results, (values) => {
          expect(() => read.decode(values, block)).not.toThrow();
        }),
        { numRuns: 60 },
      );
    }
  });

  it('has no result when no read has succeeded', () => {
    for (const read of readsOf(name, strategyOf(name, 6)))
      expect(read.decode([], { number: 1n, timestamp: 1n })).toBeUndefined();
  });
});
