import { builtProgram, fakeOutputs, REFERENCE } from '../../../test/swaps/fake-outputs';
import { chains, CUSTOMER, rejection, SOLANA_USDC, SOLANA_WALLET, units } from '../../../test/swaps/swap-world';
import type { BuiltProgram } from '../execution/output-builders';
import { solanaTransfer, type SolanaTransferDeps } from './solana-transfer';
import type { TransferOrder } from './transfer-order';

const order: TransferOrder = {
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
const deps = (built: Partial<BuiltProgram> = {}): SolanaTransferDeps => ({
  ...fakeOutputs({ executeProgram: () => Promise.resolve(builtProgram(built)) }),
  transferInstructions: ({ sender: from, token: { chainId } }) =>
    Promise.resolve({ kind: 'instructions', chainId, from, instructions: [], lookupTables: {} }),
});

describe('a transfer on Solana', () => {
  it('shows its instructions only to whoever composes transactions of them', async () => {
    expect((await solanaTransfer(deps(), order)).composable).toBeUndefined();
    const { composable } = await solanaTransfer(deps(), { ...order, output: 'instructions' });
    expect(composable).toEqual({ instructions: [], lookupTables: {} });
  });

  it.each([
    ['INSUFFICIENT_BALANCE', 'INSUFFICIENT_BALANCE', 'too little'],
    ['ADDRESS_BLOCKED', 'REVERTED', 'Account is frozen'],
    ['REVERTED', 'REVERTED', 'something'],
  ] as const)('is refused with a reason when it would not arrive: %s', async (...[kind, status, reason]) => {
    const refused = deps({ simulation: { status, reason }, computeUnits: undefined });
    expect(await rejection(solanaTransfer(refused, order))).toMatchObject({
      code: 'TRANSFER_VALIDATION_FAILED',
      details: { kind, reason: expect.stringContaining(reason) },
    });
  });

  it('is handed out by a node that cannot try it', async () => {
    const untried = deps({ simulation: { status: 'UNAVAILABLE', reason: 'down' }, computeUnits: undefined });
    expect(await solanaTransfer(untried, order)).toMatchObject({ simulation: { status: 'UNAVAILABLE' } });
  });
});
