import { encodeFunctionData, erc20Abi, getAddress, parseUnits } from 'viem';
import { parseTerms } from '../../src/actions/amounts/transfer-terms';
import { createChainTable } from '../../src/chains/chain-table';
import { KNOWN_CHAINS } from '../../src/chains/known-chains';
import { STRATEGY_ROUTER_ADDRESS } from '../../src/chains/strategy-router';
import type { OperationDeps } from '../../src/strategies/operations/operation-deps';
import { createStrategyRouterFinder } from '../../src/strategies/router/find-router';
import { FEE_PROTOCOL } from '../../src/transactions/action-plan';
import { catchUp } from '../actions/local-tracker';
import { BRIDGE } from '../actions/sample-transfer';
import { asChain, localToken } from '../contract/local-swaps';
import { chainNamed } from '../setup/universe-of-tests';
import { fakeBridge } from '../swaps/bridge-world';
import { offerFor } from '../swaps/swap-world';
import { ARRIVED, arrivedDeposit, COLLECTOR, FEES, PARTNER, VAULT } from './arrived-deposit';
import { charging, type OperationDesk } from './operation-desk';
import { useOperationDesk } from './use-operation-desk';
import { vaultChanges } from './vault-changes';

const ESCROW = getAddress('0x00000000000000000000000000000000000e5c80');

let desk: OperationDesk;
useOperationDesk((opened) => {
  desk = opened;
});

const usdc = (owner?: string) => desk.balanceOf(desk.token('USDC'), owner);

/** The fees of the action with this entry fee, at a dollar a token. */
const statedFee = (tokenAmount: string) => ({
  breakdown: [{ type: 'gas' }, { type: 'platform', tokenAmount }],
});

describe('the entry fee of a deposit from another chain', () => {
  it('is the share of the delivered amount, and the action states it', async () => {
    const { request, end } = await arrivedDeposit(desk);
    const deposit = await request();
    expect(deposit).toMatchObject({ feeCharged: '985000', feeWaiver: null });
    expect(await end(deposit)).toEqual({
      steps: ['CONFIRMED', 'CONFIRMED'],
      fees: {
        total: '1.485000',
        currency: 'USD',
        breakdown: [
          { type: 'gas', amount: '0.500000', currency: 'USD' },
          { type: 'platform', amount: '0.985000', currency: 'USD', token: 'USDC', tokenAmount: '985000' },
        ],
      },
    });
    expect(await usdc(COLLECTOR)).toBe(985_000n);
  });

  it('is no higher than when the tokens were sent, and lower when it was lowered since', async () => {
    const { request } = await arrivedDeposit(desk);
    expect(await request({ entryBps: 500 })).toMatchObject({ feeCharged: '985000' });
    expect(await request({ entryBps: 50 })).toMatchObject({ feeCharged: '492500' });
    expect(await request()).toMatchObject({ feeCharged: '985000' });
  });

  it('is paid by the transactions of an earlier request, which a later one with a lower fee does not fail', async () => {
    const { request, end } = await arrivedDeposit(desk);
    const first = await request();
    await request({ entryBps: 50 });
    expect(await end(first)).toMatchObject({ steps: ['CONFIRMED', 'CONFIRMED'], fees: statedFee('985000') });
    expect(await usdc(COLLECTOR)).toBe(985_000n);
  });

  it('is stated as paid also when the last request was for a deposit without it', async () => {
    const { request, end } = await arrivedDeposit(desk);
    const first = await request();
    await request({ entryBps: 0 });
    expect(await end(first)).toMatchObject({ steps: ['CONFIRMED', 'CONFIRMED'], fees: statedFee('985000') });
  });

  it('is none when the deposit of a request without it is sent, although a later one has it', async () => {
    const { request, end } = await arrivedDeposit(desk);
    const free = await request({ entryBps: 0 });
    await request();
    expect(await end(free)).toMatchObject({
      steps: ['CONFIRMED', 'SKIPPED'],
      fees: { total: '0.500000', breakdown: [{ type: 'gas' }] },
    });
  });

  it('that was mined before the deposit is not charged again: the next request deposits the rest', async () => {
    const { request, end } = await arrivedDeposit(desk);
    const { bytecode } = await request();
    expect(await desk.send(bytecode.slice(-1))).toEqual(['success']);
    await catchUp(desk.tracker, desk.devnet.chainId);
    const rest = await request({ entryBps: 50 });
    expect(rest).toMatchObject({ feeCharged: '0', feeWaiver: null });
    const before = await usdc();
    expect(await end(rest)).toMatchObject({ steps: ['CONFIRMED', 'CONFIRMED'], fees: statedFee('985000') });
    expect(before - (await usdc())).toBe(ARRIVED - 985_000n);
    expect(await usdc(COLLECTOR)).toBe(985_000n);
  });

  it('is not awaited when its recipient was blocked after a first request: the deposit ends the action', async () => {
    const { request, end } = await arrivedDeposit(desk);
    await request();
    const free = await request({}, { blockedAddresses: new Set([COLLECTOR.toLowerCase()]) });
    expect(free).toMatchObject({ feeCharged: '0', feeWaiver: 'RECIPIENT_BLOCKED' });
    expect(await end(free)).toMatchObject({
      steps: ['CONFIRMED', 'SKIPPED'],
      fees: { total: '0.500000', breakdown: [{ type: 'gas' }] },
    });
    expect(await usdc(COLLECTOR)).toBe(0n);
  });

  it('is not awaited when the token refuses its recipient, or the fee was removed, after a first request', async () => {
    const removed = await arrivedDeposit(desk);
    await removed.request();
    const free = await removed.request({ entryBps: 0 });
    expect((await removed.end(free)).steps).toEqual(['CONFIRMED', 'SKIPPED']);
    const refused = await arrivedDeposit(desk);
    await refused.request();
    await vaultChanges(desk, VAULT).bar(COLLECTOR);
    const waived = await refused.request();
    expect(waived).toMatchObject({ feeCharged: '0', feeWaiver: 'RECIPIENT_REFUSED' });
    expect((await refused.end(waived)).steps).toEqual(['CONFIRMED', 'SKIPPED']);
  });
});

describe('the entry fee of a deposit from another chain that the router makes', () => {
  const routed = (): Partial<OperationDeps> => ({
    findRouter: createStrategyRouterFinder({ rpc: desk.rpc, log: { info: () => undefined, warn: () => undefined } }),
  });

  it('is paid by the call of the deposit, so that no transfer is awaited', async () => {
    const { request, end } = await arrivedDeposit(desk);
    const deposit = await request({}, routed());
    expect(deposit.bytecode.map(({ to }) => to)).toEqual([desk.token('USDC'), STRATEGY_ROUTER_ADDRESS]);
    expect(await end(deposit)).toMatchObject({ steps: ['CONFIRMED', 'SKIPPED'], fees: statedFee('985000') });
    expect(await usdc(COLLECTOR)).toBe(985_000n);
  });

  it('is stated as paid when a request had it as a transfer before, or another fee, or has it afterwards', async () => {
    const changed = await arrivedDeposit(desk);
    await changed.request();
    const deposit = await changed.request({ entryBps: 50 }, routed());
    await changed.request();
    expect(await changed.end(deposit)).toMatchObject({ steps: ['CONFIRMED', 'SKIPPED'], fees: statedFee('492500') });
    const direct = await arrivedDeposit(desk);
    const first = await direct.request();
    await direct.request({ entryBps: 50 }, routed());
    expect(await direct.end(first)).toMatchObject({ steps: ['CONFIRMED', 'CONFIRMED'], fees: statedFee('985000') });
    expect(await usdc(COLLECTOR)).toBe(985_000n + 492_500n);
  });

  it('is none when the deposit of a request without it is sent', async () => {
    const { request, end } = await arrivedDeposit(desk);
    const free = await request({ entryBps: 0 }, routed());
    await request({}, routed());
    expect(await end(free)).toMatchObject({ steps: ['CONFIRMED', 'SKIPPED'], fees: { breakdown: [{ type: 'gas' }] } });
  });
});

it('a deposit of delivered tokens is shown and continued after its strategy got another id, which keeps the former one as an alias', async () => {
  const { id, request } = await arrivedDeposit(desk);
  const { row, ...rest } = desk.strategies.get(VAULT);
  const renamed = { ...rest, row: { ...row, id: 'Renamed-USDC-devnet', aliases: [VAULT.toUpperCase()] } };
  const changes = { strategies: { ...desk.strategies, get: () => renamed } };
  expect(await request({}, changes)).toMatchObject({ id, feeCharged: '985000' });
  const { hasPending, actions } = await desk.pending('renamed-usdc-devnet', desk.customerId, changes);
  expect(hasPending).toBe(true);
  expect(actions.map((action) => action.id)).toContain(id);
});

describe('a withdrawal to another chain with fees on its profit', () => {
  it('pays them first, and moves what they leave, which the terms of the transfer state and value', async () => {
    const amount = parseUnits('100', 6);
    await desk.execute(VAULT, { action: 'lend', amount: amount.toString() });
    await vaultChanges(desk, VAULT).earn();
    const there = chainNamed(desk.universe, 'devnet-l2');
    const token = localToken(there, 'USDC');
    const bridge = fakeBridge(BRIDGE, {
      quote: (request) => Promise.resolve(offerFor(request, { provider: BRIDGE, priced: request.amount - 1000n })),
      build: ({ request, quote, sender }) =>
        Promise.resolve({
          kind: 'call',
          chainId: request.origin.chainId,
          from: sender,
          to: request.tokenIn.address,
          data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [ESCROW, quote.amountIn] }),
          value: 0n,
          spender: undefined,
        }),
    });
    const before = await usdc();
    const operation = await desk.operate(
      VAULT,
      { action: 'withdraw', amount: 'max', toChainId: there.chainId.toString(), toTokenAddress: token.address },
      {
        readFees: charging(FEES),
        chains: createChainTable([...KNOWN_CHAINS, desk.chain, asChain(there)]),
        providers: [bridge],
        tokens: {
          find: (chain, address) =>
            chain.chainId === there.chainId ? Promise.resolve(token) : desk.deps.tokens.find(chain, address),
        },
      },
    );
    const [sold, fee] = [BigInt(operation.quote!.inputAmount.value), BigInt(operation.feeCharged)];
    const gain = sold + fee - amount;
    expect(fee).toBe((gain * 1000n) / 10_000n + (gain * 500n) / 10_000n);
    expect(fee).toBeGreaterThan(0n);
    const { steps } = await desk.readAction(operation.id);
    expect(steps.map(({ kind, protocol }) => [kind, protocol])).toEqual([
      ['WITHDRAW', 'erc4626'],
      ['TRANSFER', FEE_PROTOCOL],
      ['TRANSFER', FEE_PROTOCOL],
      ['BRIDGE', BRIDGE],
      ['BRIDGE', BRIDGE],
    ]);
    const where = { actionId: operation.id };
    const { terms } = await desk.world.database.delivery.findUniqueOrThrow({ where });
    // A dollar a token.
    expect(parseTerms(terms)).toMatchObject({ amountIn: sold, amountInUsd: sold, amountOut: sold - 1000n });
    expect(new Set(await desk.send(operation.bytecode))).toEqual(new Set(['success']));
    expect(await usdc(ESCROW)).toBe(sold);
    expect((await usdc(COLLECTOR)) + (await usdc(PARTNER))).toBe(fee);
    // Interest of a few seconds stays in the wallet.
    const rest = (await usdc()) - before;
    expect(rest >= 0n && rest < 1000n).toBe(true);
  });
});
