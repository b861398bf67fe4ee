import { parseUnits } from 'viem';
import { createActionStarter } from '../../src/actions/start-action';
import type { CustomerId } from '../../src/auth/principal';
import { serviceError } from '../../src/errors/service-error';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import { trackUntil } from '../actions/local-tracker';
import { OPEN_LIMITS } from '../setup/open-limits';
import { haltBlocks } from '../setup/universe-of-tests';
import { type OperationDesk, problemOf } from './operation-desk';
import { useOperationDesk } from './use-operation-desk';

const FRIEND = '0x00000000000000000000000000000000000A11cE';
const AMOUNT = parseUnits('100', 6);
const AAVE = 'Aave-USDC-devnet';
const VAULT = 'Steady-USDC-devnet';
const LEND = { action: 'lend', amount: AMOUNT.toString() };

let desk: OperationDesk;
useOperationDesk((opened) => {
  desk = opened;
});

const usdc = () => desk.balanceOf(desk.token('USDC'));

describe('an operation', () => {
  it('is refused with the reason and the largest amount', async () => {
    const held = await usdc();
    expect(await problemOf(desk.operate(AAVE, { ...LEND, amount: (held + 1n).toString() }))).toEqual([
      'LENDING_BAD_REQUEST',
      'BALANCE',
      held.toString(),
    ]);
    expect(await problemOf(desk.operate(AAVE, { action: 'withdraw', amount: '5' }))).toEqual([
      'LENDING_BAD_REQUEST',
      'BALANCE',
      '0',
    ]);
    const weth = { fromTokenAddress: desk.token('WETH'), fromChainId: 'devnet' };
    const tooMuch = (await desk.balanceOf(desk.token('WETH'))) + 1n;
    expect(await problemOf(desk.operate(AAVE, { action: 'lend', amount: tooMuch.toString(), ...weth }))).toEqual([
      'LENDING_BAD_REQUEST',
      'BALANCE',
      undefined,
    ]);
  });

  it('is refused on a strategy whose deposits the deployment has paused, while withdrawals go on', async () => {
    await desk.execute(VAULT, LEND);
    const strategies = {
      ready: () => Promise.resolve(),
      get: (name: string) => {
        const strategy = desk.strategies.get(name);
        return { ...strategy, row: { ...strategy.row, paused: true } };
      },
    };
    expect((await problemOf(desk.operate(VAULT, LEND, { strategies })))[1]).toBe('DEPOSITS_PAUSED');
    const withdrawal = await desk.operate(VAULT, { action: 'withdraw', amount: 'max' }, { strategies });
    expect(withdrawal.bytecode).toHaveLength(1);
  });

  it('from a token that cannot be swapped is FROM_TOKEN_NOT_SUPPORTED', async () => {
    const fields = { ...LEND, fromTokenAddress: FRIEND, fromChainId: 'devnet' };
    expect((await problemOf(desk.operate(AAVE, fields)))[0]).toBe('FROM_TOKEN_NOT_SUPPORTED');
  });

  it('from or to a chain that is not an EVM chain is refused in words', async () => {
    const mint = 'So11111111111111111111111111111111111111112';
    const from = { ...LEND, fromTokenAddress: mint, fromChainId: 'solana' };
    const to = { action: 'withdraw', amount: 'max', toTokenAddress: mint, toChainId: 'solana' };
    for (const fields of [from, to])
      expect(await problemOf(desk.operate(AAVE, fields))).toEqual([
        'LENDING_BAD_REQUEST',
        'CROSS_CHAIN_NOT_SUPPORTED',
        undefined,
      ]);
  });

  it('between chains is refused while a worker of an earlier version runs, which would settle it wrongly', async () => {
    const { worker } = desk.world.database;
    const { id } = await worker.create({ data: { id: uuidV7() } });
    const from = { ...LEND, fromTokenAddress: FRIEND, fromChainId: 'base' };
    expect((await problemOf(desk.operate(AAVE, from)))[0]).toBe('LENDING_SERVICE_UNAVAILABLE');
    expect((await desk.operate(AAVE, LEND)).strategyId).toBe(AAVE);
    await worker.delete({ where: { id } });
    expect((await problemOf(desk.operate(AAVE, from)))[0]).toBe('FROM_TOKEN_NOT_SUPPORTED');
  });

  it.each([
    ['the wallet', {}, (): string => desk.wallet],
    ['the recipient', { destinationAddress: FRIEND }, (): string => FRIEND],
    ['the token', { fromTokenAddress: FRIEND, fromChainId: 'devnet' }, (): string => FRIEND],
  ])('of a blocked address is FORBIDDEN: %s', async (_, fields, blocked) => {
    const changes = { blockedAddresses: new Set([blocked()]) };
    expect((await problemOf(desk.operate(AAVE, { ...LEND, ...fields }, changes)))[0]).toBe('FORBIDDEN');
  });

  it('to a contract where tokens are lost is refused', async () => {
    const fields = { ...LEND, destinationAddress: desk.token('WETH') };
    expect((await problemOf(desk.operate(AAVE, fields)))[0]).toBe('VALIDATION_ERROR');
  });

  it('of a strategy whose chain does not respond is LENDING_SERVICE_UNAVAILABLE', async () => {
    const down = (): Promise<never> => Promise.reject(providerDown());
    const rpc = { ...desk.deps.rpc, multicall: down };
    for (const fields of [LEND, { action: 'withdraw', amount: 'max' }])
      expect((await problemOf(desk.operate(AAVE, fields, { rpc })))[0]).toBe('LENDING_SERVICE_UNAVAILABLE');
  });

  it('of a wallet whose balance cannot be read is not refused as unfunded', async () => {
    const strategies = {
      ready: () => Promise.resolve(),
      get: (name: string) => {
        const strategy = desk.strategies.get(name);
        return { ...strategy, underlying: { ...strategy.underlying, address: FRIEND } };
      },
    };
    expect((await problemOf(desk.operate(AAVE, LEND, { strategies })))[0]).toBe('LENDING_SERVICE_UNAVAILABLE');
  });

  it('of an unknown strategy is STRATEGY_NOT_FOUND, and ids are found in any case', async () => {
    expect((await problemOf(desk.operate('Nowhere-USDC-devnet', LEND)))[0]).toBe('STRATEGY_NOT_FOUND');
    expect((await desk.operate(AAVE.toUpperCase(), LEND)).strategyId).toBe(AAVE);
  });

  it('of a customer at the limit of open actions is refused', async () => {
    const limits = { ...OPEN_LIMITS, openActions: 1 };
    const { assertMayOpen } = createActionStarter({ database: desk.world.database, limits });
    await desk.operate(AAVE, LEND);
    expect((await problemOf(desk.operate(AAVE, LEND, { assertMayOpen })))[0]).toBe('RATE_LIMIT_EXCEEDED');
  });
});

const providerDown = () => serviceError('PROVIDER_UNAVAILABLE', { provider: 'devnet', reason: 'HTTP 500' });

describe('the pending actions of a wallet', () => {
  it('are those that were sent and have not ended, for their own customer alone', async () => {
    const { id, bytecode } = await desk.operate(VAULT, LEND);
    expect(await desk.pending(VAULT)).toMatchObject({ hasPending: false, actions: [] });
    const resume = await haltBlocks(desk.devnet);
    await desk.send(bytecode);
    await trackUntil(desk.tracker, { actionId: id, chainId: desk.devnet.chainId, status: 'PENDING' });
    expect(await desk.pending(VAULT)).toMatchObject({
      strategyId: VAULT,
      wallet: desk.wallet,
      hasPending: true,
      message: 'One action is pending',
      actions: [
        {
          id,
          type: 'SAMECHAIN_INVESTMENT_DEPOSIT',
          status: 'PENDING',
          currentStep: 0,
          steps: [{ stepIndex: 0, legs: [{ kind: 'APPROVAL' }, { kind: 'DEPOSIT', operator: 'USER' }] }],
        },
      ],
    });
    expect(await desk.pending(AAVE)).toMatchObject({ hasPending: false });
    expect(await desk.pending(VAULT, uuidV7() as CustomerId)).toMatchObject({ hasPending: false });
    await resume();
    await trackUntil(desk.tracker, { actionId: id, chainId: desk.devnet.chainId, status: 'SUCCESS' });
    expect(await desk.pending(VAULT)).toMatchObject({ hasPending: false, message: 'No action is pending' });
  });
});
