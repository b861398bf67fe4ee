import type { Address } from 'viem';
import { COMET_EVENTS, type EmittedEvent, logsOfTransaction } from '../../../../test/strategies/event-logs';
import { OTHER, RECEIPT, sampleStrategy, WALLET, ZERO } from '../../../../test/strategies/sample-strategy';
import { compoundV3Events } from './compound-v3-events';

const strategy = sampleStrategy('compound-v3');
const event = (name: string, args: EmittedEvent['args']): EmittedEvent => ({
  address: RECEIPT,
  abi: COMET_EVENTS,
  name,
  args,
});
const transfer = (from: Address, to: Address, value: bigint) => event('Transfer', { from, to, value });
const supply = (dst: Address, amount: bigint) => event('Supply', { from: OTHER, dst, amount });
const withdraw = (src: Address, amount: bigint) => event('Withdraw', { src, to: OTHER, amount });

const changes = (...events: readonly EmittedEvent[]) =>
  compoundV3Events
    .changes(strategy, WALLET, logsOfTransaction(events))
    .map(({ kind, shares, assets }) => [kind, shares, assets]);

describe('the changes of a deposit in a Comet', () => {
  it('counts supplied and withdrawn amounts, which the transfers round down', () => {
    expect(changes(supply(WALLET, 1000n), transfer(ZERO, WALLET, 999n))).toEqual([['deposit', undefined, 1000n]]);
    expect(changes(withdraw(WALLET, 500n), transfer(WALLET, ZERO, 499n))).toEqual([['withdrawal', undefined, 500n]]);
  });

  it('leaves out what repays a debt', () => {
    expect(changes(supply(WALLET, 1000n), transfer(ZERO, WALLET, 400n))).toEqual([['deposit', undefined, 400n]]);
    expect(changes(supply(WALLET, 1000n))).toEqual([]);
  });

  it('counts burnt and minted tokens without a deposit as a transfer, for both sides', () => {
    const events = [transfer(OTHER, ZERO, 300n), transfer(ZERO, WALLET, 300n)];
    expect(changes(...events)).toEqual([['transferIn', undefined, 300n]]);
    expect(changes(transfer(WALLET, ZERO, 300n), transfer(ZERO, OTHER, 300n))).toEqual([
      ['transferOut', undefined, 300n],
    ]);
  });

  it('values a transfer alike for both wallets, though its burn and its mint are rounded differently', () => {
    expect(changes(transfer(WALLET, ZERO, 300n), transfer(ZERO, OTHER, 299n))).toEqual([
      ['transferOut', undefined, 300n],
    ]);
    expect(changes(transfer(OTHER, ZERO, 300n), transfer(ZERO, WALLET, 299n))).toEqual([
      ['transferIn', undefined, 300n],
    ]);
  });

  it('never takes the cost of another deposit: of one that is smaller, or of one that repaid a debt before', () => {
    const received = [transfer(OTHER, ZERO, 1000n), transfer(ZERO, WALLET, 1000n)];
    expect(changes(supply(WALLET, 5n), ...received)).toEqual([['transferIn', undefined, 1000n]]);
    const deposits = [supply(WALLET, 1003n), supply(WALLET, 1001n), transfer(ZERO, WALLET, 1000n)];
    expect(changes(...deposits)).toEqual([['deposit', undefined, 1001n]]);
  });

  it('counts only what a transfer adds when it repays a debt of the recipient first', () => {
    expect(changes(transfer(OTHER, ZERO, 300n), transfer(ZERO, WALLET, 100n))).toEqual([
      ['transferIn', undefined, 100n],
    ]);
  });

  it('ignores the deposits of others', () => {
    expect(changes(supply(OTHER, 1000n), transfer(ZERO, OTHER, 1000n))).toEqual([]);
  });
});
