import { concatHex, numberToHex } from 'viem';
import { rpcOf } from '../../../../test/contract/local-swaps';
import { chainNamed, snapshotOf, universeOfTests } from '../../../../test/setup/universe-of-tests';
import { PAYEE } from '../../../../test/smart-accounts/local-accounts';
import { putCode } from '../../../../test/smart-accounts/local-operations';
import { estimateL1DataGas } from './estimate-l1-data-gas';
import type { UserOperationV07 } from './gas-limits';

const operation: UserOperationV07 = {
  sender: PAYEE,
  nonce: 0n,
  callData: '0x',
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
  signature: '0x',
  callGasLimit: 1n,
  verificationGasLimit: 1n,
  preVerificationGas: 1n,
};

/** Code of a contract that returns one number for every call. */
const answering = (value: bigint) => concatHex(['0x7f', numberToHex(value, { size: 32 }), '0x5f5260205ff3']);

it('is the L1 data fee in gas units on OP stack chains, and 0 elsewhere', async () => {
  const { chains } = await universeOfTests();
  const chain = chainNamed({ chains, accounts: [], strategies: [] }, 'devnet-l2');
  const readGas = (feePerGas: bigint) =>
    estimateL1DataGas(rpcOf(chains), {
      chainId: chain.chainId,
      operation,
      feePerGas,
      signal: AbortSignal.timeout(5000),
    });
  expect(await readGas(1000n)).toBe(0n);
  const goBack = await snapshotOf(chain);
  const oracle = '0x420000000000000000000000000000000000000F';
  await putCode(chain, oracle, answering(80_000_000n));
  const [gas, free] = await Promise.all([readGas(1000n), readGas(0n)]).finally(goBack);
  expect([gas, free]).toEqual([100_000n, 0n]);
});
