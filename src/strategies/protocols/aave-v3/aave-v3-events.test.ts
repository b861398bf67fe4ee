import type { Address } from 'viem';
import { type EmittedEvent, logsOfTransaction, STRATEGY_EVENTS } from '../../../../test/strategies/event-logs';
import {
  OTHER,
  POOL,
  RECEIPT,
  sampleStrategy,
  UNDERLYING,
  WALLET,
  ZERO,
} from '../../../../test/strategies/sample-strategy';
import { aaveV3Events } from './aave-v3-events';

const RAY = 10n ** 27n;
const INDEX = (RAY * 11n) / 10n;
const strategy = sampleStrategy('aave-v3');

const event = (address: Address, name: string, args: EmittedEvent['args']): EmittedEvent => ({
  address,
  abi: STRATEGY_EVENTS,
  name,
  args,
});
const transfer = (from: Address, to: Address, value: bigint) => event(RECEIPT, 'Transfer', { from, to, value });
const mint = (onBehalfOf: Address, value: bigint, balanceIncrease: bigint) =>
  event(RECEIPT, 'Mint', { caller: POOL, onBehalfOf, value, balanceIncrease, index: INDEX });
const burn = (from: Address, value: bigint, balanceIncrease: bigint) =>
  event(RECEIPT, 'Burn', { from, target: from, value, balanceIncrease, index: INDEX });
const supply = (onBehalfOf: Address, amount: bigint, pool = POOL) =>
  event(pool, 'Supply', { reserve: UNDERLYING, user: OTHER, onBehalfOf, amount, referralCode: 0 });
const withdraw = (user: Address, amount: bigint) =>
  event(POOL, 'Withdraw', { reserve: UNDERLYING, user, to: OTHER, amount });
const balanceTransfer = (from: Address, to: Address, value: bigint) =>
  event(RECEIPT, 'BalanceTransfer', { from, to, value, index: INDEX });

const changes = (...events: readonly EmittedEvent[]) =>
  aaveV3Events
    .changes(strategy, WALLET, logsOfTransaction(events))
    .map(({ kind, shares, assets }) => [kind, shares, assets]);

describe('the changes of an Aave deposit', () => {
  it('counts the supplied amount, and not the interest that the token mints with it', () => {
    expect(changes(transfer(ZERO, WALLET, 1107n), mint(WALLET, 1107n, 7n), supply(WALLET, 1100n))).toEqual([
      ['deposit', 1000n, 1100n],
    ]);
  });

  it('belongs to the owner, not to the payer', () => {
    expect(changes(transfer(ZERO, OTHER, 1100n), mint(OTHER, 1100n, 0n), supply(OTHER, 1100n))).toEqual([]);
  });

  it('counts a withdrawal below the interest, which mints tokens', () => {
    // 30 units of interest since the last change, 11 of them withdrawn: 19 are minted.
    expect(changes(transfer(ZERO, WALLET, 19n), mint(WALLET, 19n, 30n), withdraw(WALLET, 11n))).toEqual([
      ['withdrawal', 10n, 11n],
    ]);
  });

  it('counts a withdrawal with the interest that its burn leaves out', () => {
    expect(changes(transfer(WALLET, ZERO, 1070n), burn(WALLET, 1070n, 30n), withdraw(WALLET, 1100n))).toEqual([
      ['withdrawal', 1000n, 1100n],
    ]);
  });

  it('counts tokens that a contract takes and withdraws in the same transaction, with the amount of the Pool', () => {
    const taken = [transfer(WALLET, OTHER, 1100n), balanceTransfer(WALLET, OTHER, 1000n)];
    const burnt = [transfer(OTHER, ZERO, 1101n), burn(OTHER, 1101n, 0n)];
    expect(changes(...taken, ...burnt, withdraw(OTHER, 1101n))).toEqual([['withdrawal', 1000n, 1101n]]);
    // Of another amount, of another account, or before: a transfer.
    expect(changes(...taken, withdraw(OTHER, 1102n))).toEqual([['transferOut', 1000n, 1100n]]);
    expect(changes(...taken, withdraw(POOL, 1100n))).toEqual([['transferOut', 1000n, 1100n]]);
    expect(changes(withdraw(OTHER, 1100n), ...taken)).toEqual([['transferOut', 1000n, 1100n]]);
    // One withdrawal is the worth of one transfer.
    expect(changes(...taken, ...taken, withdraw(OTHER, 1100n))).toEqual([
      ['withdrawal', 1000n, 1100n],
      ['transferOut', 1000n, 1100n],
    ]);
  });

  it('rounds scaled tokens for the Pool when the events show a version that does', () => {
    // 105 / 1.1 = 95.45…: the event states 104 instead of 105.
    expect(changes(transfer(ZERO, WALLET, 104n), mint(WALLET, 104n, 0n), supply(WALLET, 105n))).toEqual([
      ['deposit', 95n, 105n],
    ]);
    expect(changes(transfer(WALLET, ZERO, 106n), burn(WALLET, 106n, 0n), withdraw(WALLET, 105n))).toEqual([
      ['withdrawal', 96n, 105n],
    ]);
  });

  it('takes scaled transfers at the index of their event, and ignores the interest that is minted with them', () => {
    const events = [
      transfer(ZERO, WALLET, 5n),
      mint(WALLET, 5n, 5n),
      transfer(WALLET, OTHER, 1100n),
      balanceTransfer(WALLET, OTHER, 1000n),
    ];
    expect(changes(...events)).toEqual([['transferOut', 1000n, 1100n]]);
  });

  it('recognizes the unscaled transfers of old versions', () => {
    expect(changes(transfer(OTHER, WALLET, 1100n), balanceTransfer(OTHER, WALLET, 1100n))).toEqual([
      ['transferIn', 1000n, 1100n],
    ]);
  });

  it('cannot be misled by another transfer of the transaction that has the amount of a scaled one', () => {
    const first = [transfer(OTHER, WALLET, 1100n), balanceTransfer(OTHER, WALLET, 1000n)];
    const second = [transfer(OTHER, WALLET, 1000n), balanceTransfer(OTHER, WALLET, 909n)];
    const expected = [
      ['transferIn', 1000n, 1100n],
      ['transferIn', 909n, 999n],
    ];
    expect(changes(...first, ...second)).toEqual(expected);
    expect(changes(...second, ...first)).toEqual(expected.toReversed());
  });

  it('counts a burn without a withdrawal, as of a liquidation, as an outflow', () => {
    expect(changes(transfer(WALLET, ZERO, 540n), burn(WALLET, 540n, 10n))).toEqual([['transferOut', 500n, 550n]]);
  });

  it('ignores transfers to itself and of nothing', () => {
    expect(
      changes(
        transfer(WALLET, WALLET, 1100n),
        balanceTransfer(WALLET, WALLET, 1000n),
        balanceTransfer(OTHER, WALLET, 0n),
      ),
    ).toEqual([]);
  });

  it('separates two deposits and a withdrawal of one transaction', () => {
    const events = [
      transfer(ZERO, WALLET, 1100n),
      mint(WALLET, 1100n, 0n),
      supply(WALLET, 1100n),
      transfer(ZERO, WALLET, 2200n),
      mint(WALLET, 2200n, 0n),
      supply(WALLET, 2200n),
      transfer(WALLET, ZERO, 550n),
      burn(WALLET, 550n, 0n),
      withdraw(WALLET, 550n),
    ];
    expect(changes(...events)).toEqual([
      ['deposit', 1000n, 1100n],
      ['deposit', 2000n, 2200n],
      ['withdrawal', 500n, 550n],
    ]);
  });

  it('believes only the Pool: another contract cannot invent the amount of a deposit', () => {
    const invented = [mint(WALLET, 1100n, 0n), supply(WALLET, 1101n, OTHER)];
    expect(changes(transfer(ZERO, WALLET, 1100n), ...invented)).toEqual([['transferIn', 1000n, 1100n]]);
  });
});
