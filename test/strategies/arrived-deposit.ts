import { getAddress } from 'viem';
import { toBaseUnits } from '../../src/money/base-units';
import type { OperationDeps } from '../../src/strategies/operations/operation-deps';
import type { OperationView } from '../../src/strategies/operations/operation-view';
import type { StrategyFees } from '../../src/strategies/strategy-fees';
import { FEE_PROTOCOL } from '../../src/transactions/action-plan';
import { trackUntil } from '../actions/local-tracker';
import { sampleToken } from '../actions/sample-action';
import { BRIDGE, createSampleTransfer } from '../actions/sample-transfer';
import { localToken } from '../contract/local-swaps';
import { usd } from '../setup/usd';
import { charging, type OperationDesk } from './operation-desk';

export const VAULT = 'Steady-USDC-devnet';
const ORIGIN = 1;
export const ARRIVED = 98_500_000n;
export const COLLECTOR = getAddress('0x00000000000000000000000000000000000c0111');
export const PARTNER = getAddress('0x0000000000000000000000000000000000009a27');
export const FEES: StrategyFees = {
  entryBps: 100,
  performanceBps: 1000,
  markupBps: 500,
  collector: COLLECTOR,
  markupRecipient: PARTNER,
  marks: [],
};

/** A deposit of tokens of another chain that have arrived. The entry fee was 1 % when it was requested. */
export async function arrivedDeposit(desk: OperationDesk) {
  const { devnet, wallet, customerId } = desk;
  const { database } = desk.world;
  const user = { operator: 'USER' as const, chainId: devnet.chainId };
  const { receipt } = desk.strategies.get(VAULT);
  const usdcOut = localToken(devnet, 'USDC');
  const { id } = await createSampleTransfer(database, {
    customerId,
    type: 'CROSSCHAIN_INVESTMENT_DEPOSIT',
    strategy: { id: VAULT, slug: VAULT.toLowerCase() },
    chainIdIn: ORIGIN,
    chainIdOut: devnet.chainId,
    originAddress: wallet,
    receiverAddress: wallet,
    tokenOut: receipt,
    amountOut: toBaseUnits(1n),
    minAmountOut: toBaseUnits(1n),
    fees: {
      total: '1.480000',
      currency: 'USD',
      breakdown: [
        { type: 'gas', amount: '0.500000', currency: 'USD' },
        { type: 'platform', amount: '0.980000', currency: 'USD', token: 'USDC', tokenAmount: '980000' },
      ],
    },
    steps: [
      { kind: 'BRIDGE', operator: 'USER', protocol: BRIDGE, chainId: ORIGIN },
      { kind: 'BRIDGE', operator: 'PROVIDER', protocol: BRIDGE, chainId: devnet.chainId },
      { ...user, kind: 'DEPOSIT', protocol: 'erc4626' },
      { ...user, kind: 'TRANSFER', protocol: FEE_PROTOCOL },
    ],
    delivery: {
      provider: BRIDGE,
      part: {
        originStep: 0,
        destinationStep: 1,
        terms: {
          tokenIn: sampleToken('USDC', { chainId: ORIGIN }),
          tokenOut: usdcOut,
          amountIn: 100_000_000n,
          amountInUsd: usd('100'),
          amountOut: 99_000_000n,
          minAmountOut: 98_000_000n,
          receiverAddress: wallet,
          entryFeeBps: FEES.entryBps,
        },
      },
    },
  });
  await database.action.update({ where: { id }, data: { status: 'PENDING' } });
  const delivered = { actionId: id, stepIndex: { in: [0, 1] } };
  await database.actionStep.updateMany({ where: delivered, data: { status: 'CONFIRMED' } });
  await database.delivery.update({ where: { actionId: id }, data: { arrivedAmount: ARRIVED.toString() } });
  return {
    id,
    request: (fees: Partial<StrategyFees> = {}, changes: Partial<OperationDeps> = {}) =>
      desk.operate(VAULT, { action: 'lend', actionId: id }, { readFees: charging({ ...FEES, ...fees }), ...changes }),
    /** Sends the transactions, and returns the action at its end. */
    async end({ bytecode }: OperationView) {
      expect(new Set(await desk.send(bytecode))).toEqual(new Set(['success']));
      await trackUntil(desk.tracker, { actionId: id, chainId: devnet.chainId, status: 'SUCCESS' });
      const { steps, fees } = await desk.readAction(id);
      return { steps: steps.slice(2).map(({ status }) => status), fees };
    },
  };
}
