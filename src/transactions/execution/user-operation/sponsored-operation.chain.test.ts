import { concatHex, numberToHex, parseUnits, slice } from 'viem';
import { asChain } from '../../../../test/contract/local-swaps';
import type { TestDatabase } from '../../../../test/setup/test-database';
import { newCustomer } from '../../../../test/actions/sample-action';
import { uuidV7 } from '../../../persistence/uuid-v7';
import {
  type AccountWorld,
  openAccountWorld,
  readAccountBalance,
  buildAccountOperation,
  payCall,
  newUndeployedAccount,
  readRefusal,
  PAYEE,
  quoteAccountSwap,
  sponsoredGas,
  transferCall,
} from '../../../../test/smart-accounts/local-accounts';
import {
  sendBundle,
  withChanges,
  fund,
  toPackedOperation,
  readEntryPointError,
  signUserOperation,
} from '../../../../test/smart-accounts/local-operations';

let world: AccountWorld;
let test: TestDatabase;
beforeAll(async () => {
  ({ test, world } = await openAccountWorld(7));
});
afterAll(() => test.drop());

describe('a sponsored operation', () => {
  it('costs the account no gas', async () => {
    const amount = parseUnits('20', 6);
    const { address, owner } = await newUndeployedAccount(world, { USDC: amount });
    const { quote, calls } = await quoteAccountSwap(world, { account: address, pair: ['USDC', 'BRLA'], amount });
    const built = await buildAccountOperation(world, { account: address, calls, sponsored: true });
    expect(built.simulation.status).toBe('SUCCESS');
    await sendBundle(world.wallet, [await signUserOperation(built.userOperation, owner)]);
    expect(await readAccountBalance(world, 'BRLA', address)).toBe(quote.expectedAmountOut);
    expect(await readAccountBalance(world, 'ETH', address)).toBe(0n);
    await fund(world, { account: address, symbol: 'ETH', amount: 77n });
    const next = await buildAccountOperation(world, {
      account: address,
      calls: [transferCall(world, address, ['BRLA', 1n])],
      sponsored: true,
    });
    await sendBundle(world.wallet, [await signUserOperation(next.userOperation, owner)]);
    expect(await readAccountBalance(world, 'ETH', address)).toBe(77n);
  });

  it('is sponsored only unchanged and before its expiry', async () => {
    const { address, owner } = await newUndeployedAccount(world, { USDC: 100n });
    const sponsored = (amount: bigint, deadline = new Date(Date.now() + 3_600_000)) =>
      buildAccountOperation(world, {
        account: address,
        calls: [transferCall(world, address, ['USDC', amount])],
        sponsored: true,
        deadline,
      });
    const [{ userOperation: good }, { userOperation: other }] = [await sponsored(1n), await sponsored(2n)];
    expect(await readEntryPointError(world.wallet, await signUserOperation(good, owner))).toBeUndefined();
    const paymasterAndData = (paymasterData: `0x${string}`) =>
      toPackedOperation({ ...good, paymasterData }).paymasterAndData;
    const dearer = numberToHex(BigInt(good.callGasLimit) + 1n);
    const later = concatHex([numberToHex(2 ** 40, { size: 32 }), slice(good.paymasterData!, 32)]);
    const tampered = [
      withChanges(good, { callGasLimit: dearer }, { callGasLimit: BigInt(dearer).toString() }),
      withChanges(good, { callData: other.callData }, { callData: other.callData }),
      withChanges(good, { paymasterData: later }, { paymasterAndData: paymasterAndData(later) }),
      withChanges(
        good,
        { paymasterData: other.paymasterData! },
        { paymasterAndData: paymasterAndData(other.paymasterData!) },
      ),
    ];
    for (const each of tampered)
      expect(await readEntryPointError(world.wallet, await signUserOperation(each, owner))).toMatch(
        /^AA34 signature error/,
      );
    const past = await sponsored(1n, new Date(Date.now() - 60_000));
    const forEver = concatHex([numberToHex(0, { size: 12 }), slice(past.userOperation.signature, 12)]);
    const expired = withChanges({ ...past.userOperation, signature: forEver }, {}, { validUntil: '0' });
    expect(await readEntryPointError(world.wallet, await signUserOperation(expired, owner))).toMatch(
      /^AA32 paymaster expired/,
    );
  });

  it('counts against the budget of its customer, once for all operations of an action', async () => {
    const { address } = await newUndeployedAccount(world, { USDC: 100n });
    const customer = { ...world, customerId: newCustomer() };
    await world.database.smartAccount.updateMany({ where: { address }, data: { customerId: customer.customerId } });
    const request = { account: address, calls: [transferCall(world, address, ['USDC', 1n])], sponsored: true } as const;
    const actionId = uuidV7();
    const cost = async () => {
      const [spent] = await world.database.gasSpending.findMany({ where: { customerId: customer.customerId } });
      return spent?.costUsd?.toNumber() ?? 0;
    };
    for (let count = 0; count < 2; count += 1) await buildAccountOperation(customer, { ...request, actionId });
    const first = await cost();
    expect(first).toBeGreaterThan(0);
    const takeSponsoredGas = sponsoredGas(world, { sponsoredGasUsd: 1, coinUsd: 10 ** 9 });
    const refusal = await readRefusal(buildAccountOperation(customer, request, { takeSponsoredGas }));
    expect(refusal).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect(await cost()).toBe(first);
  });

  it('is refused on chains without a paymaster, and when it would fail', async () => {
    const { address } = await newUndeployedAccount(world, { USDC: 1n });
    const request = { account: address, calls: [transferCall(world, address, ['USDC', 1n])], sponsored: true } as const;
    const chain = { ...asChain(world.chain), paymaster: undefined };
    const notAllowed = { code: 'FEE_SPONSORSHIP_NOT_ALLOWED' };
    expect(await readRefusal(buildAccountOperation(world, { ...request, chain }))).toMatchObject(notAllowed);
    expect(await readRefusal(buildAccountOperation(world, request, { paymasterSigner: undefined }))).toMatchObject(
      notAllowed,
    );
    const failing = await readRefusal(
      buildAccountOperation(world, { ...request, calls: [transferCall(world, address, ['USDC', 2n])] }),
    );
    expect(failing.code).toBe('BYTECODE_GENERATION_FAILED');
    expect(failing.message).toContain('ERC20InsufficientBalance');
    const unfunded = { ...request, calls: [payCall(world, address, 1n)] };
    expect(await readRefusal(buildAccountOperation(world, unfunded))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['originAddress'],
    });
    const broke = { ...asChain(world.chain), paymaster: PAYEE };
    expect(await readRefusal(buildAccountOperation(world, { ...request, chain: broke }))).toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
    });
  });
});
