import { type Address, type Hex, isAddressEqual, sliceHex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { createChainTable } from '../../src/chains/chain-table';
import { KNOWN_CHAINS } from '../../src/chains/known-chains';
import { toBaseUnits } from '../../src/money/base-units';
import { parseSlippage } from '../../src/money/slippage';
import { createQuoteRequester } from '../../src/venues/request-provider-quote';
import type { DeliveryState, BridgeTransfer } from '../../src/venues/delivery-source';
import { type RampSwapDeps, planJson } from '../../src/venues/ramp/swap-leg';
import { createRampSwapProvider } from '../../src/venues/ramp/ramp-swap-provider';
import { openTicketOnce } from '../../src/venues/ramp/ramp-ticket';
import { createTicketStore } from '../../src/ramps/ticket-store';
import { createServiceWallet } from '../../src/rpc/service-wallet';
import { gasPricer, serviceTransactionStore } from '../setup/gas';
import type { TestDatabase } from '../setup/test-database';
import { testVault } from '../swaps/fake-fiat';
import { ALICE, BRL, DAI, devnet, fakeProvider, offerFor, quoteRequest, silent, USDC } from '../swaps/swap-world';
import { ON_RAMP, orderOf, scriptedMoney } from './scripted-money';
import { ScriptedChain, word } from './scripted-chain';

/** Number of blocks until finality. */
export const CONFIRMATIONS = 2;
export const PAID = 100_000_000n;
/** Minimum output of the quote, and output of the venue at the initial price. */
export const [MIN_AMOUNT_OUT, FAIR_AMOUNT_OUT] = [99n * 10n ** 18n, 100n * 10n ** 18n];
const VENUE: Address = '0x00000000000000000000000000000000000beef1';
const SWAP_TIMEOUT_MS = 600_000;

const anchor = { ...devnet, confirmations: CONFIRMATIONS, tokens: [{ ...USDC, logoURI: undefined }] };
const chains = createChainTable([...KNOWN_CHAINS, anchor]);

interface Market {
  price: bigint;
  isOpen: boolean;
  /** Runs before the next price is returned. */
  meanwhile: (() => Promise<unknown>) | undefined;
}

/** An on-ramp of reais to DAI through USDC, with a database, a chain in memory, and a venue with one price. */
export async function onRampWorld({ database }: Pick<TestDatabase, 'database'>) {
  const key = generatePrivateKey();
  const wallet = privateKeyToAddress(key);
  const market: Market = { price: FAIR_AMOUNT_OUT, isOpen: true, meanwhile: undefined };
  const chain = new ScriptedChain({
    confirmations: CONFIRMATIONS,
    effectOf: ({ to, data = '0x' }) =>
      isAddressEqual(to!, VENUE)
        ? { name: 'leg', succeeds: market.price >= BigInt(sliceHex(data, 4)) }
        : { name: 'anchor', succeeds: true },
  });
  const money = scriptedMoney();
  const tickets = createTicketStore({ database, vault: testVault, chains });
  const venue = fakeProvider(
    'alpha',
    async (request) => {
      const { meanwhile } = market;
      market.meanwhile = undefined;
      await meanwhile?.();
      return market.isOpen ? offerFor(request, { priced: market.price }) : undefined;
    },
    {
      build: ({ request, quote, sender }) =>
        Promise.resolve({
          kind: 'call',
          chainId: request.origin.chainId,
          from: sender,
          to: VENUE,
          value: 0n,
          spender: undefined,
          data: `0xdeadbeef${word(quote.minAmountOut).slice(2)}` as Hex,
        }),
    },
  );
  const order = orderOf({ route: { ...ON_RAMP, chain: anchor }, ticket: { walletAddress: wallet } });
  const ticket = { ...order, quoteRequest: { ...order.quoteRequest, amount: toBaseUnits(50_000n) } };
  money.quote = { amountIn: toBaseUnits(50_000n), amountOut: toBaseUnits(PAID) };
  await openTicketOnce({ ramp: money.ramp, tickets }, ticket, AbortSignal.timeout(90_000));

  /** Creates a replica. `changes` replace its dependencies. */
  const replica = (changes: Partial<RampSwapDeps> & { readonly replaceAfterMs?: number } = {}) => {
    const { replaceAfterMs = 3_600_000, ...rest } = changes;
    const store = serviceTransactionStore(database);
    const priceGas = gasPricer();
    const serviceWallet = createServiceWallet({ key, rpc: chain.rpc, store, priceGas, log: silent, replaceAfterMs });
    const requestProviderQuote = createQuoteRequester({ budgetMs: 60_000, log: silent });
    const deps = {
      ramp: money.ramp,
      tickets,
      chains,
      rpc: chain.rpc,
      venues: [venue],
      requestProviderQuote,
      serviceWallet,
    };
    return createRampSwapProvider({ ...deps, swapTimeoutMs: SWAP_TIMEOUT_MS, ...rest }).deliveries;
  };

  const fiat = chains.get(0);
  const request = quoteRequest({
    origin: fiat,
    tokenIn: BRL,
    destination: anchor,
    tokenOut: DAI,
    amount: toBaseUnits(50_000n),
    slippage: parseSlippage('0.01')!,
  });
  const leg = offerFor(quoteRequest({ amount: toBaseUnits(PAID) }), { priced: FAIR_AMOUNT_OUT });
  const quote = {
    ...offerFor(request, { priced: FAIR_AMOUNT_OUT }),
    provider: 'primary-swap',
    minAmountOut: toBaseUnits(MIN_AMOUNT_OUT),
    execution: planJson({ rampToken: { chain: anchor, token: USDC }, amount: toBaseUnits(PAID), leg }),
  };
  const actionId = order.ticket.externalId;
  let checkpoint: unknown;
  let isExpired = false;
  return {
    chain,
    market,
    money,
    actionId,
    tickets,
    replica,
    wallet,
    database,
    get checkpoint() {
      return checkpoint;
    },
    /** Settles the on-ramp, with a completed ticket. */
    paid(amount = PAID): Hex {
      const txHash = chain.pay({ token: USDC.address as Hex, to: wallet, amounts: [amount] });
      money.state = { status: 'completed', txHash, endToEndId: undefined, amountOut: toBaseUnits(amount) };
      return txHash;
    },
    /** Settles several actions in one transaction. `amount`: the part of this one. */
    paidAmong(amounts: readonly bigint[], { amount = PAID, hash }: { amount?: bigint; hash?: Hex } = {}): Hex {
      const to = { token: USDC.address as Hex, to: wallet, amounts };
      const txHash = chain.pay(hash === undefined ? to : { ...to, hash });
      money.state = { status: 'completed', txHash, endToEndId: undefined, amountOut: toBaseUnits(amount) };
      return txHash;
    },
    /** Marks the action as failed before its deposit. */
    expire(): void {
      isExpired = true;
    },
    /** Lets the timeout of the swap pass. */
    exceedSwapTimeout(): void {
      if (checkpoint === undefined) return;
      const stored = checkpoint as { payment: { seenAt: number } };
      checkpoint = { ...stored, payment: { ...stored.payment, seenAt: stored.payment.seenAt - 3 * SWAP_TIMEOUT_MS } };
    },
    /** Polls once. With `isLost`, the checkpoint is not stored. */
    async poll(source = replica(), isLost = false): Promise<DeliveryState> {
      const transfer: BridgeTransfer = {
        actionId,
        request,
        quote,
        sender: ALICE,
        recipient: ALICE,
        originTxHash: undefined,
        checkpoint,
        isExpired,
      };
      const state = await source.follow(transfer, AbortSignal.timeout(90_000));
      if (!isLost && state.checkpoint !== undefined)
        checkpoint = JSON.parse(JSON.stringify(state.checkpoint)) as unknown;
      return state;
    },
  };
}

export type OnRampWorld = Awaited<ReturnType<typeof onRampWorld>>;
