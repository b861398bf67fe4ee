import { randomUUID } from 'node:crypto';
import type { CustomerId } from '../../src/auth/principal';
import type { Chain } from '../../src/chains/chain';
import { recordExecution } from '../../src/actions/state/record-execution';
import { startAction } from '../../src/actions/start-action';
import { toBaseUnits } from '../../src/money/base-units';
import type { Database } from '../../src/persistence/database';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import type { DeliverySource, DeliveryState, BridgeTransfer } from '../../src/venues/delivery-source';
import type { Token } from '../../src/tokens/token';
import type { ActionPlan } from '../../src/transactions/action-plan';
import { ALICE, newCustomer, sampleAction, sampleToken } from './sample-action';

export const BRIDGE = 'bridge';
const BOB = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const AMOUNT = 100_000_000n;
const MINIMUM = 98_000_000n;

/** A local chain without contracts. */
export const someChain = (chainId: number, changes: Partial<Chain> = {}): Chain => ({
  slug: `chain-${String(chainId)}`,
  chainId,
  kind: 'evm',
  name: `Chain ${String(chainId)}`,
  explorer: undefined,
  confirmations: 1,
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  wrappedNative: undefined,
  connectors: [],
  dollarTokens: [],
  uniswapV2: undefined,
  uniswapV3: undefined,
  tokens: [],
  ...changes,
});

export interface SampleTransferOptions extends Partial<Omit<ActionPlan, 'quoteId'>> {
  readonly deposit?: { readonly address: string; readonly reference: string };
}

export interface SampleTransfer {
  readonly id: string;
  readonly customerId: CustomerId;
  readonly quoteId: string;
}

/** A transfer of 100 USDC to another chain with a minimum output of 98. */
export async function createSampleTransfer(
  database: Database,
  { deposit, ...options }: SampleTransferOptions = {},
): Promise<SampleTransfer> {
  const customerId = options.customerId ?? newCustomer();
  const [chainIdIn, chainIdOut] = [options.chainIdIn ?? 31337, options.chainIdOut ?? 31338];
  const tokenIn = options.tokenIn ?? sampleToken('USDC', { chainId: chainIdIn });
  const tokenOut = options.tokenOut ?? sampleToken('USDC', { chainId: chainIdOut });
  const provider = options.provider ?? BRIDGE;
  const quoteId = uuidV7();
  const amounts = { amountIn: AMOUNT.toString(), maxAmountIn: AMOUNT.toString() };
  const outputs = { expectedAmountOut: '99000000', minAmountOut: MINIMUM.toString() };
  await database.quote.create({
    data: {
      id: quoteId,
      customerId,
      provider,
      chainIdIn,
      chainIdOut,
      ...amounts,
      ...outputs,
      tokenIn: tokenIn.address,
      tokenOut: tokenOut.address,
      deadline: new Date(Date.now() + 300_000),
      request: request({ tokenIn, tokenOut }),
      execution: {
        provider,
        ...amounts,
        ...outputs,
        route: [],
        priceImpactBps: 0,
        gasLimit: '200000',
        estimatedDurationSeconds: 60,
        execution: { quoted: true },
      },
      view: { tokenIn: {}, tokenOut: {}, feeBreakdown: { lines: [] } },
    },
  });
  const plan = sampleAction({
    quoteId,
    type: 'CROSSCHAIN_SWAP',
    provider,
    chainIdIn,
    chainIdOut,
    tokenIn,
    tokenOut,
    receiverAddress: BOB,
    amountIn: toBaseUnits(AMOUNT),
    minAmountOut: toBaseUnits(MINIMUM),
    steps: [
      { kind: 'BRIDGE', operator: 'USER', protocol: provider, chainId: chainIdIn },
      { kind: 'BRIDGE', operator: 'PROVIDER', protocol: provider, chainId: chainIdOut },
    ],
    delivery: { provider, ...(deposit === undefined ? {} : { deposit }) },
    ...options,
    customerId,
  });
  await database.$transaction((tx) => startAction(tx, plan));
  return { id: plan.id, customerId, quoteId };
}

const request = ({ tokenIn, tokenOut }: { tokenIn: Token; tokenOut: Token }) => ({
  chainIdIn: tokenIn.chainId,
  chainIdOut: tokenOut.chainId,
  tokenIn: json(tokenIn),
  tokenOut: json(tokenOut),
  side: 'in',
  amount: AMOUNT.toString(),
  slippage: '10000',
  originAddress: ALICE,
  destinationAddress: BOB,
  thirdParty: false,
  feeSponsorship: false,
});

const json = ({ logoURI, ...token }: Token) => ({ ...token, ...(logoURI === undefined ? {} : { logoURI }) });

export const someHash = (): `0x${string}` => `0x${randomUUID().replaceAll('-', '').repeat(2)}`;

/** Records the origin transaction; with `final` it has its confirmations as well. */
export async function recordOrigin(
  database: Database,
  id: string,
  { final = true, reverted = false, blockHash = someHash() } = {},
): Promise<string> {
  const txHash = someHash();
  const block = { number: 1n, hash: blockHash, timestamp: BigInt(Math.floor(Date.now() / 1000)) };
  const execution = { actionId: id, stepIndex: 0, chainId: 31337, txHash, reverted, block };
  await database.$transaction((tx) => recordExecution(tx, execution));
  if (final) {
    const where = { actionId_stepIndex: { actionId: id, stepIndex: 0 } };
    await database.actionStep.update({ where, data: { status: 'CONFIRMED' } });
  }
  return txHash;
}

/** A source whose next states a test sets. */
export interface ScriptedSource extends DeliverySource {
  respondWith(state: DeliveryState | Error | (() => Promise<DeliveryState>)): void;
  /** The transfers that were polled, in order. */
  readonly polled: readonly BridgeTransfer[];
}

export function scriptedSource(rest: Omit<DeliverySource, 'follow'> = {}): ScriptedSource {
  let next: () => Promise<DeliveryState> = () => Promise.resolve({ status: 'inFlight', waitingFor: 'CONFIRMATIONS' });
  const polled: BridgeTransfer[] = [];
  return {
    ...rest,
    polled,
    respondWith(state) {
      if (typeof state === 'function') next = state;
      else next = () => (state instanceof Error ? Promise.reject(state) : Promise.resolve(state));
    },
    follow(transfer) {
      polled.push(transfer);
      return next();
    },
  };
}

/** Makes an active delivery due and revokes its lease. */
export async function makeDue(database: Database, id: string): Promise<void> {
  await database.$executeRaw`
    UPDATE "Delivery" SET "nextPollAt" = now() - interval '1 second', "leasedUntil" = NULL
     WHERE "actionId" = ${id}::uuid AND phase = 'ACTIVE'`;
}
