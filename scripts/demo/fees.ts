import { setTimeout as pause } from 'node:timers/promises';
import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import { InvariantError } from '../../src/errors/invariant-error';
import type { ApiClient } from './api-client';
import type { Demo } from './demo';
import { graphql } from './generated';
import { operate, SLUG } from './strategy-operation';

const SET_FEES = graphql(/* GraphQL */ `
  mutation SetStrategyFees(
    $strategyId: String!
    $performance: Int!
    $markup: Int!
    $collector: String
    $partner: String
  ) {
    setStrategyFees(
      strategyId: $strategyId
      performanceFeeBps: $performance
      markupFeeBps: $markup
      feeCollector: $collector
      markupRecipient: $partner
    ) {
      strategyId
    }
  }
`);
const FEES = graphql(/* GraphQL */ `
  query StrategyFees($strategyId: String!) {
    customerStrategy(strategyId: $strategyId) {
      performanceFeeBps
      markupFeeBps
      freeUntilBlock
      activation {
        state
        reason
      }
    }
  }
`);

const DEFAULT_STRATEGY = 'Steady-USDC-devnet';
const COLLECTOR: Hex = '0x00000000000000000000000000000000000Fee01';
const PARTNER: Hex = '0x00000000000000000000000000000000000Fee02';
const [PERFORMANCE, MARKUP] = [1000, 500];
/** A million dollars of the faucet earn something visible within seconds. */
const DEPOSIT = 10n ** 12n;
const FAUCET = parseAbi(['function mint(address to, uint256 value)']);
const POLL_MS = 300;
const ACTIVATION_MS = 120_000;

/** Sets a fee of 10 % and a markup of 5 % on profit, and withdraws a deposit that has earned interest. */
export async function demonstrateFees(demo: Demo, [strategyId = DEFAULT_STRATEGY]: readonly string[]): Promise<void> {
  console.log(`\nFees of 10 % and 5 % on the profit of ${strategyId}`);
  const dashboard = demo.dashboard();
  const [usdc, wallet] = [demo.evmToken(SLUG, 'USDC'), demo.wallet(SLUG)];
  const recipients = { collector: COLLECTOR, partner: PARTNER };
  await dashboard.graphql(SET_FEES, { strategyId, performance: PERFORMANCE, markup: MARKUP, ...recipients });
  const block = await awaitActivation(dashboard, strategyId);
  console.log(`  active: profit until block ${block} is free`);
  const data = encodeFunctionData({ abi: FAUCET, functionName: 'mint', args: [wallet.address, DEPOSIT] });
  await wallet.send([{ to: usdc, data, value: '0' }]);
  await operate(demo, { strategyId }, { action: 'lend', amount: DEPOSIT.toString() });
  const held = () => Promise.all([COLLECTOR, PARTNER].map((owner) => wallet.balanceOf(usdc, owner)));
  const [collector = 0n, partner = 0n] = await held();
  const { feeCharged } = await operate(demo, { strategyId }, { action: 'withdraw', amount: 'max' });
  const [collectorAfter = 0n, partnerAfter = 0n] = await held();
  const [performance, markup] = [collectorAfter - collector, partnerAfter - partner];
  console.log('  fees, in base units of USDC, of the profit until the request for the withdrawal:');
  console.log(`    ${performance.toString()} to the collector: ${percent(PERFORMANCE)} of the profit`);
  console.log(`    ${markup.toString()} to the partner: ${percent(MARKUP)} of the profit`);
  console.log('  the interest after the request is paid as well, and bears no fee: more is paid than was expected');
  // Profit before the mark, and the cost of former deposits of the wallet, make no difference to the proportion.
  const isSplit = performance > 0n && performance - 2n * markup <= 2n && 2n * markup - performance <= 2n;
  if (!isSplit || performance + markup !== BigInt(feeCharged)) throw new InvariantError('the fees are not as charged');
  await dashboard.graphql(SET_FEES, { strategyId, performance: 0, markup: 0 });
  console.log('  switched off again');
}

const percent = (bps: number): string => `${String(bps / 100)} %`;

/** Block until which profit is free. */
async function awaitActivation(dashboard: ApiClient, strategyId: string): Promise<string> {
  const until = Date.now() + ACTIVATION_MS;
  while (Date.now() < until) {
    const { customerStrategy } = await dashboard.graphql(FEES, { strategyId });
    const { activation, freeUntilBlock, performanceFeeBps } = customerStrategy;
    if (performanceFeeBps === PERFORMANCE && typeof freeUntilBlock === 'string') return freeUntilBlock;
    if (activation?.state === 'FAILED') throw new InvariantError(`the activation failed: ${activation.reason ?? ''}`);
    await pause(POLL_MS);
  }
  throw new InvariantError('the fees were not activated in time');
}
