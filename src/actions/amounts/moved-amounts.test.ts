import { encodeAbiParameters, type Hex, pad, toEventSelector, zeroAddress } from 'viem';
import { NATIVE_TOKEN } from '../../chains/addresses';
import { amountReceived, amountSpent } from './moved-amounts';

const [TOKEN, WETH, ALICE, ROUTER, POOL]: Hex[] = ['0x11', '0x22', '0x33', '0x44', '0x55'].map((each) =>
  pad(each as Hex, { size: 20 }),
) as [Hex, Hex, Hex, Hex, Hex];

const ZERO: Hex = zeroAddress;

const data = (amount: bigint) => encodeAbiParameters([{ type: 'uint256' }], [amount]);
const log = (address: Hex, [event, ...parties]: readonly [string, ...Hex[]], amount: bigint) => ({
  address,
  topics: [toEventSelector(event), ...parties.map((party) => pad(party))] as [Hex, ...Hex[]],
  data: data(amount),
});
const transfer = (token: Hex, [from, to]: readonly [Hex, Hex], amount: bigint) =>
  log(token, ['Transfer(address,address,uint256)', from, to], amount);

const holding = (token: Hex) => ({ token, owner: ALICE, wrappedNative: WETH });
const mined = (logs: ReturnType<typeof log>[], { to = ROUTER, value = 0n } = {}) => ({ to, value, logs });

describe('the amount that a transaction moved', () => {
  it('is the net of the token transfers to and from the owner', () => {
    const logs = [
      transfer(TOKEN, [POOL, ALICE], 100n),
      transfer(TOKEN, [ALICE, ROUTER], 3n),
      transfer(TOKEN, [POOL, ROUTER], 50n),
      transfer(WETH, [POOL, ALICE], 7n),
    ];
    expect(amountReceived(mined(logs), holding(TOKEN))).toBe(97n);
    expect(amountSpent(mined([transfer(TOKEN, [ALICE, POOL], 40n)]), holding(TOKEN))).toBe(40n);
  });

  it('is without the interest that the token of a lending market credits at the same time', () => {
    const grown = (event: 'Mint' | 'Burn', interest: bigint) => {
      const parties: readonly Hex[] = event === 'Mint' ? [ROUTER, ALICE] : [ALICE, ROUTER];
      const values = [1n, interest, 10n ** 27n].map((value) => ({ type: 'uint256', value }));
      return {
        ...log(TOKEN, [`${event}(address,address,uint256,uint256,uint256)`, ...parties], 0n),
        data: encodeAbiParameters(
          values.map(({ type }) => ({ type })),
          values.map(({ value }) => value),
        ),
      };
    };
    const deposit = [transfer(TOKEN, [ZERO, ALICE], 107n), grown('Mint', 7n)];
    expect(amountReceived(mined(deposit), holding(TOKEN))).toBe(100n);
    const withdrawal = [transfer(TOKEN, [ALICE, ZERO], 93n), grown('Burn', 7n)];
    expect(amountSpent(mined(withdrawal), holding(TOKEN))).toBe(100n);
    const belowTheInterest = [transfer(TOKEN, [ZERO, ALICE], 2n), grown('Mint', 7n)];
    expect(amountSpent(mined(belowTheInterest), holding(TOKEN))).toBe(5n);
  });

  it('is undefined without a token transfer to the owner', () => {
    expect(amountReceived(mined([transfer(TOKEN, [POOL, ROUTER], 5n)]), holding(TOKEN))).toBeUndefined();
    expect(amountReceived(mined([]), holding(NATIVE_TOKEN))).toBeUndefined();
    expect(amountSpent(mined([]), holding(TOKEN))).toBeUndefined();
  });

  it('is the unwrapped amount for the native coin', () => {
    const logs = [transfer(WETH, [POOL, ROUTER], 9n), log(WETH, ['Withdrawal(address,uint256)', ROUTER], 9n)];
    expect(amountReceived(mined(logs), holding(NATIVE_TOKEN))).toBe(9n);
    const burnt = [transfer(WETH, [ROUTER, pad('0x', { size: 20 })], 8n)];
    expect(amountReceived(mined(burnt), holding(NATIVE_TOKEN))).toBe(8n);
  });

  it('is the value of the call when the native coin went directly to the owner', () => {
    expect(amountReceived(mined([], { to: ALICE, value: 6n }), holding(NATIVE_TOKEN))).toBe(6n);
  });

  it('is the wrapped amount, not the value of the call, when the router returns the rest', () => {
    const logs = [log(WETH, ['Deposit(address,uint256)', ROUTER], 4n)];
    expect(amountSpent(mined(logs, { value: 10n }), holding(NATIVE_TOKEN))).toBe(4n);
    expect(amountSpent(mined([], { value: 10n }), holding(NATIVE_TOKEN))).toBe(10n);
    expect(amountSpent(mined(logs), holding(NATIVE_TOKEN))).toBe(4n);
  });

  it('is the value of the call when more than that is wrapped, which the route has bought itself', () => {
    const logs = [log(WETH, ['Deposit(address,uint256)', ROUTER], 11n)];
    expect(amountSpent(mined(logs, { value: 10n }), holding(NATIVE_TOKEN))).toBe(10n);
  });

  it('is undefined when hostile events add up to more than any balance can hold', () => {
    const max = 2n ** 256n - 1n;
    const transfers = Array.from({ length: 12 }, () => transfer(TOKEN, [POOL, ALICE], max));
    expect(amountReceived(mined(transfers.slice(0, 1)), holding(TOKEN))).toBe(max);
    expect(amountReceived(mined(transfers), holding(TOKEN))).toBeUndefined();
    expect(
      amountSpent(mined(transfers.map(() => transfer(TOKEN, [ALICE, POOL], max))), holding(TOKEN)),
    ).toBeUndefined();
    const unwrapped = transfers.map(() => log(WETH, ['Withdrawal(address,uint256)', ROUTER], max));
    expect(amountReceived(mined(unwrapped), holding(NATIVE_TOKEN))).toBeUndefined();
  });

  it('ignores NFT transfers and events without an amount', () => {
    const nft = {
      address: TOKEN,
      topics: [...transfer(TOKEN, [POOL, ALICE], 1n).topics, pad('0x07')] as [Hex, ...Hex[]],
      data: '0x' as Hex,
    };
    expect(amountReceived(mined([nft]), holding(TOKEN))).toBeUndefined();
    const empty = { ...transfer(TOKEN, [POOL, ALICE], 1n), data: '0x' as Hex };
    expect(amountReceived(mined([empty]), holding(TOKEN))).toBeUndefined();
  });
});
