import type { Address } from 'viem';
import { type EmittedEvent, logsOfTransaction, VAULT_EVENTS } from '../../../../test/strategies/event-logs';
import { OTHER, RECEIPT, ROUTER, sampleStrategy, WALLET, ZERO } from '../../../../test/strategies/sample-strategy';
import { erc4626Events } from './erc4626-events';

const strategy = sampleStrategy('erc4626');
const event = (name: string, args: EmittedEvent['args'], address = RECEIPT): EmittedEvent => ({
  address,
  abi: VAULT_EVENTS,
  name,
  args,
});
const transfer = (from: Address, to: Address, value: bigint) => event('Transfer', { from, to, value });
const deposit = (owner: Address, assets: bigint, shares: bigint) =>
  event('Deposit', { sender: OTHER, owner, assets, shares });
const withdraw = (owner: Address, assets: bigint, shares: bigint) =>
  event('Withdraw', { sender: OTHER, receiver: OTHER, owner, assets, shares });

const changes = (...events: readonly EmittedEvent[]) =>
  erc4626Events
    .changes(strategy, WALLET, logsOfTransaction(events))
    .map(({ kind, shares, assets }) => [kind, shares, assets]);

describe('the changes of a deposit in a vault', () => {
  it('counts deposits and withdrawals of the owner, and not the transfers that belong to them', () => {
    expect(changes(transfer(ZERO, WALLET, 90n), deposit(WALLET, 100n, 90n))).toEqual([['deposit', 90n, 100n]]);
    expect(changes(transfer(WALLET, ZERO, 45n), withdraw(WALLET, 60n, 45n))).toEqual([['withdrawal', 45n, 60n]]);
  });

  it('counts shares that a router passes on in the same transaction as a deposit, pro rata', () => {
    const events = [
      transfer(ZERO, ROUTER, 90n),
      deposit(ROUTER, 100n, 90n),
      transfer(ROUTER, OTHER, 60n),
      transfer(ROUTER, WALLET, 30n),
    ];
    expect(changes(...events)).toEqual([['deposit', 30n, 34n]]);
    const alone = [transfer(ZERO, ROUTER, 90n), deposit(ROUTER, 100n, 90n), transfer(ROUTER, WALLET, 90n)];
    expect(changes(...alone)).toEqual([['deposit', 90n, 100n]]);
  });

  it('counts shares that a router takes and withdraws in the same transaction as a withdrawal, pro rata', () => {
    const events = [
      transfer(WALLET, ROUTER, 30n),
      transfer(OTHER, ROUTER, 60n),
      transfer(ROUTER, ZERO, 90n),
      withdraw(ROUTER, 120n, 90n),
    ];
    expect(changes(...events)).toEqual([['withdrawal', 30n, 40n]]);
  });

  it('leaves the worth of plain transfers, and of shares minted without a deposit, to the share price', () => {
    expect(changes(transfer(WALLET, OTHER, 7n))).toEqual([['transferOut', 7n, undefined]]);
    expect(changes(transfer(OTHER, WALLET, 7n))).toEqual([['transferIn', 7n, undefined]]);
    expect(changes(transfer(ZERO, WALLET, 7n))).toEqual([['transferIn', 7n, undefined]]);
    expect(changes(transfer(WALLET, ZERO, 7n))).toEqual([['transferOut', 7n, undefined]]);
  });

  it('does not let a tiny deposit set the price of many shares that are passed on with it', () => {
    const events = [transfer(ZERO, ROUTER, 1n), deposit(ROUTER, 2n, 1n), transfer(ROUTER, WALLET, 1_000_000n)];
    expect(changes(...events)).toEqual([['transferIn', 1_000_000n, undefined]]);
  });

  it('ignores the events of other contracts, of other owners, and transfers to itself', () => {
    const foreign = { sender: OTHER, owner: WALLET, assets: 1n, shares: 90n };
    const events = [event('Deposit', foreign, OTHER), transfer(ZERO, OTHER, 90n), deposit(OTHER, 100n, 90n)];
    expect(changes(...events, transfer(WALLET, WALLET, 5n), transfer(WALLET, OTHER, 0n))).toEqual([]);
  });
});
