import { type Address, parseAbi } from 'viem';
import { type EmittedEvent, logsOfTransaction, VAULT_EVENTS } from '../../../../test/strategies/event-logs';
import { OTHER, RECEIPT, sampleStrategy, WALLET, ZERO } from '../../../../test/strategies/sample-strategy';
import { PROTOCOLS } from '../protocols';

const { events } = PROTOCOLS.erc7540;
const sample = sampleStrategy('erc7540');
const sides = { depositRequests: RECEIPT, redeemRequests: RECEIPT };
const strategy = { ...sample, row: { ...sample.row, market: RECEIPT }, contracts: { vault: RECEIPT, ...sides } };
const REQUEST_EVENTS = parseAbi([
  'event RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares)',
]);
const VAULT = RECEIPT;

const event = (name: string, args: EmittedEvent['args'], address = VAULT): EmittedEvent => ({
  address,
  abi: VAULT_EVENTS,
  name,
  args,
});
const transfer = (from: Address, to: Address, value: bigint) => event('Transfer', { from, to, value });
const deposit = (owner: Address, assets: bigint, shares: bigint) =>
  event('Deposit', { sender: WALLET, owner, assets, shares });
const withdraw = (owner: Address, assets: bigint, shares: bigint) =>
  event('Withdraw', { sender: WALLET, receiver: OTHER, owner, assets, shares });
const request = (controller: Address, owner: Address, shares: bigint): EmittedEvent => ({
  address: VAULT,
  abi: REQUEST_EVENTS,
  name: 'RedeemRequest',
  args: { controller, owner, requestId: 0n, sender: owner, shares },
});

const changes = (...emitted: readonly EmittedEvent[]) =>
  events
    .changes(strategy, WALLET, logsOfTransaction(emitted))
    .map(({ kind, shares, assets }) => [kind, shares, assets]);

describe('the changes of a deposit in an asynchronous vault', () => {
  it('values the shares of a claimed deposit by the assets of the claim, wherever the vault has kept them', () => {
    for (const keeper of [VAULT, OTHER, ZERO])
      expect(changes(transfer(keeper, WALLET, 90n), deposit(WALLET, 100n, 90n))).toEqual([['deposit', 90n, 100n]]);
  });

  it('keeps shares that the wallet hands in, until their assets are claimed', () => {
    for (const keeper of [VAULT, OTHER, ZERO])
      expect(changes(transfer(WALLET, keeper, 90n), request(WALLET, WALLET, 90n))).toEqual([]);
    expect(changes(withdraw(WALLET, 120n, 90n))).toEqual([['withdrawal', 90n, 120n]]);
  });

  it('sends shares that it requests to withdraw for another account, and receives those that another one requests for it', () => {
    expect(changes(transfer(WALLET, VAULT, 90n), request(OTHER, WALLET, 90n))).toEqual([
      ['transferOut', 90n, undefined],
    ]);
    expect(changes(transfer(OTHER, VAULT, 90n), request(WALLET, OTHER, 90n))).toEqual([['transferIn', 90n, undefined]]);
  });

  it('counts a claim and a new request of one transaction apart', () => {
    const claim = [transfer(VAULT, WALLET, 90n), deposit(WALLET, 100n, 90n)];
    const requested = [transfer(WALLET, VAULT, 40n), request(WALLET, WALLET, 40n)];
    expect(changes(...claim, ...requested, transfer(WALLET, OTHER, 40n))).toEqual([
      ['deposit', 90n, 100n],
      ['transferOut', 40n, undefined],
    ]);
  });

  it('counts a withdrawal that a vault pays at once, without a request, a single time', () => {
    expect(changes(transfer(WALLET, ZERO, 90n), withdraw(WALLET, 120n, 90n))).toEqual([['withdrawal', 90n, 120n]]);
    const claim = withdraw(WALLET, 50n, 40n);
    expect(changes(claim, transfer(WALLET, ZERO, 90n), withdraw(WALLET, 120n, 90n))).toEqual([
      ['withdrawal', 40n, 50n],
      ['withdrawal', 90n, 120n],
    ]);
  });

  it('ignores events of other contracts and other owners', () => {
    const foreign = { ...withdraw(WALLET, 120n, 90n), address: OTHER };
    expect(changes(foreign, withdraw(OTHER, 120n, 90n), deposit(OTHER, 1n, 2n))).toEqual([]);
  });

  it('finds claims of withdrawals, which move no shares of the wallet', () => {
    const topics = events.filters(strategy, WALLET).map((filter) => filter.topics.length);
    expect(topics).toEqual([2, 3, 4, 2]);
    const direct = { ...strategy, contracts: { vault: VAULT, depositRequests: VAULT } };
    expect(events.filters(direct, WALLET)).toHaveLength(2);
  });
});
