import fc from 'fast-check';
import { SafeSmartAccount } from 'permissionless/accounts/safe';
import { type Address, concatHex, hashTypedData, parseAbi, parseEther, parseUnits, slice } from 'viem';
import { entryPoint07Abi, entryPoint07Address, formatUserOperation } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { localToken } from '../../../../test/contract/local-swaps';
import type { TestDatabase } from '../../../../test/setup/test-database';
import { snapshotOf } from '../../../../test/setup/universe-of-tests';
import { deployedSafe } from '../../../../test/smart-accounts/deployed-safe';
import {
  type AccountWorld,
  openAccountWorld,
  readAccountBalance,
  buildAccountOperation,
  GAS_MONEY,
  newUndeployedAccount,
  payCall,
  readRefusal,
  PAYEE,
  quoteAccountSwap,
  transferCall,
} from '../../../../test/smart-accounts/local-accounts';
import {
  sendBundle,
  fund,
  toPackedOperation,
  readEntryPointError,
  signUserOperation,
} from '../../../../test/smart-accounts/local-operations';
import { serviceError } from '../../../errors/service-error';
import { uuidV7 } from '../../../persistence/uuid-v7';
import { SAFE } from '../../../smart-accounts/safe-contracts';

let world: AccountWorld;
let test: TestDatabase;
beforeAll(async () => {
  ({ test, world } = await openAccountWorld(5));
});
afterAll(() => test.drop());

describe('a user operation', () => {
  it('deploys, approves and swaps in one operation, and delivers the quoted amount', async () => {
    const amount = parseUnits('500', 6);
    const { address, owner } = await newUndeployedAccount(world, { USDC: amount, ETH: GAS_MONEY });
    const { quote, calls } = await quoteAccountSwap(world, { account: address, pair: ['USDC', 'BRLA'], amount });
    const built = await buildAccountOperation(world, { account: address, calls });
    expect(built).toMatchObject({ simulation: { status: 'SUCCESS' }, entryPoint: entryPoint07Address });
    const receipt = await sendBundle(world.wallet, [await signUserOperation(built.userOperation, owner)]);
    expect(receipt.status).toBe('success');
    expect(await readAccountBalance(world, 'BRLA', address)).toBe(quote.expectedAmountOut);
    expect(await readAccountBalance(world, 'USDC', address)).toBe(0n);
    expect(built.gasLimit).toBeGreaterThan(receipt.gasUsed);
    expect(built.gasLimit).toBeLessThan(2n * receipt.gasUsed);

    const back = await quoteAccountSwap(world, {
      account: address,
      pair: ['BRLA', 'USDC'],
      amount: parseUnits('50', 18),
    });
    const next = await buildAccountOperation(world, { account: address, calls: back.calls });
    expect(next.userOperation).not.toHaveProperty('factory');
    await sendBundle(world.wallet, [await signUserOperation(next.userOperation, owner)]);
    expect(await readAccountBalance(world, 'USDC', address)).toBe(back.quote.expectedAmountOut);
  });

  it('stays within its gas limits for every pair and amount', async () => {
    const symbols = ['WETH', 'USDC', 'USDT', 'BRLA', 'DAI', 'WBTC'] as const;
    const trade = fc.record({
      pair: fc.tuple(fc.constantFrom(...symbols), fc.constantFrom(...symbols)).filter(([from, to]) => from !== to),
      share: fc.bigInt({ min: 1n, max: 20n }),
      sponsored: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(trade, async ({ pair, share, sponsored }) => {
        const goBack = await snapshotOf(world.chain);
        const amount = (10n ** BigInt(localToken(world.chain, pair[0]).decimals) * share) / 10n;
        const { address, owner } = await newUndeployedAccount(world, { [pair[0]]: amount, ETH: GAS_MONEY });
        const { quote, calls } = await quoteAccountSwap(world, { account: address, pair, amount });
        const { userOperation } = await buildAccountOperation(world, { account: address, calls, sponsored });
        await sendBundle(world.wallet, [await signUserOperation(userOperation, owner)]);
        const received = await readAccountBalance(world, pair[1], address);
        await goBack();
        expect(received).toBe(quote.expectedAmountOut);
      }),
      { numRuns: 12 },
    );
  });

  it('equals the operation and hashes of permissionless.js and of the contracts', async () => {
    const { address, owner } = await newUndeployedAccount(world, { USDC: 1000n, ETH: GAS_MONEY });
    for (const deployed of [false, true]) {
      const { userOperation } = await buildAccountOperation(world, {
        account: address,
        calls: [transferCall(world, address, ['USDC', 1n])],
      });
      expect('factory' in userOperation).toBe(!deployed);
      const library = await SafeSmartAccount.toSafeSmartAccount({
        client: world.wallet,
        owners: [owner],
        version: '1.4.1',
        saltNonce: 0n,
        useMultiSendForSetup: false,
        entryPoint: { address: entryPoint07Address, version: '0.7' },
        safeSingletonAddress: SAFE.singleton,
      });
      expect(library.address).toBe(address);
      const calls = [
        {
          to: transferCall(world, address, ['USDC', 1n]).to as Address,
          data: transferCall(world, address, ['USDC', 1n]).data,
        },
      ];
      expect(userOperation.callData).toBe(await library.encodeCalls(calls));
      expect(userOperation.signature).toBe(await library.getStubSignature());
      const own = await signUserOperation(userOperation, owner);
      const unsigned = formatUserOperation(userOperation);
      expect(own.signature).toBe(await library.signUserOperation({ ...unsigned, chainId: world.chain.chainId }));
      const packed = toPackedOperation(own);
      const onChain = await world.wallet.readContract({
        address: entryPoint07Address,
        abi: entryPoint07Abi,
        functionName: 'getUserOpHash',
        args: [packed],
      });
      expect(userOperation.userOperationHash).toBe(onChain);
      const module = parseAbi([
        'struct Packed { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
        'function getOperationHash(Packed userOp) view returns (bytes32)',
      ]);
      const toSign = await world.wallet.readContract({
        address: SAFE.module4337,
        abi: module,
        functionName: 'getOperationHash',
        args: [packed],
      });
      expect(hashTypedData(userOperation.typedData as never)).toBe(toSign);
      await sendBundle(world.wallet, [own]);
    }
    expect(await readAccountBalance(world, 'USDC', address)).toBe(998n);
  });

  it('is JSON with hexadecimal numbers', async () => {
    const { address } = await newUndeployedAccount(world, { ETH: GAS_MONEY });
    const { userOperation } = await buildAccountOperation(world, {
      account: address,
      calls: [payCall(world, address, 1n)],
      sponsored: true,
    });
    expect(JSON.parse(JSON.stringify(userOperation))).toEqual(userOperation);
    const { chainId, typedData, ...fields } = userOperation;
    expect(chainId).toBe(world.chain.chainId);
    for (const value of Object.values(fields)) expect(value).toMatch(/^0x[0-9a-fA-F]*$/);
    expect(typedData.domain).toEqual({ chainId, verifyingContract: SAFE.module4337 });
  });

  it('of an account with several owners is signed by the threshold of owners', async () => {
    const owners = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()].map((key) =>
      privateKeyToAccount(key),
    );
    const account = await deployedSafe(
      world.wallet,
      owners.map(({ address }) => address),
      { threshold: 2n, handler: SAFE.module4337 },
    );
    await fund(world, { account, symbol: 'ETH', amount: GAS_MONEY });
    const { userOperation } = await buildAccountOperation(world, { account, calls: [payCall(world, account, 5n)] });
    const signers = owners.slice(1).sort((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1));
    const signatures = await Promise.all(signers.map((owner) => owner.signTypedData(userOperation.typedData as never)));
    const signature = concatHex([slice(userOperation.signature, 0, 12), ...signatures]);
    expect(signature).toHaveLength(userOperation.signature.length);
    const before = await readAccountBalance(world, 'ETH', PAYEE);
    await sendBundle(world.wallet, [{ ...userOperation, signature }]);
    expect((await readAccountBalance(world, 'ETH', PAYEE)) - before).toBe(5n);
  });

  it('is refused on chain after its deadline', async () => {
    const { address, owner } = await newUndeployedAccount(world, { ETH: GAS_MONEY });
    const calls = [payCall(world, address, 1n)];
    const late = await buildAccountOperation(world, {
      account: address,
      calls,
      deadline: new Date(Date.now() - 60_000),
    });
    expect(await readEntryPointError(world.wallet, await signUserOperation(late.userOperation, owner))).toMatch(
      /^AA22 expired/,
    );
    const inTime = await buildAccountOperation(world, {
      account: address,
      calls,
      deadline: new Date(Date.now() + 3_600_000),
    });
    expect(
      await readEntryPointError(world.wallet, await signUserOperation(inTime.userOperation, owner)),
    ).toBeUndefined();
  });

  it('of an action is executed once, however many are signed, and independently of other actions', async () => {
    const { address, owner } = await newUndeployedAccount(world, { ETH: GAS_MONEY });
    const [first, second] = [uuidV7(), uuidV7()];
    const of = (actionId: string, amount: bigint) =>
      buildAccountOperation(world, { account: address, calls: [payCall(world, address, amount)], actionId });
    const operations = [await of(first, 1n), await of(first, 2n), await of(second, 3n)];
    const all = await Promise.all(operations.map(({ userOperation }) => signUserOperation(userOperation, owner)));
    await sendBundle(world.wallet, [all[2]!]);
    // The account is deployed now, so operations that deploy it must be rebuilt, for the same action.
    const again = await signUserOperation((await of(first, 1n)).userOperation, owner);
    const rival = await signUserOperation((await of(first, 2n)).userOperation, owner);
    await sendBundle(world.wallet, [again]);
    expect(await readEntryPointError(world.wallet, rival)).toMatch(/^AA25 invalid account nonce/);
    expect(await readRefusal(of(first, 1n))).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['quoteId'] });
  });
});

describe('the simulation of an operation', () => {
  it('reports a revert, with the call that reverts', async () => {
    const { address } = await newUndeployedAccount(world, { USDC: 5n, ETH: GAS_MONEY });
    const calls = [transferCall(world, address, ['USDC', 3n]), transferCall(world, address, ['USDC', 3n])];
    const { simulation, gasLimit } = await buildAccountOperation(world, { account: address, calls });
    expect(simulation.status).toBe('REVERTED');
    expect(simulation.reason).toMatch(/^call 2 of 2: ERC20InsufficientBalance\(/);
    expect(gasLimit).toBeUndefined();
    const single = await buildAccountOperation(world, {
      account: address,
      calls: [transferCall(world, address, ['USDC', 6n])],
    });
    expect(single.simulation.reason).toMatch(/^ERC20InsufficientBalance\(/);
  });

  it('reports a shortage of native coin for gas and calls', async () => {
    const { address, owner } = await newUndeployedAccount(world, { USDC: 5n });
    const poor = await buildAccountOperation(world, {
      account: address,
      calls: [transferCall(world, address, ['USDC', 5n])],
    });
    expect(poor.simulation.status).toBe('INSUFFICIENT_BALANCE');
    expect(poor.simulation.reason).toMatch(/^the account holds 0 ETH of 0\.\d+ ETH needed, gas included$/);
    expect(await readEntryPointError(world.wallet, await signUserOperation(poor.userOperation, owner))).toMatch(
      /^AA21/,
    );
    // The operation stays valid when the account is funded before it is sent.
    await fund(world, { account: address, symbol: 'ETH', amount: GAS_MONEY });
    await sendBundle(world.wallet, [await signUserOperation(poor.userOperation, owner)]);
    expect(await readAccountBalance(world, 'USDC', address)).toBe(0n);
    const generous = await buildAccountOperation(world, {
      account: address,
      calls: [payCall(world, address, parseEther('2'))],
    });
    expect(generous.simulation.status).toBe('INSUFFICIENT_BALANCE');
  });

  it('is unavailable on chains without simulation, and the operation has fallback limits', async () => {
    const amount = parseUnits('10', 6);
    const { address, owner } = await newUndeployedAccount(world, { USDC: amount, ETH: GAS_MONEY });
    const { quote, calls } = await quoteAccountSwap(world, { account: address, pair: ['USDC', 'BRLA'], amount });
    const cannot = () => Promise.reject(serviceError('PROVIDER_UNAVAILABLE', { provider: 'devnet RPC', reason: 'no' }));
    const built = await buildAccountOperation(
      world,
      { account: address, calls },
      { rpc: { ...world.rpc, simulate: cannot } },
    );
    expect(built).toMatchObject({ simulation: { status: 'UNAVAILABLE' }, gasLimit: undefined });
    await sendBundle(world.wallet, [await signUserOperation(built.userOperation, owner)]);
    expect(await readAccountBalance(world, 'BRLA', address)).toBe(quote.expectedAmountOut);
  });
});
