import { type Hex, numberToHex } from 'viem';
import {
  CHAIN_ID,
  openScriptedLedger,
  type ScriptedLedger,
  TOKEN,
  transfers,
  wallet,
} from '../../test/ledger/scripted-ledger';
import type { ScriptedTransaction } from '../../test/actions/scripted-chain';
import { someChain } from '../../test/actions/sample-transfer';
import { emptyDatabase } from '../../test/setup/test-database';
import { createChainTable } from '../chains/chain-table';
import { proveBackfill } from './prove-backfill';

const [ALICE, EVE, SPAM] = [wallet(1), wallet(3), wallet(90)];
const chains = createChainTable([
  someChain(CHAIN_ID, { tokens: [{ address: TOKEN, symbol: 'USDC', name: 'USD Coin', decimals: 6 }] }),
]);

let ledger: ScriptedLedger;
beforeAll(async () => {
  ledger = await openScriptedLedger();
});
afterAll(() => ledger.stop());
beforeEach(async () => {
  await emptyDatabase(ledger.test);
  ledger.node.intercept = () => undefined;
  await ledger.watch(ALICE);
  await ledger.pass();
});

/** A response of the node to the balance of a token: at the newest block, or at an earlier one. */
type Balance = (token: string, when: 'now' | 'before') => unknown;
const balanceOf = (amount: bigint) => ({ result: numberToHex(amount, { size: 32 }) });
const failure = (message: string) => ({ error: { code: -32000, message } });

/** Compares the movements of the wallet in the blocks of `mined` with the balances. */
async function prove(mined: readonly ScriptedTransaction[], balance: Balance) {
  ledger.node.mine(...mined);
  await ledger.catchUp();
  ledger.node.intercept = ({ method, params }) => {
    if (method !== 'eth_call') return undefined;
    const [{ to }, block] = params as [{ to: string }, Hex | object];
    return balance(to, typeof block === 'string' ? 'before' : 'now');
  };
  const anchor = await ledger.cursor();
  const { id: walletId } = await ledger.test.database.watchedWallet.findFirstOrThrow();
  const own = {
    walletId,
    address: ALICE,
    lowest: anchor.number,
    target: anchor.number,
    recordedTo: null,
    windowBlocks: null,
    steadyFor: 0,
  };
  const client = ledger.deps.rpc.client(CHAIN_ID);
  const { signal } = new AbortController();
  return proveBackfill({ ...ledger.deps, chains }, CHAIN_ID, { own, client, anchor, signal });
}
const received = (token: string) => transfers({ from: EVE, to: ALICE, amount: 5n, token });

describe('a wallet that held a token before its movements', () => {
  it('is neither proven nor unproven while the node does not state the earlier balance', async () => {
    const unstated = prove([received(TOKEN)], (_, when) =>
      when === 'now' ? balanceOf(9n) : { error: { code: 429, message: 'too many requests' } },
    );
    await expect(unstated).rejects.toThrow();
  });

  it('is unproven when the node keeps no earlier state, and proven by the change otherwise', async () => {
    const pruned: Balance = (_, when) => (when === 'now' ? balanceOf(9n) : failure('missing trie node'));
    expect((await prove([received(TOKEN)], pruned)).isProven).toBe(false);
    const kept: Balance = (_, when) => balanceOf(when === 'now' ? 14n : 9n);
    expect(await prove([received(TOKEN)], kept)).toEqual({ isProven: true });
  });
});

it('tokens that are not listed neither keep the others from being proven nor delay them: they may respond never', async () => {
  const startedAt = Date.now();
  const held: (() => void)[] = [];
  const proof = await prove([received(TOKEN), received(SPAM)], (token) =>
    token === SPAM ? new Promise<void>((resolve) => held.push(resolve)) : balanceOf(5n),
  );
  for (const release of held) release();
  expect(proof.isProven).toBe(true);
  expect(proof.reason).toContain('1 tokens that are not listed');
  expect(Date.now() - startedAt).toBeLessThan(6000);
});

it('a token whose contract always fails does not keep the others from being proven', async () => {
  const fails: Balance = (token) => (token === SPAM ? failure('out of gas') : balanceOf(5n));
  expect((await prove([received(TOKEN), received(SPAM)], fails)).isProven).toBe(true);
});
