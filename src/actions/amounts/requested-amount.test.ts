import { encodeFunctionData, parseAbi } from 'viem';
import { type EmittedEvent, logsOfTransaction } from '../../../test/strategies/event-logs';
import { OTHER, RECEIPT, WALLET } from '../../../test/strategies/sample-strategy';
import { isRequestCall, requestedAmount } from './requested-amount';

const abi = parseAbi([
  'event DepositRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 assets)',
  'event RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares)',
  'function requestDeposit(uint256 assets, address controller, address owner)',
  'function requestRedeem(uint256 shares, address controller, address owner)',
  'function deposit(uint256 assets, address receiver, address controller)',
]);
const deposited = (assets: bigint, controller = WALLET, address = RECEIPT): EmittedEvent => ({
  address,
  abi,
  name: 'DepositRequest',
  args: { controller, owner: WALLET, requestId: 0n, sender: WALLET, assets },
});
const redeemed = (shares: bigint): EmittedEvent => ({
  address: RECEIPT,
  abi,
  name: 'RedeemRequest',
  args: { controller: WALLET, owner: WALLET, requestId: 0n, sender: WALLET, shares },
});
const amountOf = (events: readonly EmittedEvent[], quoted = 100n) =>
  requestedAmount({ to: RECEIPT, logs: logsOfTransaction(events) }, { controller: WALLET, quoted });

it('a request is what the called vault has recorded for the wallet', () => {
  expect([amountOf([deposited(100n)]), amountOf([redeemed(7n)])]).toEqual([100n, 7n]);
  expect(amountOf([deposited(60n)])).toBe(60n);
});

it('nothing is recorded by another contract, for another account, or without an event', () => {
  expect(amountOf([deposited(100n, WALLET, OTHER)])).toBeUndefined();
  expect(amountOf([deposited(100n, OTHER)])).toBeUndefined();
  expect(amountOf([])).toBeUndefined();
});

it('of several requests of a transaction, the one with the amount of the call counts', () => {
  expect(amountOf([deposited(60n), deposited(100n)])).toBe(100n);
});

it('calls of requests are distinguished from claims', () => {
  const data = (functionName: 'requestDeposit' | 'requestRedeem' | 'deposit') => ({
    data: encodeFunctionData({ abi, functionName, args: [1n, WALLET, WALLET] }),
  });
  expect([data('requestDeposit'), data('requestRedeem'), data('deposit')].map(isRequestCall)).toEqual([
    true,
    true,
    false,
  ]);
});
