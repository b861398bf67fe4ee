import { type Address, type Hex, parseAbi } from 'viem';
import type { RawFields } from '../../src/errors/field-reader';
import { directActions, type Strategy } from '../../src/strategies/strategy';
import { chainNamed } from '../setup/universe-of-tests';
import {
  callContract,
  changedRow,
  localRow,
  mint,
  resolutionOf,
  resolved,
  type StrategyChain,
  strategyChain,
  userOf,
} from './local-strategies';
import { type OperationDesk, problemOf } from './operation-desk';
import { useOperationDesk } from './use-operation-desk';

const ID = 'Requests-USDC-devnet';
const USDC = 1_000_000n;

let desk: OperationDesk;
let local: StrategyChain;
let key: Hex;
useOperationDesk((opened) => {
  desk = opened;
  local = strategyChain(desk.universe, chainNamed(desk.universe, 'devnet'));
  key = desk.universe.accounts[5]!.privateKey;
});

const VAULT = parseAbi([
  'function fulfil(address controller)',
  'function lie(bool forgetsRequests, bool givesHalf, bool statesDouble)',
]);
const call = (functionName: string, args: readonly unknown[], address: Address) =>
  callContract(local, key, { address, abi: VAULT, functionName, args });

describe('a hostile vault', () => {
  let strategy: Strategy;
  let hostile: Address;
  beforeEach(async () => {
    hostile = await local.deploy('LyingRequestVault', [desk.token('USDC'), 'Liar', 'LIAR', 0n]);
    ({ strategy } = await resolved(local, changedRow(localRow(desk.universe, ID), { id: 'Liar', market: hostile })));
  });
  const operate = (fields: RawFields) => {
    const strategies = { ready: () => Promise.resolve(), get: () => strategy };
    return desk.operate('Liar', fields, { strategies });
  };
  const lend = { action: 'request-lend', amount: (100n * USDC).toString() };
  const send = async (fields: RawFields) => desk.send((await operate(fields)).bytecode);
  const lie = (...lies: readonly boolean[]) => call('lie', lies, hostile);

  it('that forgets a part of a request gets none', async () => {
    await lie(true, false, false);
    expect((await problemOf(operate(lend)))[1]).toBe('UNEXPECTED_EFFECTS');
    await lie(false, false, false);
    await send(lend);
    await call('fulfil', [desk.wallet], hostile);
    await send({ action: 'lend', amount: 'max' });
    await lie(true, false, false);
    expect((await problemOf(operate({ action: 'request-withdraw', amount: 'max' })))[1]).toBe('UNEXPECTED_EFFECTS');
  });

  it('that states more than it has, or gives less than it states, gets no claim', async () => {
    await send(lend);
    await call('fulfil', [desk.wallet], hostile);
    for (const lies of [
      [false, true, false],
      [false, false, true],
    ]) {
      await lie(...lies);
      const kind = (await problemOf(operate({ action: 'lend', amount: 'max' })))[1];
      expect(['UNEXPECTED_EFFECTS', 'REVERTED']).toContain(kind);
    }
    await lie(false, false, false);
    await send({ action: 'lend', amount: 'max' });
    await send({ action: 'request-withdraw', amount: 'max' });
    await call('fulfil', [desk.wallet], hostile);
    for (const lies of [
      [false, true, false],
      [false, false, true],
    ]) {
      await lie(...lies);
      const kind = (await problemOf(operate({ action: 'withdraw', amount: 'max' })))[1];
      expect(['UNEXPECTED_EFFECTS', 'REVERTED']).toContain(kind);
    }
  });
});

describe('a vault with one asynchronous side', () => {
  const market = async (sides: readonly [boolean, boolean]) => {
    const args = [desk.token('USDC'), 'Half', 'HALF', 0n, ...sides];
    const address = await local.deploy('RequestVault', args);
    return resolved(local, changedRow(localRow(desk.universe, ID), { id: 'Half', market: address }));
  };
  const wallet = () => desk.universe.accounts[6]!;

  it.each([
    [[true, false] as const, ['request-lend', 'lend', 'withdraw']],
    [[false, true] as const, ['lend', 'request-withdraw', 'withdraw']],
  ])('deposits and withdraws (%j)', async (sides, actions) => {
    const half = await market(sides);
    expect(directActions(half.strategy)).toEqual(actions);
    const user = userOf(local, half, wallet());
    const amount = 50n * USDC;
    await mint(local, wallet(), [half.strategy.row.underlying, user.address, amount]);
    expect((await user.lendPreview(amount)).problem).toBeUndefined();
    await user.lend(amount);
    expect(await user.holding()).toMatchObject({ value: amount });
    const { received } = await user.withdraw({ kind: 'all' });
    expect(received).toBe(amount);
    expect((await user.holding()).shares).toBe(0n);
  });

  it('is refused when no side is asynchronous', async () => {
    const row = changedRow(localRow(desk.universe, ID), {
      market: localRow(desk.universe, 'Steady-USDC-devnet').market,
    });
    expect(await resolutionOf(local, row)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('erc4626'),
    });
  });
});
