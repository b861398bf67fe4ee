import { type Address, concat, encodeAbiParameters, numberToHex } from 'viem';
import { POOL, sampleStrategy, UNDERLYING } from '../../../../test/strategies/sample-strategy';
import { SECONDS_PER_YEAR } from '../../../money/ray';
import { emissionsRead } from './comet-rewards';

const { underlying, ...rest } = sampleStrategy('compound-v3');
const strategy = { ...rest, underlying, contracts: { rewards: POOL }, rewardTokens: [underlying] };
const BLOCK = { number: 1n, timestamp: 1n };
const SCALE = 10n ** 15n;
/** 86.4 whole tokens a day. */
const SPEED = SCALE / 1000n;
const WHOLE_TOKENS = SECONDS_PER_YEAR / 1000n;

const config = (
  rescaleFactor: bigint,
  shouldUpscale: boolean,
  { multiplier, token = UNDERLYING }: { multiplier?: bigint; token?: Address } = {},
) =>
  concat([
    encodeAbiParameters(
      [{ type: 'address' }, { type: 'uint64' }, { type: 'bool' }],
      [token, rescaleFactor, shouldUpscale],
    ),
    ...(multiplier === undefined ? [] : [numberToHex(multiplier, { size: 32 })]),
  ]);

function emissionOf(data: `0x${string}`, { supply = 1000n, scale = SCALE } = {}) {
  const { reads, decode } = emissionsRead(strategy);
  const results = [reads[0]!.decode(data), { totalSupplyBase: supply }, SPEED, scale, 1000n];
  const [emission] = decode(results, BLOCK)!;
  expect(emission!.token).toBe(underlying);
  return emission!.perYear;
}

it('what a Comet emits is converted to the decimals of the token, as the rewards contract does', () => {
  expect(emissionOf(config(10n ** 12n, true))).toBe(WHOLE_TOKENS * 10n ** 18n);
  expect(emissionOf(config(1n, true))).toBe(WHOLE_TOKENS * 10n ** 6n);
  expect(emissionOf(config(10n ** 4n, false))).toBe(WHOLE_TOKENS * 10n ** 2n);
});

it('versions with a multiplier pay the multiple, the others what was earned', () => {
  expect(emissionOf(config(10n ** 12n, true, { multiplier: 10n ** 18n }))).toBe(WHOLE_TOKENS * 10n ** 18n);
  expect(emissionOf(config(10n ** 12n, true, { multiplier: 25n * 10n ** 17n }))).toBe(
    (WHOLE_TOKENS * 10n ** 18n * 5n) / 2n,
  );
  expect(emissionOf(config(10n ** 12n, true, { multiplier: 0n }))).toBe(0n);
});

it('nothing is paid while the deposits are below the minimum', () => {
  expect(emissionOf(config(10n ** 12n, true), { supply: 999n })).toBe(0n);
});

it('a rewards contract with another token by now has no known rate', () => {
  expect(emissionOf(config(10n ** 12n, true, { token: POOL }))).toBeUndefined();
});

it('what a contract would divide by zero, or does not return, is unknown', () => {
  expect(emissionOf(config(0n, false))).toBeUndefined();
  expect(emissionOf(config(1n, true), { scale: 0n })).toBeUndefined();
  const { decode, reads } = emissionsRead(strategy);
  const results = [reads[0]!.decode(config(1n, true)), { totalSupplyBase: 1000n }, SPEED, SCALE, 1000n];
  for (const missing of results.keys()) {
    const partial = results.map((result, index) => (index === missing ? undefined : result));
    expect(decode(partial, BLOCK)).toEqual([{ token: underlying, perYear: undefined }]);
  }
});

it('a Comet without a rewards contract has no rewards', () => {
  const { reads, decode } = emissionsRead({ ...strategy, contracts: {} });
  expect([reads, decode([], BLOCK)]).toEqual([[], []]);
});
