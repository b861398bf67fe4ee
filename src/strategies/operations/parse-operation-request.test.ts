import { ALICE, BOB, chains, DAI, USDC } from '../../../test/swaps/swap-world';
import { lendingStrategy } from '../../../test/strategies/lending-strategy';
import { POOL } from '../../../test/strategies/sample-strategy';
import { isServiceError } from '../../errors/service-error';
import type { ValidationIssue } from '../../errors/validation';
import type { RawFields } from '../../errors/field-reader';
import type { Strategy } from '../strategy';
import { parseContinuation } from './parse-continuation';
import { parseOperationRequest } from './parse-operation-request';

const deps = { chains, webhookUrls: { allowLoopback: false } };
const strategy = lendingStrategy();
const LEND = { action: 'lend', wallet: ALICE, amount: '5' };
const WITHDRAW = { action: 'withdraw', wallet: ALICE, amount: '5' };
const parse = (fields: RawFields, of: Strategy = strategy) => parseOperationRequest(deps, of, fields);

function issuesOf(fields: RawFields, of: Strategy = strategy): Readonly<Record<string, string>> {
  try {
    parse(fields, of);
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'VALIDATION_ERROR') throw error;
    const issues = error.details?.['errors'] as readonly ValidationIssue[];
    return Object.fromEntries(issues.map(({ path, message }) => [path, message]));
  }
  return {};
}
const pathsOf = (fields: RawFields, of: Strategy = strategy) => Object.keys(issuesOf(fields, of)).sort();

describe('a request for an operation', () => {
  it('is parsed into canonical form, and its recipient is the wallet unless another one is named', () => {
    expect(parse({ ...LEND, wallet: ALICE.toLowerCase() })).toMatchObject({
      action: 'lend',
      wallet: ALICE,
      recipient: ALICE,
      amount: 5n,
      from: undefined,
      output: 'bytecode',
    });
    expect(parse({ ...WITHDRAW, destinationAddress: BOB })).toMatchObject({
      recipient: BOB,
      amount: { kind: 'assets', assets: 5n },
    });
  });

  it('withdraws by assets, by shares, or everything', () => {
    expect(parse({ ...WITHDRAW, amount: 'MAX' })).toMatchObject({ amount: { kind: 'all' } });
    expect(parse({ ...WITHDRAW, amount: '', amountInShares: '7' })).toMatchObject({
      amount: { kind: 'shares', shares: 7n },
    });
  });

  it('requests and claims where a side is asynchronous, and claims with the names of deposits and withdrawals', () => {
    const asynchronous = { ...strategy, contracts: { depositRequests: POOL, redeemRequests: POOL } };
    const own = { wallet: ALICE, recipient: ALICE };
    expect(parse({ ...LEND, action: 'request-lend' }, asynchronous)).toMatchObject({ ...own, action: 'request-lend' });
    expect(parse(LEND, asynchronous)).toMatchObject({ ...own, action: 'claim-lend', amount: 5n });
    expect(parse({ ...LEND, amount: 'max', destinationAddress: BOB }, asynchronous)).toMatchObject({
      action: 'claim-lend',
      amount: 'max',
      recipient: BOB,
    });
    expect(parse({ ...WITHDRAW, action: 'request-withdraw', amount: 'max' }, asynchronous)).toMatchObject({
      ...own,
      action: 'request-withdraw',
      amount: { kind: 'all' },
    });
    expect(parse(WITHDRAW, asynchronous)).toMatchObject({ action: 'withdraw', amount: { kind: 'assets', assets: 5n } });
    const half = { ...strategy, contracts: { redeemRequests: POOL } };
    expect(parse(LEND, half)).toMatchObject({ action: 'lend' });
    expect(issuesOf({ ...LEND, action: 'request-lend' }, half)).toEqual({
      action: 'must be one of the availableActions of the strategy: lend, request-withdraw, withdraw',
    });
  });

  it('requests are for the wallet itself, on the chain of the strategy, and both may be repeated', () => {
    const asynchronous = { ...strategy, contracts: { depositRequests: POOL, redeemRequests: POOL } };
    const own = { destinationAddress: ALICE, fromChainId: 'devnet', chainIdOut: '31337' };
    const others = { destinationAddress: BOB, fromChainId: 'base', toTokenAddress: DAI.address };
    for (const fields of [
      { ...LEND, action: 'request-lend' },
      { ...WITHDRAW, action: 'request-withdraw' },
    ]) {
      expect(parse({ ...fields, ...own }, asynchronous)).toMatchObject({ action: fields.action, recipient: ALICE });
      expect(pathsOf({ ...fields, destinationAddress: BOB }, asynchronous)).toEqual(['destinationAddress']);
      expect(pathsOf({ ...fields, amount: '0', destinationAddress: BOB }, asynchronous)).toEqual([
        'amount',
        'destinationAddress',
      ]);
    }
    expect(pathsOf({ ...WITHDRAW, action: 'request-withdraw', ...others }, asynchronous)).toEqual(Object.keys(others));
    expect(parse({ ...LEND, ...own }, asynchronous)).toMatchObject({ action: 'claim-lend' });
    expect(pathsOf({ ...LEND, fromChainId: 'base', toTokenAddress: DAI.address }, asynchronous)).toEqual([
      'fromChainId',
      'toTokenAddress',
    ]);
  });

  it('claims all of one reward for the wallet itself, where the strategy pays rewards', () => {
    const CLAIM = { action: 'claim', wallet: ALICE };
    const rewarded = { ...strategy, rewardTokens: [DAI] };
    expect(parse(CLAIM, rewarded)).toMatchObject({
      action: 'claim',
      wallet: ALICE,
      recipient: ALICE,
      reward: undefined,
    });
    expect(parse({ ...CLAIM, toTokenAddress: DAI.address }, rewarded)).toMatchObject({ reward: DAI.address });
    expect(issuesOf({ ...CLAIM, toTokenAddress: USDC.address }, rewarded)).toEqual({
      toTokenAddress: 'must be a token in which the strategy pays rewards',
    });
    const others = { amount: '5', destinationAddress: BOB, slippage: '0.01', toChainId: 'base' };
    expect(pathsOf({ ...CLAIM, ...others }, rewarded)).toEqual(Object.keys(others).sort());
    const own = { destinationAddress: ALICE.toLowerCase(), fromChainId: 'devnet', toChainId: '31337' };
    expect(parse({ ...CLAIM, ...own }, rewarded)).toMatchObject({ recipient: ALICE });
    expect(issuesOf(CLAIM)).toEqual({
      action: 'must be one of the availableActions of the strategy: lend, withdraw',
    });
  });

  it('names the token of a swap with its chain, which is required even within one chain', () => {
    expect(parse({ ...LEND, fromTokenAddress: DAI.address, fromChainId: '31337' })).toMatchObject({
      from: { chain: { slug: 'devnet' }, token: { address: DAI.address } },
    });
    expect(parse({ ...LEND, fromTokenAddress: DAI.address, chainIdIn: 'devnet' })).toMatchObject({
      from: { token: { address: DAI.address } },
    });
    expect(parse({ ...WITHDRAW, toTokenAddress: DAI.address })).toMatchObject({
      to: { chain: { slug: 'devnet' }, token: { address: DAI.address } },
    });
    expect(pathsOf({ ...LEND, fromTokenAddress: DAI.address })).toEqual(['fromChainId']);
  });

  it('has no swap when the token is the underlying asset itself', () => {
    expect(parse({ ...LEND, fromTokenAddress: USDC.address, fromChainId: 'devnet' })).toMatchObject({
      from: undefined,
    });
    expect(parse({ ...WITHDRAW, toTokenAddress: USDC.address.toLowerCase() })).toMatchObject({ to: undefined });
  });

  it('is refused with all malformed fields at once', () => {
    expect(pathsOf({})).toEqual(['action', 'amount', 'wallet']);
    expect(
      pathsOf({
        action: 'borrow',
        wallet: '0x1',
        amount: '1e6',
        output: 'custody',
        fromChainId: 'nowhere',
        slippage: 'much',
        priceInUsd: 1.5,
        expireAt: -1,
        webhookURL: 'ftp://x',
        destinationAddress: 'alice',
      }),
    ).toEqual([
      'accountId',
      'action',
      'amount',
      'destinationAddress',
      'expireAt',
      'fromChainId',
      'priceInUsd',
      'slippage',
      'wallet',
      'webhookURL',
    ]);
  });

  it.each([
    ['both amounts', { ...WITHDRAW, amountInShares: '5' }, ['amountInShares']],
    ['no amount', { ...WITHDRAW, amount: '' }, ['amount']],
    ['an amount of zero', { ...LEND, amount: '0' }, ['amount']],
    ['max for a deposit', { ...LEND, amount: 'max' }, ['amount']],
    ['shares for a deposit', { ...LEND, amount: '', amountInShares: '5' }, ['amountInShares']],
    ['a token to buy for a deposit', { ...LEND, toTokenAddress: DAI.address }, ['toTokenAddress']],
    [
      'a token to sell for a withdrawal',
      { ...WITHDRAW, fromTokenAddress: DAI.address, fromChainId: 'devnet' },
      ['fromTokenAddress'],
    ],
    ['a chain without its token', { ...LEND, fromChainId: 'base' }, ['fromTokenAddress']],
    ['another chain for the side without a swap', { ...LEND, toChainId: 'base' }, ['toChainId']],
    [
      'two chains for one token',
      { ...LEND, fromTokenAddress: DAI.address, fromChainId: 'base', chainIdIn: 'devnet' },
      ['chainIdIn'],
    ],
    [
      'the receipt token as its owner',
      { ...LEND, destinationAddress: strategy.receipt.address },
      ['destinationAddress'],
    ],
    ['instructions, which its chain does not have', { ...LEND, output: 'instructions' }, ['output']],
    ['an order of tokenized stocks', { ...LEND, action: 'request-lend' }, ['action']],
  ])('is refused with %s', (_, fields, paths) => {
    expect(pathsOf(fields).filter((path) => paths.includes(path))).toEqual(paths);
  });

  it('may repeat the chain of the strategy', () => {
    expect(pathsOf({ ...LEND, fromChainId: 'devnet', toChainId: '31337' })).toEqual([]);
  });

  it.each([
    ['PRICE_IN_USD_NOT_SUPPORTED', 'priceInUsd'],
    ['EXPIRE_AT_NOT_SUPPORTED', 'expireAt'],
  ])('is refused with %s, whatever the action and the value', (code, name) => {
    const refused = expect.objectContaining({ code, status: 400 });
    for (const action of ['lend', 'request-lend'])
      for (const value of [15_000, 0, -1, 1.5, 1e40, 'abc'])
        expect(() => parse({ ...LEND, action, [name]: value })).toThrow(refused);
    const continued = { actionId: '01890a5d-ac96-774b-bcce-b302099a8057', action: 'lend', wallet: ALICE };
    expect(() => parseContinuation(strategy, { ...continued, [name]: 'abc' })).toThrow(refused);
    expect(parse({ ...LEND, [name]: '' })).toMatchObject({ action: 'lend' });
  });

  it('that continues a deposit is refused with all problems at once, the terms of an order among them', () => {
    const given = { actionId: 'x', action: 'lend', wallet: ALICE, amount: '5', priceInUsd: 1 };
    expect(() => parseContinuation(strategy, given)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: { errors: ['actionId', 'amount', 'priceInUsd'].map((path) => expect.objectContaining({ path })) },
      }),
    );
  });

  it('is refused with INVALID_SLIPPAGE outside its bounds', () => {
    expect(() => parse({ ...LEND, slippage: '0.6' })).toThrow(expect.objectContaining({ code: 'INVALID_SLIPPAGE' }));
  });
});
