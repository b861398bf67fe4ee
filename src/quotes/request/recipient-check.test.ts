import { ALICE, BOB, chains, devnet, devnetL2, rejection, ROUTER, SOLANA_WALLET } from '../../../test/swaps/swap-world';
import type { ContractKind } from '../../rpc/contract-kind';
import { assertRecipients, findRecipientProblem } from './recipient-check';

const solana = chains.find('solana')!;
const kinds: Readonly<Record<string, ContractKind>> = { [ALICE]: 'token', [ROUTER]: 'pool' };
const read: string[] = [];
const deps = {
  findContractKind: (chainId: number, address: string) => {
    read.push(address);
    return Promise.resolve(chainId === devnet.chainId ? kinds[address] : undefined);
  },
};
beforeEach(() => read.splice(0));

describe('a recipient', () => {
  it('is refused with its reason when it is a token contract or a pool, every one of them at once', async () => {
    const error = await rejection(
      assertRecipients(deps, [
        { path: 'destinationAddress', chain: devnet, address: ALICE },
        { path: 'other', chain: devnetL2, address: ALICE },
        { path: 'refundAddress', chain: devnet, address: ROUTER },
      ]),
    );
    expect(error).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: {
        errors: [
          { path: 'destinationAddress', message: 'is a token contract, where tokens are lost' },
          { path: 'refundAddress', message: 'is a liquidity pool, where tokens are lost' },
        ],
      },
    });
  });

  it('is refused without a read when it is in the chain table', async () => {
    const address = devnet.wrappedNative!;
    expect(await findRecipientProblem(deps, { chain: devnet, address })).toContain('wrapped native coin');
    expect(read).toEqual([]);
  });

  it('is accepted when it is a wallet', async () => {
    const wallets = [
      { path: 'a', chain: devnet, address: BOB },
      { path: 'b', chain: solana, address: SOLANA_WALLET },
    ];
    await expect(assertRecipients(deps, wallets)).resolves.toBeUndefined();
    expect(read).toEqual([BOB]);
  });
});
