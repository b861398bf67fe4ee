import { builtProgram, fakeOutputs, REFERENCE } from '../../../test/swaps/fake-outputs';
import { chains, CUSTOMER, rejection, SOLANA_USDC, SOLANA_WALLET, units } from '../../../test/swaps/swap-world';
import type { BuiltSolanaTransaction } from '../execution/output-builders';
import { buildSolanaTransfer, type SolanaTransferDeps } from './solana-transfer';
import type { ResolvedTransfer } from './resolved-transfer';

const order: ResolvedTransfer = {
  customerId: CUSTOMER,
  actionId: CUSTOMER,
  chain: chains.find('solana')!,
  token: SOLANA_USDC,
  amount: units(5n),
  sender: SOLANA_WALLET,
  recipient: REFERENCE,
  output: 'bytecode',
  accountId: undefined,
  memo: undefined,
  webhookUrl: undefined,
  signal: AbortSignal.timeout(1000),
};
const deps = (built: Partial<BuiltSolanaTransaction> = {}): SolanaTransferDeps => ({
  ...fakeOutputs({ buildSolanaTransaction: () => Promise.resolve(builtProgram(built)) }),
  transferInstructions: ({ sender: from, token: { chainId } }) =>
    Promise.resolve({ kind: 'instructions', chainId, from, instructions: [], lookupTables: {} }),
});

describe('a transfer on Solana', () => {
  it('returns its instructions only with the output instructions', async () => {
    expect((await buildSolanaTransfer(deps(), order)).composable).toBeUndefined();
    const { composable } = await buildSolanaTransfer(deps(), { ...order, output: 'instructions' });
    expect(composable).toEqual({ instructions: [], lookupTables: {} });
  });

  it.each([
    ['INSUFFICIENT_BALANCE', 'INSUFFICIENT_BALANCE', 'too little'],
    ['ADDRESS_BLOCKED', 'REVERTED', 'Account is frozen'],
    ['REVERTED', 'REVERTED', 'something'],
  ] as const)('is refused with a reason when it would not arrive: %s', async (...[kind, status, reason]) => {
    const refused = deps({ simulation: { status, reason }, computeUnits: undefined });
    expect(await rejection(buildSolanaTransfer(refused, order))).toMatchObject({
      code: 'TRANSFER_VALIDATION_FAILED',
      details: { kind, reason: expect.stringContaining(reason) },
    });
  });

  it('is returned when the node cannot simulate it', async () => {
    const untried = deps({ simulation: { status: 'UNAVAILABLE', reason: 'down' }, computeUnits: undefined });
    expect(await buildSolanaTransfer(untried, order)).toMatchObject({ simulation: { status: 'UNAVAILABLE' } });
  });
});
