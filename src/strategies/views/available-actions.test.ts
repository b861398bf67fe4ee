import { sampleStrategy } from '../../../test/strategies/sample-strategy';
import { availableActions } from './strategy-view';

const sample = sampleStrategy('erc7540');
const actionsOf = (contracts: Readonly<Record<string, `0x${string}`>>, paused = false) =>
  availableActions({ row: { ...sample.row, paused }, contracts });

it('an asynchronous side has an action for its requests, beside the one that claims them', () => {
  const both = { depositRequests: '0x01', redeemRequests: '0x01' } as const;
  expect(actionsOf(both)).toEqual(['request-lend', 'lend', 'request-withdraw', 'withdraw']);
  expect(actionsOf({ redeemRequests: '0x01' })).toEqual(['lend', 'request-withdraw', 'withdraw']);
  expect(actionsOf({})).toEqual(['lend', 'withdraw']);
});

it('a strategy that is paused takes no deposits, and still gives what was requested before', () => {
  expect(actionsOf({ depositRequests: '0x01' }, true)).toEqual(['lend', 'withdraw']);
  expect(actionsOf({ redeemRequests: '0x01' }, true)).toEqual(['request-withdraw', 'withdraw']);
  expect(actionsOf({}, true)).toEqual(['withdraw']);
});
